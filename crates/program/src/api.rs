//! What a process can do (Must §2, §5).

use crate::context::{Ctx, Template, quietly, with, with_or};
use crate::monitor::{self, Recorded};
use crate::trie::{Closing, Filter, Loc, same_place};
use crate::values::{Message, Payload};
use manyworlds_core::Choices;
use manyworlds_core::{Network, OBS_TIMEOUT, Obs, Pid};
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// The code of a spawned process. It is cloned for every run, so a closure may give its captures away.
struct Code<F>(F);

impl<T: Message, F: FnOnce() -> T + Clone + Send + 'static> Template for Code<F> {
    fn run(&self, ctx: &Ctx) -> u32 {
        let code = quietly(|| self.0.clone());
        ctx.intern(code())
    }
}

/// Starts a process that runs `f`. See [`process`] for names and daemons.
///
/// The closure is cloned whenever its process has to be run again, so what it captures must be `Clone`. As in the standard library, it must be `Send`:
///
/// ```no_run
/// # extern crate manyworlds_program as manyworlds;
/// let shared = std::sync::Arc::new(1);
/// manyworlds::spawn(move || *shared + 1);
/// ```
///
/// ```compile_fail
/// # extern crate manyworlds_program as manyworlds;
/// let shared = std::rc::Rc::new(1);
/// manyworlds::spawn(move || *shared + 1);
/// ```
#[track_caller]
pub fn spawn<T: Message, F: FnOnce() -> T + Clone + Send + 'static>(f: F) -> JoinHandle<T> {
    process("").spawn(f)
}

/// A process to be started under a name: `process("server").spawn(…)`, `process(format_args!("worker {i}")).spawn(…)`.
/// The name is formatted only once for each distinct history.
pub fn process<N: fmt::Display>(name: N) -> ProcessBuilder<N> {
    ProcessBuilder { name, daemon: false }
}

/// A process that has not been started.
#[derive(Clone, Copy, Debug)]
pub struct ProcessBuilder<N> {
    name: N,
    daemon: bool,
}

impl<N: fmt::Display> ProcessBuilder<N> {
    /// Lets the process wait for ever without that being a deadlock: a server.
    pub fn daemon(mut self) -> ProcessBuilder<N> {
        self.daemon = true;
        self
    }

    /// Starts it.
    #[track_caller]
    pub fn spawn<T: Message, F: FnOnce() -> T + Clone + Send + 'static>(self, f: F) -> JoinHandle<T> {
        let loc = Location::caller();
        let pid = with_or(Ctx::pid, |ctx| ctx.spawn(Code(f), self.daemon, &self.name, loc));
        JoinHandle { pid, result: PhantomData }
    }
}

/// A process that was started.
pub struct JoinHandle<T> {
    pid: Pid,
    result: PhantomData<fn() -> T>,
}

impl<T> JoinHandle<T> {
    /// The id of the process, to send to.
    #[inline]
    pub fn pid(&self) -> Pid {
        self.pid
    }
}

impl<T: Message> JoinHandle<T> {
    /// Waits for the process to end and returns its result.
    #[track_caller]
    pub fn join(self) -> T {
        let loc = Location::caller();
        with_or(Ctx::stand_in, |ctx| {
            let known = ctx.shared.memory.borrow().by_pid.get(&self.pid).copied();
            let Some(child) = known.map(manyworlds_core::ProcId) else {
                ctx.misuse(format!("{:?} is no process of this execution", self.pid), loc);
            };
            let same = |closing: &Closing| matches!(closing, Closing::Join { child: c, loc: l } if *c == child && same_place(l, loc));
            let obs = ctx.ask(same, || Closing::Join { child, loc });
            ctx.copy(obs)
        })
    }
}

// A handle is the id of a process: it can be copied into closures and messages.
impl<T> Clone for JoinHandle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for JoinHandle<T> {}
impl<T> PartialEq for JoinHandle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.pid == other.pid
    }
}
impl<T> Eq for JoinHandle<T> {}
impl<T> Hash for JoinHandle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pid.hash(state);
    }
}
impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JoinHandle({:?})", self.pid)
    }
}

/// The id of the running process.
#[track_caller]
pub fn me() -> Pid {
    with_or(Ctx::pid, Ctx::pid)
}

