//! Every example runs, and says what it is there to show.
//!
//! The examples are also modules here: so their own tests are run, in one program instead of one for each.

use crate::built;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

macro_rules! modules {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(#[path = $file]
        #[allow(dead_code, reason = "nobody calls `main` here")]
        mod $name;)*
    };
}

modules! {
    crash: "../examples/crash.rs",
    deadlock: "../examples/deadlock.rs",
    election: "../examples/election.rs",
    eventually: "../examples/eventually.rs",
    jugs: "../examples/jugs.rs",
    lock_server: "../examples/lock_server.rs",
    lossy: "../examples/lossy.rs",
    philosophers: "../examples/philosophers.rs",
    register: "../examples/register.rs",
    sometimes: "../examples/sometimes.rs",
    stack: "../examples/stack.rs",
    symmetry: "../examples/symmetry.rs",
    treiber: "../examples/treiber.rs",
    withdraw: "../examples/withdraw.rs",
}

/// The examples, and lines that they print, in this order.
const SAYS: &[(&str, &[&str])] = &[
    ("cli", &["✓ race verified: every execution under p2p (isolation sampled: 2 executions); 2 executions"]),
    ("crash", &["✓ tickets verified", "✗ tickets violated: always no number twice"]),
    ("deadlock", &["✓ transfers verified", "main, alice, bob wait for ever", "✗ transfers violated: no deadlock"]),
    (
        "election",
        &["✓ election verified", "assertion `left == right` failed: two leaders", "✗ election violated: monitor"],
    ),
    ("eventually", &["✗ game violated: eventually the game ends"]),
    ("jugs", &["✗ jugs violated: never four litres"]),
    ("lock_server", &["✓ lock-server verified", "✗ lock-server violated: always one works at a time"]),
    ("lossy", &["✓ 2 orders verified", "✗ 1 orders violated: no deadlock"]),
    ("payment", &["✗ payment violated: always nobody pays twice"]),
    ("philosophers", &["✓ philosophers verified", "✗ philosophers violated: at rest all are done"]),
    ("race", &["✓ race verified: every execution under p2p (isolation sampled: 2 executions); 2 executions"]),
    ("register", &["✓ register verified", "✗ register violated: operations are linearizable"]),
    ("replicas", &["✗ replicas violated: assertion"]),
    ("sometimes", &["✗ bank with 1 violated: sometimes somebody hears no", "✓ bank with 2 verified"]),
    ("stack", &["✓ stack verified", "✗ stack violated: assertion"]),
    (
        "symmetry",
        &["✓ vote verified: every reachable state under p2p", "✓ vote verified: every reachable state up to symmetry"],
    ),
    (
        "treiber",
        &[
            "✓ treiber verified",
            "at odds, whatever the others did: main Pop → Popped(Some(2)) and main Pop → Popped(Some(2))",
            "✗ treiber violated: operations are linearizable",
        ],
    ),
    ("withdraw", &["✓ withdraw verified", "✗ withdraw violated: never overdrawn", "✗ withdraw violated: assertion"]),
];

/// The names of the files in `examples`.
fn files() -> BTreeSet<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(directory).expect("there are examples").map(|entry| entry.expect("it can be read"));
    entries.map(|entry| entry.path().file_stem().expect("it has a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn every_example_is_in_the_table_and_in_the_book() {
    let table: BTreeSet<String> = SAYS.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(files(), table);
    let chapter = include_str!("../../../book/src/examples.md");
    let rows = chapter.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    assert_eq!(files(), rows.map(str::to_string).collect(), "the chapter about examples");
}

#[test]
fn every_example_says_what_it_shows() {
    for (name, lines) in SAYS {
        let arguments: &[&str] = if matches!(*name, "cli" | "race") { &["check", "race"] } else { &[] };
        let run = built::example(name).args(arguments).output().expect("the example runs");
        let said = String::from_utf8(run.stdout).expect("it prints text");
        assert!(run.status.success(), "{name}: {}\n{said}{}", run.status, String::from_utf8_lossy(&run.stderr));
        let mut rest = said.lines();
        for told in *lines {
            assert!(rest.any(|line| line.trim().starts_with(told)), "{name} does not say `{told}`:\n{said}");
        }
    }
}
