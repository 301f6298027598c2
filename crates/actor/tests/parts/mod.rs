//! An actor for tests: it sends when it starts, answers whatever comes, and remembers what it took.

use manyworlds_actor::{Actor, Context};
use manyworlds_core::Pid;

pub type Name = &'static str;

pub struct Part {
    first: Vec<(Pid, Name)>,
    answers: Vec<(Pid, Name)>,
}

/// What it sends first, and what it answers.
pub fn part(first: &[(Pid, Name)], answers: &[(Pid, Name)]) -> Part {
    Part { first: first.to_vec(), answers: answers.to_vec() }
}

impl Actor for Part {
    type State = Vec<Name>;
    type Message = Name;

    fn start(&self, ctx: &mut Context<'_>) -> Vec<Name> {
        self.first.iter().for_each(|&(to, name)| ctx.send(to, name));
        Vec::new()
    }

    fn message(&self, took: &mut Vec<Name>, _: Pid, name: &Name, ctx: &mut Context<'_>) {
        took.push(name);
        self.answers.iter().for_each(|&(to, name)| ctx.send(to, name));
    }
}
