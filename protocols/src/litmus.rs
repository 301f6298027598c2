//! `litmus`: small message-passing programs, written on one line, to count executions.
//!
//! Threads are separated by `|` and numbered from 0; operations are separated by spaces.
//!
//! | operation | meaning |
//! |---|---|
//! | `sD.T` | send tag `T` to thread `D` |
//! | `r`, `rT` | blocking receive of any tag, or of tag `T` only |
//! | `n`, `nT` | the same, but it may always time out |
//! | `cN` | choose a value 0..N−1 |
//! | `OP@M` | use network `M` for the operation: `a`syn, `p`2p, `c`d or m`b`ox |
//! | `G?OP` | execute the operation only if the last observed value was `G`; a timeout clears that value |

use crate::{Build, Model, Param};
use manyworlds::prelude::*;
use manyworlds::{Channel, Engine};
use std::sync::Arc;
use thiserror::Error;

/// A syntax error in a litmus program.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("thread {thread}, operation {operation} (`{text}`): {problem}")]
pub struct LitmusError {
    /// The thread, from 0.
    pub thread: usize,
    /// The operation in the thread, from 1.
    pub operation: usize,
    /// The operation as written.
    pub text: String,
    /// The problem, and what was expected.
    pub problem: String,
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Send a tag to a thread.
    Send(u16, u32),
    /// Receive any tag or one tag only; blocking or not.
    Recv(Option<u32>, bool),
    /// Choose among this number of values.
    Choose(u32),
}

/// An operation with its guard and its network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guarded {
    guard: Option<u32>,
    op: Op,
    network: Option<Network>,
}

/// A litmus program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Litmus {
    threads: Vec<Vec<Guarded>>,
}

impl Litmus {
    /// Parses a program.
    pub fn parse(text: &str) -> Result<Litmus, LitmusError> {
        let count = text.split('|').count();
        let parse_thread = |(thread, ops): (usize, &str)| {
            ops.split_whitespace()
                .enumerate()
                .map(|(i, op)| {
                    let error = |problem| LitmusError { thread, operation: i + 1, text: op.to_string(), problem };
                    parse_guarded(op, count).map_err(error)
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let threads = text.split('|').enumerate().map(parse_thread).collect::<Result<Vec<_>, _>>()?;
        Ok(Litmus { threads })
    }

    /// The program to check. Executions in which a thread is blocked forever are counted, not reported.
    pub fn program(&self) -> Program {
        let mut program = Program::empty().deadlock(Deadlock::Allow);
        for (t, ops) in self.threads.iter().enumerate() {
            let ops: Arc<[Guarded]> = ops.clone().into();
            program = program.process(format!("T{t}"), move || run(&ops));
        }
        program
    }

    /// The numbers of complete and of blocked executions under `network`.
    pub fn count(&self, network: Network, engine: Engine) -> (u64, u64) {
        let answer = check(self.program()).network(network).engine(engine).run();
        let stats = answer.expect("both engines run programs").outcome.stats;
        (stats.executions.unwrap_or(0), stats.blocked.unwrap_or(0))
    }
}

fn run(ops: &[Guarded]) {
    let mut last = None;
    for Guarded { guard, op, network } in ops {
        if guard.is_some() && *guard != last {
            continue;
        }
        last = match *op {
            Op::Send(to, tag) => {
                match network {
                    Some(network) => on(*network).send(Pid::root(to), tag),
                    None => send(Pid::root(to), tag),
                }
                last
            }
            Op::Recv(tag, blocking) => receive(network.map(on), tag, blocking),
            Op::Choose(arity) => Some(choose(0..arity)),
        };
    }
}

fn receive(channel: Option<Channel>, tag: Option<u32>, blocking: bool) -> Option<u32> {
    match (channel, tag, blocking) {
        (None, None, true) => Some(recv()),
        (None, None, false) => recv_timeout(),
        (None, Some(tag), true) => Some(recv_where(move |t| *t == tag)),
        (None, Some(tag), false) => recv_timeout_where(move |t| *t == tag),
        (Some(on), None, true) => Some(on.recv()),
        (Some(on), None, false) => on.recv_timeout(),
        (Some(on), Some(tag), true) => Some(on.recv_where(move |t| *t == tag)),
        (Some(on), Some(tag), false) => on.recv_timeout_where(move |t| *t == tag),
    }
}

fn parse_guarded(text: &str, threads: usize) -> Result<Guarded, String> {
    let (guard, rest) = match text.split_once('?') {
        Some((guard, rest)) => (Some(number(guard, "a guard is a number before `?`")?), rest),
        None => (None, text),
    };
    let (op, network) = match rest.split_once('@') {
        Some((op, network)) => (op, Some(parse_network(network)?)),
        None => (rest, None),
    };
    Ok(Guarded { guard, op: parse_op(op, threads)?, network })
}

fn parse_network(text: &str) -> Result<Network, String> {
    match text {
        "a" => Ok(Network::Asyn),
        "p" => Ok(Network::P2p),
        "c" => Ok(Network::Cd),
        "b" => Ok(Network::Mbox),
        _ => Err(format!("unknown network `@{text}`; expected @a, @p, @c or @b")),
    }
}

fn parse_op(text: &str, threads: usize) -> Result<Op, String> {
    let Some(kind) = text.chars().next() else {
        return Err("an operation is missing; expected sD.T, r, n or cN".to_string());
    };
    let rest = &text[kind.len_utf8()..];
    match kind {
        's' => {
            let (to, tag) = rest.split_once('.').ok_or("a send is written sD.T, as in s1.0")?;
            let to = number(to, "a send is written sD.T, as in s1.0")?;
            if to as usize >= threads {
                return Err(format!("there is no thread {to}; the program has {threads}"));
            }
            Ok(Op::Send(to as u16, number(tag, "a send is written sD.T, as in s1.0")?))
        }
        'r' | 'n' => {
            let tag = if rest.is_empty() { None } else { Some(number(rest, "a receive is written r, rT, n or nT")?) };
            Ok(Op::Recv(tag, kind == 'r'))
        }
        'c' => match number(rest, "a choice is written cN, as in c2")? {
            0 => Err("a choice needs at least one option".to_string()),
            arity => Ok(Op::Choose(arity)),
        },
        _ => Err("unknown operation; expected sD.T, r, rT, n, nT or cN".to_string()),
    }
}

fn number(text: &str, expected: &str) -> Result<u32, String> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(n) if digits && n < 1 << 16 => Ok(n),
        _ => Err(format!("`{text}` is no number below 65536; {expected}")),
    }
}

/// The model `litmus`.
pub const MODEL: Model = Model {
    name: "litmus",
    summary: "a small message-passing program written on one line, to count executions",
    params: &[Param::text("program", "s1.0 s1.1 | r r", "threads separated by `|`, operations sD.T, r, rT, n, nT, cN")],
    build: Build::Program(|params| {
        Litmus::parse(params.text("program"))
            .map(|litmus| litmus.program())
            .map_err(|e| format!("parameter `program`: {e}"))
    }),
};
