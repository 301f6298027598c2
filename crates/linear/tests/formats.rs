//! Tests of reading and writing each file format.

use manyworlds_linear::formats::{Format, json};
use manyworlds_linear::{CheckOptions, Object, Recorded, Value};

const ETCD: &str = "INFO  jepsen.core - set-up\nINFO  jepsen.util - 0\t:invoke\t:write\t1\nWARN  jepsen.net - slow\r\nINFO  jepsen.util - 1  :invoke :cas [1 2]\n\
                    INFO  jepsen.util - 0\t:info\t:write\t:timed-out\nINFO  jepsen.util - 1\t:fail\t:cas\t[1 2]\n\
                    INFO  jepsen.util - 2\t:invoke\t:read\tnil\nINFO  jepsen.util - 2\t:fail\t:read\t:timed-out\n";
const KV: &str = "{:process 0, :type :invoke, :f :append, :key \"a\", :value \"x\"}\n\
                  {:process 1, :type :invoke, :f :get, :key \"a\", :value nil}\n\
                  {:process 1, :type :ok, :f :get, :key \"a\", :value \"x\"}\n\
                  {:process 0, :type :ok, :f :append, :key \"a\", :value \"x\"}\n";
const KNOSSOS: &str = "; a comment\n[{:process 0, :type :invoke, :f :write, :value 1} #op{:process 1 :type :invoke :f :read}\n\
                       {:process 1 :type :ok :f :read :value nil} {:process :nemesis :type :info :f :split}\n\
                       {:process 0, :type :fail, :f :write, :value 1}]";
const JSON: &str = "{\"schema\": \"manyworlds-history/1\", \"spec\": \"counter\", \"init\": 3}\n\
                    {\"process\": 0, \"type\": \"invoke\", \"f\": \"add\", \"value\": 2}\n\n\
                    {\"process\": 1, \"type\": \"invoke\", \"f\": \"read\"}\n\
                    {\"process\": 1, \"type\": \"ok\", \"value\": 5}\n";

pub const SAMPLES: [(Format, &str); 4] =
    [(Format::Etcd, ETCD), (Format::Kv, KV), (Format::Knossos, KNOSSOS), (Format::Json, JSON)];

fn shown(recorded: &Recorded) -> Vec<String> {
    let operations = recorded.history.operations().iter();
    operations
        .map(|op| {
            let ending = match (op.returned, &op.response) {
                (None, _) => "pending".to_string(),
                (Some(_), None) => "?".to_string(),
                (Some(_), Some(response)) => response.to_string(),
            };
            format!("{} {}: {ending}", op.process, op.operation)
        })
        .collect()
}

#[test]
fn every_format_is_recognised_and_read() {
    let expected: [&[&str]; 4] = [
        &["0 write 1: pending", "1 cas [1 2]: false", "2 read: ?"],
        &["0 append \"a\" \"x\": nil", "1 get \"a\": \"x\""],
        &["1 read: ?"],
        &["0 add 2: pending", "1 read: 5"],
    ];
    for ((format, text), expected) in SAMPLES.into_iter().zip(expected) {
        assert_eq!(Format::recognize(text), Some(format));
        assert_eq!(shown(&format.read(text).unwrap()), expected, "{format}");
    }
}

#[test]
fn an_invalid_entry_is_reported_with_its_line() {
    let read = "{:process 0, :type :invoke, :f :read, :value nil}";
    for text in [format!("[{read}\n\n  ; :ok\n :oops]"), format!("{read}\n\n\n7"), format!("()\n({read}\n\n[])")] {
        let bad = Format::Knossos.read(&text).unwrap_err();
        assert_eq!(bad.line, 4, "{text}: {bad}");
    }
    for text in [format!("#history [{read}]"), format!("#_ {read} [{read}]"), format!("[#_ 7 {read} ; 8\n]")] {
        assert_eq!(Format::Knossos.read(&text).unwrap().history.len(), 1, "{text}");
    }
}

#[test]
fn actions_of_a_nemesis_are_recorded_separately() {
    let asides = |format: Format, text: &str| -> Vec<(usize, String)> {
        format.read(text).unwrap().asides.into_iter().map(|aside| (aside.at, aside.words)).collect()
    };
    let edn = "[{:process 0 :type :invoke :f :read}
                {:process :nemesis :type :info :f :start-partition :value [:cut {\"n1\" #{n2}}]}
                {:process 0 :type :ok :f :read :value 1} {:process :nemesis}]";
    let expected = [(1, "nemesis: start-partition [:cut {\"n1\" [n2]}]".to_string()), (3, "nemesis: ".to_string())];
    assert_eq!(asides(Format::Knossos, edn), expected);
    let log = "INFO  jepsen.util - 0 :invoke :read nil\nINFO  jepsen.util - :nemesis :info :start Cut off {:n1 #{:n2}}\n\
               INFO  jepsen.util - :nemesis :info :stop nil\nINFO  jepsen.util - something else\n";
    let expected = [(1, "nemesis: start Cut off {:n1 #{:n2}}".to_string()), (2, "nemesis: stop".to_string())];
    assert_eq!(asides(Format::Etcd, log), expected);
    let kv = format!("{{:process :nemesis :f :kill}}\n{KV}");
    assert_eq!(asides(Format::Kv, &kv), [(0, "nemesis: kill".to_string())]);
    assert_eq!(shown(&Format::Kv.read(&kv).unwrap()).len(), shown(&Format::Kv.read(KV).unwrap()).len());
}

#[test]
fn a_register_may_be_called_key() {
    let text = "{:process 0, :type :invoke, :f :txn, :value [[:write :key 1]]}\n";
    assert_eq!(Format::recognize(text), Some(Format::Knossos));
    assert_eq!(Format::recognize(&KV.replace(", ", " ").replace(":key", " :key")), Some(Format::Kv));
}

#[test]
fn a_written_history_is_read_back() {
    for (format, text) in SAMPLES {
        let recorded = format.read(text).unwrap();
        let again = json::read(&json::write(&recorded)).unwrap();
        assert_eq!(shown(&again), shown(&recorded), "{format}");
        assert_eq!(again.initial, recorded.initial, "{format}");
        assert_eq!(again.spec, recorded.spec, "{format}");
        let object = Object::recognize(&recorded).unwrap();
        let verdict = |recorded| object.check(recorded, None, &CheckOptions::default()).unwrap().is_linearizable();
        assert_eq!(verdict(&again), verdict(&recorded), "{format}");
    }
}

/// A read of nil within a transaction may have read anything.
#[test]
fn transactions_with_unknown_reads() {
    let text = |x| {
        format!(
            "[{{:process 0 :type :invoke :f :txn :value [[:write x 1] [:write y 1]]}}
              {{:process 0 :type :ok :f :txn :value [[:write x 1] [:write y 1]]}}
              {{:process 1 :type :invoke :f :txn :value [[:read x nil] [:read y nil]]}}
              {{:process 1 :type :ok :f :txn :value [[:read x {x}] [:read y nil]]}}]"
        )
    };
    for (x, expected) in [(1, true), (0, false)] {
        let recorded = Format::Knossos.read(&text(x)).unwrap();
        assert_eq!(Object::recognize(&recorded), Some(Object::MultiRegister));
        let answer = Object::MultiRegister.check(&recorded, Some(&Value::Int(0)), &CheckOptions::default()).unwrap();
        assert_eq!(answer.is_linearizable(), expected);
    }
}
