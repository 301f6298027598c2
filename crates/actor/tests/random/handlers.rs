//! What handlers do, read off the tables.

use super::table::{Cost, Deed, Entry, Local, TAGS, Table, To};
use super::world::{Being, Life};
use std::collections::BTreeSet;

/// What a handler reacts to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    Start,
    Message(usize, u8),
    Timer(usize),
    Restart,
    /// Not a handler, but user code says what survives.
    Crash,
}

/// What a handler does.
pub struct Effect {
    pub local: Local,
    pub timers: BTreeSet<usize>,
    pub sends: Vec<(usize, u8)>,
}

/// The run of a handler: the answers to its choices and what came of it, or the words with which it failed.
pub type Run = (Vec<u32>, Result<Effect, String>);

/// A handler run as the locals table knows it: actor, situation, input, answers.
pub type RunKey = (usize, Life, BTreeSet<usize>, Input, Vec<u32>);

/// All runs of a handler.
pub fn runs(table: &Table, me: usize, being: &Being, input: Input) -> Vec<Run> {
    let before = match being.life {
        Life::Up(local) | Life::Down(Some(local)) => local,
        Life::New | Life::Down(None) => Local { at: 0, fuel: table.fuel },
    };
    let row = &table.rows[usize::from(before.at)];
    let mut timers = being.timers.clone();
    let (entry, from, free): (&Entry, usize, bool) = match (input, being.life) {
        (Input::Message(from, tag), _) => (&row[usize::from(tag)], from, false),
        (Input::Timer(timer), _) => {
            timers.remove(&timer);
            (&row[TAGS + timer], me, false)
        }
        (Input::Restart, Life::Down(Some(_))) => (&table.restart, me, false),
        _ => (&table.start, me, true),
    };
    if entry.is_empty() || (table.cost == Cost::Steps && !free && before.fuel == 0) {
        return vec![(vec![], Ok(Effect { local: before, timers, sends: vec![] }))];
    }
    let mut all = Vec::new();
    for (i, list) in entry.iter().enumerate() {
        for (j, deed) in list.iter().enumerate() {
            all.push((vec![i as u32, j as u32], run(table, deed, before, timers.clone(), me, from, free)));
        }
    }
    all
}

fn run(
    table: &Table,
    deed: &Deed,
    before: Local,
    mut timers: BTreeSet<usize>,
    me: usize,
    from: usize,
    free: bool,
) -> Result<Effect, String> {
    if deed.fails {
        return Err(format!("deed {}", deed.next));
    }
    let enough = table.cost == Cost::Steps || deed.sends.len() <= usize::from(before.fuel);
    let sends: Vec<(usize, u8)> =
        deed.sends.iter().filter(|_| enough).map(|&(to, tag)| (who(to, me, from), tag)).collect();
    let price = if table.cost == Cost::Sends { sends.len() as u8 } else { u8::from(!free) };
    if let Some(timer) = deed.cancel {
        timers.remove(&timer);
    }
    timers.extend(deed.set);
    Ok(Effect { local: Local { at: deed.next, fuel: before.fuel - price }, timers, sends })
}

fn who(to: To, me: usize, from: usize) -> usize {
    match to {
        To::Actor(n) => n,
        To::Sender => from,
        To::Me => me,
    }
}
