//! Compares the order of appends inferred from reads of texts with the definition of linearizability: a search through all orders over plain texts, which
//! shares no code with the checker.

use manyworlds_core::random::SplitMix64;
use manyworlds_linear::specs::Map;
use manyworlds_linear::specs::map::{Operation as Access, Response as Reply};
use manyworlds_linear::{
    Call, CheckOptions, History, Judgement, Object, Operation, Recorded, Seen, Spec, Value, check_with,
};
use manyworlds_testkit::{cases, seed_of};
use std::collections::{BTreeMap, HashSet};

type Op = Operation<Access<u8, String>, Reply<String>>;
type Texts = BTreeMap<u8, String>;

/// The random choices of a test.
struct Random(SplitMix64);

impl Random {
    fn of(test: &str) -> Random {
        Random(SplitMix64::new(seed_of(test)))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// The parameters of random histories.
struct Style {
    /// The texts to choose from; `None` if all texts are different, and none is a part of another.
    texts: Option<&'static [&'static str]>,
    keys: usize,
    puts: usize,
    deletes: usize,
    corrupted: usize,
}

const STYLES: [Style; 6] = [
    Style { texts: None, keys: 1, puts: 20, deletes: 0, corrupted: 20 },
    Style { texts: None, keys: 2, puts: 50, deletes: 10, corrupted: 40 },
    Style { texts: None, keys: 1, puts: 0, deletes: 0, corrupted: 30 },
    Style { texts: Some(&["a", "b", "ab", "ba", "aa"]), keys: 1, puts: 20, deletes: 5, corrupted: 20 },
    Style { texts: Some(&["a", "b", "c", "", "bc", "ca"]), keys: 1, puts: 25, deletes: 5, corrupted: 30 },
    Style { texts: Some(&["a", "b", "c", "d", "e", "f", "g", "aa", ""]), keys: 2, puts: 15, deletes: 5, corrupted: 30 },
];

/// The specification: applies one operation to plain texts.
fn apply(state: &mut Texts, operation: &Access<u8, String>) -> Reply<String> {
    match operation {
        Access::Get(key) => return Reply::Got(state.get(key).cloned()),
        Access::Put(key, text) => drop(state.insert(*key, text.clone())),
        Access::Append(key, text) => state.entry(*key).or_default().push_str(text),
        Access::Delete(key) => drop(state.remove(key)),
    }
    Reply::Done
}

/// A history of a correct map with up to eight operations, with some responses changed.
fn generate(random: &mut Random, style: &Style) -> Vec<Op> {
    let processes = 2 + random.below(4);
    let most = 3 + random.below(6);
    let mut state = Texts::new();
    let mut operations: Vec<Op> = Vec::new();
    let mut open: Vec<Option<(usize, Option<Reply<String>>)>> = vec![None; processes];
    let mut seen: Vec<Reply<String>> = vec![Reply::Got(None), Reply::Got(Some("ab".into()))];
    for time in 0..60 {
        let process = random.below(processes);
        match open[process].take() {
            None if operations.len() == most => {}
            None => {
                let operation = operation(random, style, operations.len());
                let effect = random.percent(50).then(|| apply(&mut state, &operation));
                open[process] = Some((operations.len(), effect));
                operations.push(Op { process, operation, invoked: time, returned: None, response: None });
            }
            // The operation stays pending.
            Some(_) if random.percent(8) => {}
            Some((number, effect)) => {
                let response = effect.unwrap_or_else(|| apply(&mut state, &operations[number].operation));
                operations[number].returned = Some(time);
                let is_get = matches!(operations[number].operation, Access::Get(_));
                operations[number].response = match is_get && random.percent(style.corrupted) {
                    _ if random.percent(4) => None,
                    true => Some(corrupted(random, &response, &seen)),
                    false => Some(response.clone()),
                };
                seen.extend(is_get.then_some(response));
            }
        }
    }
    operations
}

fn operation(random: &mut Random, style: &Style, number: usize) -> Access<u8, String> {
    let key = random.below(style.keys) as u8;
    let text = match style.texts {
        Some(texts) => random.pick(texts).to_string(),
        None => format!("<{number}>"),
    };
    match random.below(100) {
        kind if kind < 40 => Access::Get(key),
        kind if kind < 40 + style.puts => Access::Put(key, text),
        kind if kind < 40 + style.puts + style.deletes => Access::Delete(key),
        _ => Access::Append(key, text),
    }
}

/// A changed response: an older one, one without its end or its beginning, or one with a repeated part.
fn corrupted(random: &mut Random, response: &Reply<String>, seen: &[Reply<String>]) -> Reply<String> {
    match (response, random.below(4)) {
        (Reply::Got(Some(text)), kind @ 1..) => {
            let at = random.below(text.len() + 1);
            let (start, end) = text.split_at(at);
            Reply::Got(Some(match kind {
                1 => start.to_string(),
                2 => end.to_string(),
                _ => format!("{end}{start}"),
            }))
        }
        _ => random.pick(seen).clone(),
    }
}

/// Whether some order explains the history; with `reversed`, one in which the second of these operations comes before the first.
fn is_linearizable(operations: &[Op], reversed: Option<(usize, usize)>) -> bool {
    place(operations, &mut vec![false; operations.len()], &Texts::new(), reversed, &mut HashSet::new())
}

fn place(
    operations: &[Op],
    placed: &mut Vec<bool>,
    state: &Texts,
    reversed: Option<(usize, usize)>,
    failed: &mut HashSet<(Vec<bool>, Texts)>,
) -> bool {
    if operations.iter().zip(&*placed).all(|(operation, placed)| *placed || operation.is_pending()) {
        return true;
    }
    if failed.contains(&(placed.clone(), state.clone())) {
        return false;
    }
    for at in 0..operations.len() {
        let is_early = |other: usize| !placed[other] && operations[other].precedes(&operations[at]);
        let is_reversed = reversed.is_some_and(|(first, second)| at == first && !placed[second]);
        if placed[at] || is_reversed || (0..operations.len()).any(is_early) {
            continue;
        }
        let mut after = state.clone();
        let response = apply(&mut after, &operations[at].operation);
        if operations[at].response.as_ref().is_some_and(|seen| *seen != response) {
            continue;
        }
        placed[at] = true;
        if place(operations, placed, &after, reversed, failed) {
            return true;
        }
        placed[at] = false;
    }
    failed.insert((placed.clone(), state.clone()));
    false
}

/// Whether this order explains the history.
fn explains(operations: &[Op], order: &[usize]) -> bool {
    let mut state = Texts::new();
    let fits = |&number: &usize| {
        let response = apply(&mut state, &operations[number].operation);
        operations[number].response.as_ref().is_none_or(|seen| *seen == response)
    };
    let mut place_of = vec![None; operations.len()];
    order.iter().enumerate().for_each(|(place, &number)| place_of[number] = Some(place));
    let complete = (0..operations.len()).all(|number| place_of[number].is_some() || operations[number].is_pending());
    let late = |&(at, number): &(usize, &usize)| {
        order[..at].iter().any(|&earlier| operations[*number].precedes(&operations[earlier]))
    };
    let once = order.iter().collect::<HashSet<_>>().len() == order.len();
    complete && once && !order.iter().enumerate().any(|item| late(&item)) && order.iter().all(fits)
}

fn seen(op: &Op) -> Seen<'_, Access<u8, String>, Reply<String>> {
    Seen { operation: &op.operation, response: op.response.as_ref(), invoked: op.invoked, returned: op.returned }
}