/// Operations under a network of their own, whatever the default of the run: `on(Network::Mbox).send(to, message)`.
/// A receive takes only messages that were sent under its own network.
pub fn on(network: Network) -> Channel {
    Channel { network: Some(network) }
}

const DEFAULT: Channel = Channel { network: None };

/// Sends `message` to `to`, under the default network. Never waits.
#[track_caller]
#[inline]
pub fn send<M: Message>(to: Pid, message: M) {
    DEFAULT.send(to, message);
}

/// Tells the monitors that observe messages of this type, and nobody else.
#[track_caller]
pub fn note<M: Message>(message: M) {
    let loc = Location::caller();
    with_or(|_| (), |ctx| monitor::notify(ctx, ctx.pid(), &message, Recorded::Nothing, loc));
}

/// Tells the monitors that observe messages of this type that an operation is invoked, or returns: `message` shows the operation or the response.
#[track_caller]
pub fn record<M: Message>(what: Recorded, message: M) {
    let loc = Location::caller();
    with_or(|_| (), |ctx| monitor::notify(ctx, ctx.pid(), &message, what, loc));
}

/// Sends `message`, or loses it, as long as the run's loss budget allows.
#[track_caller]
pub fn send_lossy<M: Message>(to: Pid, message: M) {
    DEFAULT.send_lossy(to, message);
}

/// Waits for a message of type `M`; messages of other types stay where they are.
#[track_caller]
#[inline]
pub fn recv<M: Message>() -> M {
    DEFAULT.recv()
}

/// Waits for a message of type `M` for which `filter` holds; others stay where they are. The filter must depend on the message and its
/// captures only.
#[track_caller]
pub fn recv_where<M: Message>(filter: impl Fn(&M) -> bool + 'static) -> M {
    DEFAULT.recv_where(filter)
}

/// A message of type `M`, or `None`: a receive with a timer, which may always run out, even when a message is there.
#[track_caller]
pub fn recv_timeout<M: Message>() -> Option<M> {
    DEFAULT.recv_timeout()
}

/// A message of type `M` for which `filter` holds, or `None`.
#[track_caller]
pub fn recv_timeout_where<M: Message>(filter: impl Fn(&M) -> bool + 'static) -> Option<M> {
    DEFAULT.recv_timeout_where(filter)
}

/// More worlds than anybody can visit.
const MAX_OPTIONS: usize = 1 << 30;

/// Takes every option, each in a world of its own.
///
/// ```ignore
/// let votes = choose(0..3);
/// let who = choose(["alice", "bob"]);
/// ```
#[track_caller]
pub fn choose<C: Choices>(options: C) -> C::Item {
    let loc = Location::caller();
    let count = options.count();
    let answer = match count {
        1 => return options.option(0),
        0 => with(|ctx| ctx.misuse("`choose` was given nothing to choose from".to_string(), loc)),
        2..=MAX_OPTIONS => pick(count as u32, None, loc),
        _ => with(|ctx| ctx.misuse(format!("`choose` was given {count} options; it can take {MAX_OPTIONS}"), loc)),
    };
    let chosen = options.option(answer as usize);
    with_or(|_| (), |ctx| ctx.note(&chosen));
    chosen
}

/// Takes `false` in one world and `true` in another.
#[track_caller]
pub fn flip() -> bool {
    choose([false, true])
}

/// Goes on only in worlds where `condition` holds; the others are of no interest and count as blocked.
#[track_caller]
pub fn assume(condition: bool) {
    if !condition {
        let loc = Location::caller();
        with_or(|_| (), |ctx| ctx.stop(Closing::Stuck { loc }))
    }
}

#[inline]
fn pick(arity: u32, loss: Option<Pid>, loc: Loc) -> Obs {
    let same = |closing: &Closing| matches!(closing, Closing::Choose { arity: a, loss: s, loc: l } if *a == arity && *s == loss && same_place(l, loc));
    with_or(|_| 0, |ctx| ctx.ask(same, || Closing::Choose { arity, loss, loc }))
}

/// A network to send and receive on; see [`on`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    network: Option<Network>,
}

impl Channel {
    #[inline]
    fn network(self, ctx: &Ctx) -> Network {
        self.network.unwrap_or(ctx.shared.network)
    }

