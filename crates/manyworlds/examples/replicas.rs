//! Two clients, two replicas, and the last write wins.

use manyworlds::prelude::*;

fn replica() -> &'static str {
    let _overwritten: &str = recv();
    recv() // The last write wins.
}

fn main() -> Result<(), Refused> {
    let answer = check(|| {
        let left = process("left").spawn(replica);
        let right = process("right").spawn(replica);
        for name in ["alice", "bob"] {
            process(name).spawn(move || {
                send(left.pid(), name);
                send(right.pid(), name);
            });
        }
        assert_eq!(left.join(), right.join(), "the replicas differ");
    })
    .name("replicas")
    .run()?;
    print!("{answer}");
    Ok(())
}
