//! Checks P programs and prints what is wrong with them: `cargo run --example check PATH …`.
use manyworlds_p::project::{Disk, compile};
use std::path::Path;

fn main() {
    for path in std::env::args().skip(1) {
        match compile(Path::new(&path), &Disk) {
            Err(why) => println!("{path}: {why}"),
            Ok(compiled) => {
                print!("{}", compiled.render(false));
                let tests: Vec<&str> = compiled.program.tests.iter().map(|test| &*test.instance).collect();
                println!("{path}: {} errors; tests: {}", compiled.diagnostics.errors(), tests.join(" "));
            }
        }
    }
}
