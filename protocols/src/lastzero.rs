//! `lastzero`: cells 0 to `n` are initially zero. Writer `j` of `n` reads cell `j - 1` and writes the value plus one to cell `j`;
//! a reader searches for the last zero, from cell `n` downwards. Cell 0 is never written, so the reader always finds a zero; no
//! cell ever holds more than its index. The number of inequivalent orders of reads and writes grows exponentially, and most
//! pairs of steps are independent: a standard benchmark of partial-order reduction.
//!
//! Cells are actors, too: a read sends a request and waits for the reply; a write sends a message.
//!
//! `lastzero-bug`: the reader stops before cell 0. If every writer has finished before, the reader finds no zero.

use crate::{Build, Model, Param};
use manyworlds::Pid;
use manyworlds::actor::{Actor, Address, Context, Handle, System};

const PARAMS: &[Param] = &[Param::int("n", 4, 1..=31, "writers")];

/// The model `lastzero`.
pub const MODEL: Model = Model {
    name: "lastzero",
    summary: "each of n writers reads a cell and writes the next; a reader searches for the last zero",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), 0))),
};

/// The model `lastzero-bug`, with a seeded bug.
pub const BUG: Model = Model {
    name: "lastzero-bug",
    summary: "the reader stops before cell 0: it may find no zero",
    params: PARAMS,
    build: Build::Actors(|params| Ok(system(params.int("n"), 1))),
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Message {
    Read,
    Write(usize),
    Value(usize),
}

struct Cell;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Content(usize);

impl Actor for Cell {
    type State = Content;
    type Message = Message;

    fn start(&self, _: &mut Context<'_>) -> Content {
        Content(0)
    }

    fn message(&self, content: &mut Content, from: Pid, message: &Message, ctx: &mut Context<'_>) {
        match *message {
            Message::Read => ctx.send(from, Message::Value(content.0)),
            Message::Write(value) => content.0 = value,
            Message::Value(_) => unreachable!("values are not sent to cells"),
        }
    }
}

/// Reads one cell, then writes the next.
struct Writer {
    reads: Address<Message>,
    writes: Address<Message>,
}

impl Actor for Writer {
    type State = ();
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) {
        ctx.send(self.reads, Message::Read);
    }

    fn message(&self, (): &mut (), _: Pid, message: &Message, ctx: &mut Context<'_>) {
        let Message::Value(value) = message else { unreachable!("only cells send to writers") };
        ctx.send(self.writes, Message::Write(value + 1));
    }
}

/// Searches for the last zero in `cells`, from the last cell down to `lowest`.
struct Reader {
    cells: Vec<Address<Message>>,
    lowest: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Search {
    At(usize),
    Found(usize),
    NotFound,
}

impl Actor for Reader {
    type State = Search;
    type Message = Message;

    fn start(&self, ctx: &mut Context<'_>) -> Search {
        let last = self.cells.len() - 1;
        ctx.send(self.cells[last], Message::Read);
        Search::At(last)
    }

    fn message(&self, search: &mut Search, _: Pid, message: &Message, ctx: &mut Context<'_>) {
        let (&Message::Value(value), &mut Search::At(i)) = (message, &mut *search) else {
            unreachable!("the reader waits for one value at a time")
        };
        *search = match value {
            0 => Search::Found(i),
            _ if i == self.lowest => Search::NotFound,
            _ => {
                ctx.send(self.cells[i - 1], Message::Read);
                Search::At(i - 1)
            }
        };
    }
}

fn system(n: usize, lowest: usize) -> System {
    let mut system = System::new();
    let cells: Vec<_> = (0..=n).map(|i| system.add(format!("cell {i}"), Cell)).collect();
    let writer = |j: usize| Writer { reads: cells[j - 1].address(), writes: cells[j].address() };
    let writers: Vec<_> = (1..=n).map(|j| system.add(format!("writer {j}"), writer(j))).collect();
    let reader = system.add("reader", Reader { cells: cells.iter().map(|cell| cell.address()).collect(), lowest });
    // Cell i replies to the writer of cell i + 1, if there is one, and to the reader.
    for (i, &cell) in cells.iter().enumerate() {
        system =
            system.sends_only_to(cell, writers.get(i).map(|writer| writer.pid()).into_iter().chain([reader.pid()]));
    }
    for (pair, &writer) in cells.windows(2).zip(&writers) {
        system = system.sends_only_to(writer, pair.iter().copied());
    }
    let written = cells.clone();
    system
        .sends_only_to(reader, cells.iter().copied())
        .always_stable("no cell holds more than its number", move |view| {
            let holds = |(i, &cell): (usize, &Handle<Cell>)| view.state(cell).is_none_or(|content| content.0 <= i);
            cells.iter().enumerate().all(holds)
        })
        .at_rest("every writer has written", move |view| {
            written
                .iter()
                .enumerate()
                .all(|(i, &cell)| view.state(cell).is_some_and(|content| content.0 > 0) == (i > 0))
        })
        .at_rest_of(reader, "the reader has found a zero", |search| matches!(search, Search::Found(_)))
}
