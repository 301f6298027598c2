//! Tests of special cases in the readers: keys, repeated values, entries of other actors, files of other formats.

use manyworlds_core::{TraceHistory, TraceOperation, TraceValue, ValueTree};
use manyworlds_linear::formats::{Format, json, trace};
use manyworlds_linear::{Answer, Call, CheckOptions, Consistency, Event, Object, Recorded, Value};
use manyworlds_testkit::random;
use proptest::prelude::*;

fn read(text: &str) -> Recorded {
    Format::recognize(text).unwrap().read(text).unwrap_or_else(|bad| panic!("{bad}\n{text}"))
}

fn check(object: Object, recorded: &Recorded) -> Answer {
    object.check(recorded, None, &CheckOptions::default()).unwrap()
}

/// The error message for a text, with its line.
fn complaint(format: Format, text: &str) -> String {
    format.read(text).unwrap_err().to_string()
}

fn edn(entries: &[(usize, &str, &str, &str)]) -> String {
    let entry = |(process, kind, name, rest): &(usize, &str, &str, &str)| {
        format!("{{:process {process}, :type :{kind}, :f :{name}, {rest}}}\n")
    };
    entries.iter().map(entry).collect()
}

/// Writes 1 to a, then 2 to b, then reads `read` from a.
fn two_keys(read: usize) -> String {
    let read = format!(":key \"a\", :value {read}");
    edn(&[
        (0, "invoke", "write", ":key \"a\", :value 1"),
        (0, "ok", "write", ":key \"a\", :value 1"),
        (0, "invoke", "write", ":key \"b\", :value 2"),
        (0, "ok", "write", ":key \"b\", :value 2"),
        (1, "invoke", "read", ":key \"a\", :value nil"),
        (1, "ok", "read", &read),
    ])
}

#[test]
fn each_key_is_a_separate_object() {
    for (value, expected) in [(1, true), (2, false)] {
        let text = two_keys(value);
        for format in [Format::Knossos, Format::Kv] {
            let recorded = format.read(&text).unwrap();
            for object in [Object::Register, Object::CasRegister, Object::MultiRegister] {
                let answer = check(object, &recorded);
                assert_eq!((answer.is_linearizable(), answer.partitions), (expected, 2), "{format} {object} {value}");
                let unsplit = CheckOptions { split: false, ..CheckOptions::default() };
                assert_eq!(object.check(&recorded, None, &unsplit).unwrap().is_linearizable(), expected);
                assert_eq!(check(object, &recorded.of_key("a").unwrap()).is_linearizable(), expected);
            }
        }
    }
    assert_eq!(Object::recognize(&read(&two_keys(1))), Some(Object::MultiRegister));
}