#[derive(Default, Debug)]
struct Compared {
    linearizable: usize,
    not: usize,
    pairs: usize,
    contradictions: usize,
    proposals: usize,
}

#[test]
fn verdicts_and_claims_are_those_of_the_definition() {
    let mut random = Random::of("maps of texts");
    let cases = cases(4_000) as usize;
    for (number, style) in STYLES.iter().enumerate() {
        let mut compared = Compared::default();
        for case in 0..cases {
            let operations = generate(&mut random, style);
            let wanted = is_linearizable(&operations, None);
            compare(&operations, wanted, &mut compared, &format!("style {number}, case {case}"));
        }
        println!("style {number}: {compared:?}");
        assert_eq!(compared.linearizable + compared.not, cases);
        let enough = |count: usize, of: usize| of * count > cases;
        assert!(enough(compared.linearizable, 5) && enough(compared.not, 30), "style {number}: {compared:?}");
        assert!(
            enough(compared.pairs, 80) && enough(compared.contradictions, 200) && enough(compared.proposals, 40),
            "style {number}: {compared:?}"
        );
    }
}

fn compare(operations: &[Op], wanted: bool, compared: &mut Compared, case: &str) {
    let history = History::from_operations(operations.to_vec());
    let spec = Map::new();
    for split in [true, false] {
        let answer = check_with(&spec, &history, &CheckOptions { split, explain: false, ..CheckOptions::default() });
        match answer.verdict {
            Judgement::Consistent(order) => assert!(wanted && explains(operations, &order), "{case}: {operations:#?}"),
            Judgement::Violated(_) => assert!(!wanted, "{case}: {operations:#?}"),
            Judgement::Incomplete(reason) => panic!("{case}: {reason:?}"),
        }
    }
    *if wanted { &mut compared.linearizable } else { &mut compared.not } += 1;
    let seen: Vec<_> = operations.iter().map(seen).collect();
    for (first, second) in Spec::precedence(&spec, &seen) {
        if first == second {
            assert!(!wanted, "{case}: {first} is a contradiction: {operations:#?}");
            assert!(operations[first].returned.is_some(), "{case}");
            compared.contradictions += 1;
        } else {
            assert!(!is_linearizable(operations, Some((first, second))), "{case}: {first} {second} {operations:#?}");
            compared.pairs += usize::from(wanted);
        }
    }
    if let Some(order) = Spec::proposal(&spec, &seen) {
        compared.proposals += usize::from(explains(operations, &order));
    }
}

