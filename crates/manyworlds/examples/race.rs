//! The shortest command line, as the README shows it: `cargo run -p manyworlds --example race -- check race`.

use manyworlds::models::{Build, Model};
use manyworlds::prelude::*;

fn race() {
    let referee = me();
    for name in ["alice", "bob"] {
        process(name).spawn(move || send(referee, name));
    }
    let _winner: &str = recv();
}

const RACE: Model =
    Model { name: "race", summary: "who is first?", params: &[], build: Build::Program(|_| Ok(Program::new(race))) };
manyworlds::cli![RACE]; // cargo run -- check race --html race.html