#[test]
fn every_object_supports_keys() {
    let text = "{\"schema\": \"manyworlds-history/1\"}
        {\"process\": 0, \"type\": \"invoke\", \"f\": \"enqueue\", \"key\": 1, \"value\": \"x\"}
        {\"process\": 0, \"type\": \"ok\"}
        {\"process\": 0, \"type\": \"invoke\", \"f\": \"dequeue\", \"key\": 2}
        {\"process\": 0, \"type\": \"ok\", \"value\": null}";
    let recorded = read(text);
    assert_eq!(Object::recognize(&recorded), Some(Object::Queue));
    assert!(check(Object::Queue, &recorded).is_linearizable());
    assert!(!check(Object::Queue, &read(&text.replace("\"key\": 2", "\"key\": 1"))).is_linearizable());
    let some = read(&text.replace("\"key\": 2", "\"key\": null"));
    let bad = Object::Queue.check(&some, None, &CheckOptions::default()).unwrap_err();
    assert_eq!(bad.to_string(), "4: `dequeue`: there is no key, but other operations have one");
}

/// Each register is sequentially consistent, but not both together.
#[test]
fn sequential_consistency_is_checked_for_all_keys_together() {
    let text = edn(&[
        (0, "invoke", "write", ":key x, :value 1"),
        (0, "ok", "write", ":key x, :value 1"),
        (0, "invoke", "read", ":key y, :value nil"),
        (0, "ok", "read", ":key y, :value 0"),
        (1, "invoke", "write", ":key y, :value 1"),
        (1, "ok", "write", ":key y, :value 1"),
        (1, "invoke", "read", ":key x, :value nil"),
        (1, "ok", "read", ":key x, :value 0"),
    ]);
    let options = CheckOptions { consistency: Consistency::Sequential, ..CheckOptions::default() };
    let recorded = read(&text);
    let judged = |recorded: &Recorded| {
        Object::Register.check(recorded, Some(&Value::Int(0)), &options).unwrap().is_linearizable()
    };
    assert!(!judged(&recorded));
    assert!(judged(&recorded.of_key("x").unwrap()) && judged(&recorded.of_key("y").unwrap()));
}

#[test]
fn tuples_are_keys_if_reads_show_it() {
    let tuples = |read: &str, answer: &str| {
        edn(&[
            (0, "invoke", "write", ":value [1 1]"),
            (0, "ok", "write", ":value [1 1]"),
            (0, "invoke", "write", ":value [2 2]"),
            (0, "ok", "write", ":value [2 2]"),
            (1, "invoke", "read", &format!(":value {read}")),
            (1, "ok", "read", &format!(":value {answer}")),
        ])
    };
    for (answer, expected) in [("[1 1]", true), ("[1 2]", false)] {
        let recorded = read(&tuples("[1 nil]", answer));
        assert_eq!(recorded.remarks.len(), 1);
        let answer = check(Object::Register, &recorded);
        assert_eq!((answer.is_linearizable(), answer.partitions), (expected, 2));
    }
    // Plain vectors are values.
    let plain = read(&tuples("nil", "[2 2]"));
    assert!(plain.remarks.is_empty() && check(Object::CasRegister, &plain).is_linearizable());
    assert!(!check(Object::CasRegister, &read(&tuples("nil", "[1 1]"))).is_linearizable());
    let mixed = tuples("[1 nil]", "1");
    assert_eq!(
        complaint(Format::Knossos, &mixed),
        "6: the :value is not a tuple; expected [key value], as line 5 has [key nil]"
    );
    let swaps = |value: &str| edn(&[(0, "invoke", "cas", value), (0, "ok", "cas", value)]);
    assert!(complaint(Format::Knossos, &swaps(":value [1 [0 1]]")).starts_with("1: the :value may be a tuple"));
    assert_eq!(Format::Knossos.read(&swaps(":value [0 1]")).unwrap().history.len(), 1);
}

#[test]
fn only_the_nemesis_is_skipped() {
    let text = "{:process :nemesis, :type :info, :f :start, :value nil}\n";
    assert!(read(text).history.is_empty());
    let bad = "the :process is not a number; expected a number from 0 on, or :nemesis";
    for process in [":a", "x0", "nil", "\"0\"", "1.5"] {
        let text = text.replace(":nemesis", process);
        assert_eq!(complaint(Format::Knossos, &text), format!("1: {bad}"), "{process}");
    }
}

#[test]
fn malformed_operations_in_a_log_are_rejected() {
    let good = "INFO  jepsen.util - 0\t:invoke\t:write\t1\n";
    for (bad, expected_error) in [
        ("INFO  jepsen.util - x0\t:ok\t:write\t1", "2: the process is `x0`; expected `INFO  jepsen.util - PROCESS"),
        ("INFO  jepsen.util - 0:ok\t:write\t1", "2: the process is `0:ok`"),
        ("INFO  jepsen.utl - 0\t:ok\t:write\t1", "2: expected `INFO  jepsen.util - PROCESS"),
        ("0\t:ok\t:write\t1", "2: expected `INFO  jepsen.util - PROCESS"),
        (
            "INFO  jepsen.util - 0\t:ok\t:write\t2",
            "2: `write 1` completes with the value 2; expected the value it was given",
        ),
    ] {
        let complaint = complaint(Format::Etcd, &format!("{good}{bad}\n"));
        assert!(complaint.starts_with(expected_error), "{complaint}");
    }
    for other in [
        "INFO  jepsen.util - :nemesis\t:info\t:start\tnil",
        "java.net.SocketTimeoutException: Read timed out",
        "\tat java.net.SocketInputStream.read(SocketInputStream.java:150)",
        "INFO  jepsen.util - Everything is set up",
    ] {
        let text = format!("{good}{other}\nINFO  jepsen.util - 0\t:ok\t:write\t1\n");
        assert_eq!(Format::Etcd.read(&text).unwrap().history.pending(), 0, "{other}");
    }
    assert!(complaint(Format::Etcd, "\nhello\n").starts_with("2: this is not a line of a log"));
}

/// A read of null reads the initial value, so it is inconsistent after a write of 1; a read without a value may have read anything.
#[test]
fn null_is_a_value_of_transactions_in_json() {
    let text = |read: &str| {
        format!(
            "{{\"schema\": \"manyworlds-history/1\", \"spec\": \"multi-register\"}}
            {{\"process\": 0, \"type\": \"invoke\", \"f\": \"txn\", \"value\": [[\"write\", \"x\", 1]]}}
            {{\"process\": 0, \"type\": \"ok\", \"value\": [[\"write\", \"x\", 1]]}}
            {{\"process\": 1, \"type\": \"invoke\", \"f\": \"txn\", \"value\": [[\"read\", \"x\", null]]}}
            {{\"process\": 1, \"type\": \"ok\", \"value\": [{read}]}}"
        )
    };
    for (part, expected) in [("null", false), ("1", true), ("2", false)] {
        let recorded = read(&text(&format!("[\"read\", \"x\", {part}]")));
        assert_eq!(check(Object::MultiRegister, &recorded).is_linearizable(), expected, "{part}");
    }
    assert!(check(Object::MultiRegister, &read(&text("[\"read\", \"x\"]"))).is_linearizable());
    for other in ["[\"read\", \"y\", 1]", "[\"write\", \"x\", 1]"] {
        let bad = Object::MultiRegister.check(&read(&text(other)), None, &CheckOptions::default()).unwrap_err();
        assert!(bad.to_string().starts_with("4: ") && bad.to_string().contains("was invoked"), "{bad}");
    }
}

#[test]
fn a_completion_must_match_the_open_operation() {
    let put = (0, "invoke", "put", ":key \"a\", :value \"x\"");
    for kind in ["ok", "info", "fail"] {
        let text = edn(&[put, (0, kind, "put", ":key \"b\", :value \"x\"")]);
        let expected_error =
            "2: process 0 completes `put` with the key \"b\"; expected the key of its open operation, \"a\"";
        assert_eq!(complaint(Format::Kv, &text), expected_error);
    }
    let other = edn(&[put, (0, "ok", "put", ":key \"a\", :value \"y\"")]);
    assert!(complaint(Format::Kv, &other).starts_with("2: `put \"a\" \"x\"` completes with the value \"y\""));
    let write = (0, "invoke", "write", ":value 1");
    let expected_error = "2: `write 1` completes with the value 2; expected the value it was given";
    assert_eq!(complaint(Format::Knossos, &edn(&[write, (0, "ok", "write", ":value 2")])), expected_error);
    for fine in [":value 1", ":value nil", ":index 3"] {
        assert_eq!(Format::Knossos.read(&edn(&[write, (0, "ok", "write", fine)])).unwrap().history.pending(), 0);
    }
    let misspelt = edn(&[(0, "invoke", "write", ":val 1")]);
    assert!(complaint(Format::Knossos, &misspelt).starts_with("1: there is no :value"));
    let swap = |ending| edn(&[(0, "invoke", "cas", ":value [0 1]"), (0, "ok", "cas", ending)]);
    let answer = |text: &str| Format::Knossos.read(text).unwrap().history.operations()[0].response.clone();
    assert_eq!(answer(&swap(":value [0 1]")), Some(Value::Bool(true)));
    assert_eq!(answer(&swap(":value false")), Some(Value::Bool(false)));
}

#[test]
fn errors_in_json_are_reported() {
    let head = "{\"schema\": \"manyworlds-history/1\"}";
    let write = "{\"process\": 0, \"type\": \"invoke\", \"f\": \"write\", \"value\": 1}";
    let deep = format!("{{\"process\": 0, \"value\": {}", "[".repeat(200));
    for (line, expected_error) in [
        (
            "{\"process\": 0, \"type\": \"ok\", \"f\": \"read\"}",
            "process 0 completes `read`; expected its open operation `write`",
        ),
        (
            "{\"process\": 0, \"type\": \"ok\", \"key\": 3}",
            "process 0 completes `write` with the key 3; expected no key",
        ),
        (
            "{\"process\": 0, \"type\": \"ok\", \"val\": 1}",
            "unknown field `val`; expected process, type, f, key or value",
        ),
        ("{\"process\": -1, \"type\": \"ok\"}", "the process is -1; expected a whole number from 0 on"),
        ("{\"process\": \"a\", \"type\": \"ok\"}", "the process is \"a\"; expected"),
        ("{\"type\": \"ok\"}", "there is no process"),
        ("{\"process\": 0, \"type\": \"okay\"}", "unknown type `okay`"),
        ("{\"process\": 0, \"value\": 1e400}", "this cannot be read as JSON: number out of range (column"),
        (&deep, "this cannot be read as JSON: recursion limit exceeded (column"),
        (
            "{\"process\": 0, \"value\": 99999999999999999999, \"type\": \"ok\"}",
            "1e+20 is not a whole number of 64 bits",
        ),
    ] {
        let complaint = complaint(Format::Json, &format!("{head}\n{write}\n{line}\n"));
        assert!(complaint.starts_with(&format!("3: {expected_error}")), "{complaint}");
    }
    let bad =
        Format::Json.read(&format!("{{\"schema\": \"manyworlds-history/1\", \"sepc\": 1}}\n{write}")).unwrap_err();
    assert_eq!(bad.mistyped.map(|(word, _)| word).as_deref(), Some("sepc"));
    let more = write.replace("\"f\"", "\"time\": 7, \"index\": 0, \"error\": null, \"f\"");
    assert_eq!(Format::Json.read(&format!("{head}\n{more}")).unwrap().history.len(), 1);
}

#[test]
fn files_of_other_formats_are_reported() {
    for (text, expected_error) in [
        ("[{\"process\": 0, \"type\": \"invoke\"}]", "the file is a JSON list; expected an object a line"),
        (
            "{\n  \"schema\": \"other/2\",\n \"x\": 1}",
            "the file is one JSON object, of the schema \"other/2\"; expected",
        ),
        ("{\"schema\": \"manyworlds-outcome/1\"}", "the schema is \"manyworlds-outcome/1\"; expected"),
        ("{\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}", "there is no schema"),
    ] {
        assert_eq!(Format::recognize(text), Some(Format::Json));
        let complaint = complaint(Format::Json, text);
        assert!(complaint.starts_with(&format!("1: {expected_error}")), "{complaint}");
    }
}

#[test]
fn kv_maps_are_recognised_in_every_layout() {
    let nemesis = "{:process :nemesis, :type :info, :f :start, :value nil}\n";
    let (put, ok) =
        ("{:process 0, :type :invoke, :f :put, :key 1, :value 2}", "{:process 0 :type :ok :f :put :key 1 :value 2}");
    for text in [
        format!("{nemesis}{put}\n{ok}"),
        format!("; a comment\n[{put}\n {ok}]"),
        format!("{put} {ok}"),
        format!("({nemesis} {put} {ok})"),
        format!("#history [{nemesis} {put}]\n{ok}"),
    ] {
        assert_eq!(Format::recognize(&text), Some(Format::Kv), "{text}");
        let recorded = read(&text);
        assert_eq!((recorded.history.len(), recorded.history.pending()), (1, 0), "{text}");
    }
    // Registers with keys are not in the kv format.
    assert_eq!(Format::recognize(&two_keys(1)), Some(Format::Knossos));
    // A truncated line is reported at its own line, not at the end of the file.
    let cut = format!("{put}\n{}\n{put}\n", &ok[..20]);
    assert!(
        complaint(Format::Kv, &cut).starts_with("2: the text ends where `}` is expected"),
        "{}",
        complaint(Format::Kv, &cut)
    );
    let many_lines = put.replace(", ", "\n");
    assert_eq!(read(&many_lines).history.len(), 1);
}

/// The kv format implies the empty string as the initial value, which stands for the empty initial state of every object.
#[test]
fn the_kv_format_supports_other_objects() {
    let text = |read: &str| {
        edn(&[
            (0, "invoke", "add", ":key 1, :value 2"),
            (0, "ok", "add", ":key 1, :value 2"),
            (0, "invoke", "read", ":key 1, :value nil"),
            (0, "ok", "read", &format!(":key 1, :value {read}")),
        ])
    };
    for (object, read, expected) in [
        (Object::Counter, "2", true),
        (Object::Counter, "1", false),
        (Object::Set, "[2]", true),
        (Object::Set, "[1]", false),
    ] {
        let recorded = Format::Kv.read(&text(read)).unwrap();
        assert_eq!(check(object, &recorded).is_linearizable(), expected, "{object} {read}");
    }
}

/// Many open operations fail. Removing them one by one would take a minute.
#[test]
fn many_failures_are_removed_together() {
    let processes = 100_000;
    let invoke = |n: usize| format!("{{:process {n} :type :invoke :f :write :value 1}}\n");
    let fail = |n: usize| format!("{{:process {n} :type :fail :f :write :value 1}}\n");
    let text: String = (0..processes).map(invoke).chain((1..processes).map(fail)).collect();
    let recorded = Format::Knossos.read(&text).unwrap();
    assert_eq!((recorded.history.len(), &recorded.lines[..]), (1, &[1][..]));
}

fn trace_operation(
    process: usize,
    call: &str,
    response: Option<&str>,
    invoked: usize,
    returned: Option<usize>,
) -> TraceOperation {
    let value = |text: &str| TraceValue::shown(ValueTree::parse(text));
    TraceOperation { process, call: value(call), response: response.map(value), invoked, returned }
}

fn of_trace(operations: Vec<TraceOperation>) -> Recorded {
    trace::recorded(&TraceHistory { operations, ..TraceHistory::default() }).unwrap()
}

fn words(recorded: &Recorded) -> Vec<String> {
    let shown = recorded.history.operations().iter();
    shown
        .map(|o| format!("{} → {}", o.operation, o.response.clone().map_or("?".to_string(), |r| r.to_string())))
        .collect()
}

#[test]
fn a_trace_has_a_history() {
    let registers = of_trace(vec![
        trace_operation(3, "Write(1)", Some("Written"), 10, Some(17)),
        trace_operation(5, "Read", Some("Read(0)"), 19, Some(32)),
        trace_operation(5, "Cas(0, 2)", None, 32, None),
        trace_operation(5, "Read", Some("Read(2)"), 40, Some(40)),
    ]);
    assert_eq!(words(&registers), ["write 1 → nil", "read → 0", "cas [0 2] → ?", "read → 2"]);
    assert!(registers.history.operations()[1].precedes(&registers.history.operations()[2]));
    assert_eq!(Object::recognize(&registers), Some(Object::CasRegister));
    let maps = of_trace(vec![
        trace_operation(0, "Put(\"a\", 1)", Some("Done"), 0, Some(1)),
        trace_operation(1, "Get(\"a\")", Some("Got(None)"), 2, Some(3)),
        trace_operation(1, "Get(\"a\")", Some("Got(Some(1))"), 4, Some(5)),
    ]);
    assert_eq!(words(&maps), ["put \"a\" 1 → nil", "get \"a\" → nil", "get \"a\" → 1"]);
    assert_eq!(Object::recognize(&maps), Some(Object::Kv));
    assert!(!check(Object::Kv, &maps).is_linearizable());
    let again = json::read(&json::write(&maps)).unwrap();
    assert_eq!(words(&again), words(&maps));
    let logs = of_trace(vec![
        trace_operation(0, "Append(7)", Some("At(0)"), 0, Some(1)),
        trace_operation(1, "Get(0)", Some("Got(Some(7))"), 2, Some(3)),
        trace_operation(1, "Read", Some("Read([7])"), 4, Some(5)),
    ]);
    assert_eq!(Object::recognize(&logs), Some(Object::Log));
    assert!(check(Object::Log, &logs).is_linearizable());
    let transactions = of_trace(vec![
        trace_operation(0, "[Write('x', 1), Read('y')]", Some("[None, Some(0)]"), 0, Some(1)),
        trace_operation(1, "[Read('x')]", None, 2, None),
    ]);
    assert_eq!(
        words(&transactions)[0],
        "txn [[\"write\" \"'x'\" 1] [\"read\" \"'y'\"]] → [[\"write\" \"'x'\" 1] [\"read\" \"'y'\" 0]]"
    );
    let zero = Object::MultiRegister.check(&transactions, Some(&Value::Int(0)), &CheckOptions::default()).unwrap();
    assert!(zero.is_linearizable());
    assert!(
        trace::recorded(&TraceHistory {
            operations: vec![trace_operation(0, "7", None, 0, None)],
            ..TraceHistory::default()
        })
        .is_err()
    );
}

/// A random history of processes that write and read two registers; a process with an open operation completes it first.
fn random(steps: &[(usize, i64, Option<i64>)]) -> Recorded {
    let mut recorded = Recorded::default();
    for (line, &(process, key, written)) in steps.iter().enumerate() {
        let event = match recorded.history.open(process) {
            Some(open) if open.operation.name == "write" => Event::Respond(Value::Nil),
            Some(_) => Event::Respond(Value::Int(written.unwrap_or(0))),
            None => {
                let (name, value) = written.map_or(("read", Value::Nil), |value| ("write", Value::Int(value)));
                Event::Invoke(Call { name: name.to_string(), key: Some(Value::Int(key)), value })
            }
        };
        recorded.event(line + 1, process, event).unwrap();
    }
    recorded.finished()
}

random! {
    #![cases = 250]

    /// Separate registers for each key have the same verdicts as one multi-register, split or not.
    #[test]
    fn many_registers_are_one_multi_register(steps in prop::collection::vec((0..3usize, 0..2i64, prop::option::of(0..2i64)), 0..16)) {
        let recorded = random(&steps);
        for consistency in [Consistency::Linearizable, Consistency::Sequential] {
            let judged = |object: Object, split| {
                let options = CheckOptions { consistency, split, explain: false, ..CheckOptions::default() };
                object.check(&recorded, Some(&Value::Int(0)), &options).unwrap().is_linearizable()
            };
            let expected = judged(Object::MultiRegister, false);
            for (object, split) in [(Object::Register, true), (Object::Register, false), (Object::CasRegister, true)] {
                prop_assert_eq!(judged(object, split), expected, "{} {:?}", object, consistency);
            }
        }
    }

    #[test]
    fn no_text_in_a_trace_makes_the_reader_panic(call in "[A-Za-z(){}\\[\\],\"\\\\'u0-9é -]{0,30}", response in "\\PC{0,20}") {
        let operations = vec![trace_operation(0, &call, Some(&response), 0, Some(1))];
        let _ = trace::recorded(&TraceHistory { operations, ..TraceHistory::default() });
    }
}
