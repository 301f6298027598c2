//! An actor for tests: it sends fixed messages when it starts and as replies to each message, and stores the messages that it received.

use manyworlds_actor::{Actor, Context};
use manyworlds_core::Pid;

pub type Name = &'static str;

pub struct Scripted {
    first: Vec<(Pid, Name)>,
    replies: Vec<(Pid, Name)>,
}

/// An actor with the messages that it sends at its start, and those that it sends as replies.
pub fn scripted(first: &[(Pid, Name)], replies: &[(Pid, Name)]) -> Scripted {
    Scripted { first: first.to_vec(), replies: replies.to_vec() }
}

impl Actor for Scripted {
    type State = Vec<Name>;
    type Message = Name;

    fn start(&self, ctx: &mut Context<'_>) -> Vec<Name> {
        self.first.iter().for_each(|&(to, name)| ctx.send(to, name));
        Vec::new()
    }

    fn message(&self, took: &mut Vec<Name>, _: Pid, name: &Name, ctx: &mut Context<'_>) {
        took.push(name);
        self.replies.iter().for_each(|&(to, name)| ctx.send(to, name));
    }
}
