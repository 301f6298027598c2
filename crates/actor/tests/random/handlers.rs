//! The effects of handlers, computed from the tables.

use super::table::{Alternative, Cost, Entry, Local, TAGS, Table, To};
use super::world::{ActorState, Status};
use std::collections::BTreeSet;

/// An input of a handler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    Start,
    Message(usize, u8),
    Timer(usize),
    Restart,
    /// Not a handler: user code computes the part of the state that survives.
    Crash,
}

/// The effect of a handler.
pub struct Effect {
    pub local: Local,
    pub timers: BTreeSet<usize>,
    pub sends: Vec<(usize, u8)>,
}

/// A run of a handler: the options taken at its choices, and its effect or the message of its failure.
pub type Run = (Vec<u32>, Result<Effect, String>);

/// The arguments of a handler run: actor, status, timers, input, options.
pub type RunKey = (usize, Status, BTreeSet<usize>, Input, Vec<u32>);

/// All runs of a handler.
pub fn runs(table: &Table, me: usize, actor: &ActorState, input: Input) -> Vec<Run> {
    let before = match actor.status {
        Status::Up(local) | Status::Down(Some(local)) => local,
        Status::New | Status::Down(None) => Local { at: 0, fuel: table.fuel },
    };
    let row = &table.rows[usize::from(before.at)];
    let mut timers = actor.timers.clone();
    let (entry, from, free): (&Entry, usize, bool) = match (input, actor.status) {
        (Input::Message(from, tag), _) => (&row[usize::from(tag)], from, false),
        (Input::Timer(timer), _) => {
            timers.remove(&timer);
            (&row[TAGS + timer], me, false)
        }
        (Input::Restart, Status::Down(Some(_))) => (&table.restart, me, false),
        _ => (&table.start, me, true),
    };
    if entry.is_empty() || (table.cost == Cost::Steps && !free && before.fuel == 0) {
        return vec![(vec![], Ok(Effect { local: before, timers, sends: vec![] }))];
    }
    let mut all = Vec::new();
    for (i, list) in entry.iter().enumerate() {
        for (j, alternative) in list.iter().enumerate() {
            all.push((vec![i as u32, j as u32], run(table, alternative, before, timers.clone(), me, from, free)));
        }
    }
    all
}

fn run(
    table: &Table,
    alternative: &Alternative,
    before: Local,
    mut timers: BTreeSet<usize>,
    me: usize,
    from: usize,
    free: bool,
) -> Result<Effect, String> {
    if alternative.fails {
        return Err(format!("alternative {}", alternative.next));
    }
    let enough = table.cost == Cost::Steps || alternative.sends.len() <= usize::from(before.fuel);
    let sends: Vec<(usize, u8)> =
        alternative.sends.iter().filter(|_| enough).map(|&(to, tag)| (who(to, me, from), tag)).collect();
    let price = if table.cost == Cost::Sends { sends.len() as u8 } else { u8::from(!free) };
    if let Some(timer) = alternative.cancel {
        timers.remove(&timer);
    }
    timers.extend(alternative.set);
    Ok(Effect { local: Local { at: alternative.next, fuel: before.fuel - price }, timers, sends })
}

fn who(to: To, me: usize, from: usize) -> usize {
    match to {
        To::Actor(n) => n,
        To::Sender => from,
        To::Me => me,
    }
}