    /// See [`send`].
    #[track_caller]
    #[inline]
    pub fn send<M: Message>(self, to: Pid, message: M) {
        let loc = Location::caller();
        let send = |ctx: &Ctx| {
            monitor::notify(ctx, to, &message, Recorded::Nothing, loc);
            ctx.send(to, message, self.network(ctx), loc);
        };
        with_or(|_| (), send);
    }

    /// See [`send_lossy`].
    #[track_caller]
    pub fn send_lossy<M: Message>(self, to: Pid, message: M) {
        match pick(2, Some(to), Location::caller()) {
            0 => self.send(to, message),
            // Nobody gets it, but a report shows what it was.
            _ => with_or(|_| (), |ctx| ctx.note(&message)),
        }
    }

    /// See [`recv`].
    #[track_caller]
    #[inline]
    pub fn recv<M: Message>(self) -> M {
        self.receive(true, None::<fn(&M) -> bool>, Location::caller()).expect("a blocking receive gets a message")
    }

    /// See [`recv_where`].
    #[track_caller]
    pub fn recv_where<M: Message>(self, filter: impl Fn(&M) -> bool + 'static) -> M {
        self.receive(true, Some(filter), Location::caller()).expect("a blocking receive gets a message")
    }

    /// See [`recv_timeout`].
    #[track_caller]
    pub fn recv_timeout<M: Message>(self) -> Option<M> {
        self.receive(false, None::<fn(&M) -> bool>, Location::caller())
    }

    /// See [`recv_timeout_where`].
    #[track_caller]
    pub fn recv_timeout_where<M: Message>(self, filter: impl Fn(&M) -> bool + 'static) -> Option<M> {
        self.receive(false, Some(filter), Location::caller())
    }

    #[inline]
    fn receive<M: Message, F: Fn(&M) -> bool + 'static>(
        self,
        blocking: bool,
        filter: Option<F>,
        loc: Loc,
    ) -> Option<M> {
        let idle = |ctx: &Ctx| blocking.then(|| ctx.stand_in());
        with_or(idle, |ctx| {
            let network = self.network(ctx);
            let Some(message) = ctx.receive_again(network, blocking, filter.is_some(), loc) else {
                return receive_message(ctx, network, blocking, filter, loc);
            };
            // What holds a handle has something to drop; all else needs no silence.
            if std::mem::needs_drop::<F>() {
                quietly(|| drop(filter));
            }
            Some(message)
        })
    }
}

/// A receive, new or in the known past. Apart from the short way, which is to stay short.
#[inline(never)]
fn receive_message<M: Message, F: Fn(&M) -> bool + 'static>(
    ctx: &Ctx,
    network: Network,
    blocking: bool,
    filter: Option<F>,
    loc: Loc,
) -> Option<M> {
    let filter = filter.map(Rc::new);
    let obs = ask_message::<M, _>(ctx, network, blocking, filter.clone(), loc);
    let message = (obs != OBS_TIMEOUT).then(|| ctx.copy(obs));
    if let Some(filter) = filter {
        // What a filter holds and copies does not count as the program's: it is not run every time.
        quietly(|| {
            if ctx.at_newest()
                && let Some(message) = &message
            {
                // The engine has asked it already; asked here, a filter that panics fails in its own process, whether the
                // process came here just now or for the second time.
                filter(message);
            }
            drop(filter);
        });
    }
    message
}

/// Waits for the answer to a receive.
pub(crate) fn ask_message<M: Payload, P: Fn(&M) -> bool + 'static>(
    ctx: &Ctx,
    network: Network,
    blocking: bool,
    filter: Option<Rc<P>>,
    loc: Loc,
) -> Obs {
    let tag = ctx.tag::<M>();
    let same = |closing: &Closing| {
        matches!(closing, Closing::Recv { network: n, blocking: b, tag: t, loc: l, .. }
            if *n == network && *b == blocking && *t == tag && same_place(l, loc))
    };
    ctx.ask(same, || Closing::Recv {
        network,
        blocking,
        tag,
        filter: filter.map(|f| {
            let takes = Rc::new(move |any: &dyn Any| any.downcast_ref::<M>().is_some_and(|m| f(m)));
            Box::new(Filter { takes, answers: Vec::new() })
        }),
        loc,
    })
}
