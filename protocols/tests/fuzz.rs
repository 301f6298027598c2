//! Fuzz tests: no input makes the parsers of litmus programs, parameters or names panic or hang.

use manyworlds::{Engine, Network, check};
use manyworlds_protocols::{find, litmus::Litmus, models};
use manyworlds_testkit::Fuzz;

#[test]
fn litmus_programs() {
    let samples = ["s1.0 s1.1 | r r", "s0.1 s2.0 s1.1 r | s2.0 r | r s0.0", "c2 0?s1.1 1?s1.2@b | r1 n2 | n"];
    let words = [
        "s", "r", "n", "c", "?", "@", "|", ".", " ", "0", "1", "2", "s1.0", "r0", "asyn", "p2p", "cd", "mbox", "@b",
        "@p", "\t", "\u{a0}",
    ];
    let fuzz = Fuzz::new("litmus programs", 4_000).samples(samples).words(words);
    let fuzzed = fuzz.run(
        |input| {
            let text = String::from_utf8_lossy(input);
            let litmus = Litmus::parse(&text).map_err(|error| error.to_string())?;
            // Short programs are also checked.
            if text.len() < 60 {
                check(litmus.program()).network(Network::Mbox).max_executions(20).run().expect("must runs programs");
            }
            Ok(())
        },
        |why| why.contains("thread ") && why.contains("operation "),
    );
    fuzzed.at_least(10, 20);
}

/// Lines of a model name and `name=value` pairs, as on the command line.
#[test]
fn parameters() {
    let names = models().iter().flat_map(|model| model.params).map(|param| format!("{}=", param.name));
    let samples = models().iter().map(|model| {
        let params: Vec<String> =
            model.params.iter().map(|param| format!("{}={}", param.name, param.default())).collect();
        format!("{} {}", model.name, params.join(" ").replace('"', ""))
    });
    let words = ["=", " ", "0", "1", "2", "-1", "18446744073709551615", "all", "yes", "none"].map(String::from);
    let fuzz = Fuzz::new("parameters of models", 4_000).samples(samples).words(names.chain(words));
    let fuzzed = fuzz.run(
        |input| {
            let text = String::from_utf8_lossy(input);
            let mut given = text.split(' ').filter(|word| !word.is_empty());
            let name = given.next().unwrap_or_default();
            let model = find(name).ok_or_else(|| format!("model `{name}`"))?;
            let params = model.params(given.map(|pair| pair.split_once('=').unwrap_or((pair, ""))))?;
            model.subject(&params).map(drop)
        },
        |why| why.contains('`'),
    );
    fuzzed.at_least(10, 20);
}

#[test]
fn names() {
    let samples = ["must", "brute", "bfs", "dfs", "random", "asyn", "p2p", "cd", "mbox", "auto"];
    let fuzzed = Fuzz::new("names of engines and networks", 2_000).samples(samples).words(samples).run(
        |input| {
            let text = String::from_utf8_lossy(input);
            let engine = text.parse::<Engine>().map(drop).map_err(|error| error.to_string());
            let is_name = text.parse::<Engine>().is_ok() | text.parse::<Network>().is_ok();
            if is_name { Ok(()) } else { engine }
        },
        |why| why.contains('`'),
    );
    fuzzed.at_least(5, 50);
}
