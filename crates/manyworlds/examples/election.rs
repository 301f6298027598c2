//! A program with a monitor: two nodes claim the lead, and somebody watches the claims.

use manyworlds::prelude::*;

/// "I lead."
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Lead;

/// Remembers who leads, and objects to a second one.
#[manyworlds::monitor(Lead, at_end = somebody_leads)]
#[derive(Default)]
struct OneLeader(Option<Pid>);

impl Observe<Lead> for OneLeader {
    fn notify(&mut self, seen: &Observed<'_, Lead>) {
        let first = *self.0.get_or_insert(seen.from);
        assert_eq!(first, seen.from, "two leaders");
    }
}

impl OneLeader {
    fn somebody_leads(&mut self) {
        assert!(self.0.is_some(), "nobody leads");
    }
}

/// The clerk grants the lead: to whoever asks first, or to everybody who asks.
fn election(careful: bool) -> Check<Program> {
    check(
        Program::new(move || {
            let clerk = process("clerk").spawn(move || {
                for nth in 0..2 {
                    let candidate: Pid = recv();
                    send(candidate, nth == 0 || !careful);
                }
            });
            for name in ["alice", "bob"] {
                process(name).spawn(move || {
                    send(clerk.pid(), me());
                    if recv::<bool>() {
                        send(clerk.pid(), Lead);
                    }
                });
            }
        })
        .monitor(OneLeader::default),
    )
    .name("election")
}

fn main() {
    for careful in [true, false] {
        let checker = election(careful);
        print!("{}", checker.run().unwrap());
    }
}

#[test]
fn a_careless_clerk_makes_two_leaders() {
    assert!(election(true).run().unwrap().is_verified());
    let outcome = election(false).run().unwrap();
    assert!(outcome.violation().is_some_and(|violation| violation.message.contains("two leaders")));
}
