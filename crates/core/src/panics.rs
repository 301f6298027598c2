//! Panics in user code are results: while a process runs, the panic hook keeps message and place and prints nothing.

use crate::Location;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;
use std::sync::Once;

thread_local! {
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<Location>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Runs `f`; panics inside are remembered for [`take`] instead of printed.
pub fn listen<R>(f: impl FnOnce() -> R) -> R {
    let before = replace_listening(true);
    let result = f();
    replace_listening(before);
    result
}

#[inline]
fn replace_listening(listening: bool) -> bool {
    if !HOOK.is_completed() {
        install_hook();
    }
    LISTENING.replace(listening)
}

/// Not generic, so that the hook is compiled once and not for every function that is listened to.
#[cold]
fn install_hook() {
    HOOK.call_once(|| {
        let outer = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if LISTENING.get() {
                remember(info);
            } else {
                outer(info);
            }
        }));
    });
}

fn remember(info: &PanicHookInfo<'_>) {
    let place = info.location().map(Location::from);
    PLACE.with(|kept| {
        if let Ok(mut kept) = kept.try_borrow_mut() {
            *kept = place;
        }
    });
}

/// The payload of a panic which means that recorded operations are not linearizable; holds the explanation.
pub struct NotLinearizable(pub String);

/// Message and place of the panic that was just caught.
pub fn take(payload: &(dyn Any + Send)) -> (String, Option<Location>) {
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .or_else(|| payload.downcast_ref::<NotLinearizable>().map(|words| words.0.clone()))
        .unwrap_or_else(|| "a panic with a payload that is no text".to_string());
    (message, PLACE.with(|place| place.borrow_mut().take()))
}