/// Recorded histories have an initial value: nil, or a text. The definition starts with a put of it at every key, before everything else; deleting a key
/// is such a put.
#[test]
fn recorded_maps_start_with_their_initial_value() {
    let mut random = Random::of("recorded maps of texts");
    let cases = cases(6_000) as usize;
    let (mut linearizable, mut not) = (0, 0);
    for case in 0..cases {
        let style = &STYLES[case % STYLES.len()];
        let initial = [None, Some(""), Some("a"), Some("<0>")][random.below(4)];
        let mut operations = generate(&mut random, style);
        // Simulates the initial value.
        for operation in &mut operations {
            if let Some(Reply::Got(Some(text))) = &mut operation.response
                && random.percent(70)
            {
                text.insert_str(0, initial.unwrap_or(""));
            }
        }
        let wanted = is_linearizable_from(&operations, initial, style.keys);
        for split in [true, false] {
            let options = CheckOptions { split, explain: false, ..CheckOptions::default() };
            let initial = initial.map_or(Value::Nil, |text| Value::Str(text.to_string()));
            let answer = Object::Kv.check(&recorded(&operations), Some(&initial), &options).unwrap();
            assert_eq!(answer.is_linearizable(), wanted, "case {case}, initially {initial}: {operations:#?}");
        }
        *if wanted { &mut linearizable } else { &mut not } += 1;
    }
    assert_eq!(linearizable + not, cases);
    assert!(6 * linearizable > cases && 6 * not > cases, "{linearizable} {not}");
}

/// The definition for a map that initially holds `initial` at every key: a delete puts `initial`. If `initial` is a text, no key is ever nil, so a read of nil
/// becomes a read of a text that is never written. If it is nil, nil is the value of a key to which no text was put or appended.
fn is_linearizable_from(operations: &[Op], initial: Option<&str>, keys: usize) -> bool {
    let Some(initial) = initial else { return is_linearizable(operations, None) };
    let put = |key: u8| Op {
        process: 1000 + usize::from(key),
        operation: Access::Put(key, initial.to_string()),
        invoked: 0,
        returned: Some(1),
        response: Some(Reply::Done),
    };
    let later = |op: &Op| {
        let operation = match &op.operation {
            Access::Delete(key) => Access::Put(*key, initial.to_string()),
            operation => operation.clone(),
        };
        let response = match &op.response {
            Some(Reply::Got(None)) => Some(Reply::Got(Some("?".to_string()))),
            response => response.clone(),
        };
        Op { operation, response, invoked: op.invoked + 2, returned: op.returned.map(|at| at + 2), ..op.clone() }
    };
    let all: Vec<Op> = (0..keys as u8).map(put).chain(operations.iter().map(later)).collect();
    is_linearizable(&all, None)
}

fn recorded(operations: &[Op]) -> Recorded {
    let text = |text: &String| Value::Str(text.clone());
    let call = |op: &Op| {
        let (name, value) = match &op.operation {
            Access::Get(_) => ("get", Value::Nil),
            Access::Put(_, value) => ("put", text(value)),
            Access::Append(_, value) => ("append", text(value)),
            Access::Delete(_) => ("delete", Value::Nil),
        };
        let response = op.response.as_ref().map(|response| match response {
            Reply::Got(Some(value)) => text(value),
            Reply::Got(None) | Reply::Done => Value::Nil,
        });
        Operation {
            process: op.process,
            operation: Call { name: name.to_string(), key: Some(Value::Int((*op.operation.key()).into())), value },
            invoked: op.invoked,
            returned: op.returned,
            response,
        }
    };
    Recorded { history: History::from_operations(operations.iter().map(call).collect()), ..Recorded::default() }
}
