//! A concurrent object that is or is not linearizable: Treiber's stack, and what happens to it when nodes are used again (the ABA problem).

use manyworlds::linear::specs::Stack;
use manyworlds::linear::specs::stack::{Operation, Response};
use manyworlds::prelude::*;
use manyworlds::sync::Arc;
use manyworlds::sync::atomic::{AtomicU32, Ordering::SeqCst};
use manyworlds::{invoked, returned};

/// No node.
const NONE: u32 = 0;
/// The bits of the top that name a node; those above them count its changes.
const NODE: u32 = 0xff;

/// Nodes are 1 and 2, and what they carry is their number.
#[derive(Clone)]
struct Treiber {
    top: Arc<AtomicU32>,
    below: Arc<[AtomicU32; 3]>,
    /// Whether the top counts its changes: what was there before is then not taken for what is there again.
    counts: bool,
}

impl Treiber {
    fn new(counts: bool) -> Treiber {
        let below = [NONE; 3].map(AtomicU32::new);
        Treiber { top: Arc::new(AtomicU32::new(NONE)), below: Arc::new(below), counts }
    }

    /// Puts `node` on top if nothing has changed since `seen` was there.
    fn replace_top(&self, seen: u32, node: u32) -> bool {
        let changes = if self.counts { (seen & !NODE) + NODE + 1 } else { 0 };
        self.top.compare_exchange(seen, changes | node, SeqCst, SeqCst).is_ok()
    }

    fn push(&self, node: u32) {
        invoked(Operation::Push(node));
        loop {
            let seen = self.top.load(SeqCst);
            self.below[node as usize].store(seen & NODE, SeqCst);
            if self.replace_top(seen, node) {
                break;
            }
        }
        returned(Response::<u32>::Pushed);
    }

    fn pop(&self) -> u32 {
        invoked(Operation::<u32>::Pop);
        let node = loop {
            let seen = self.top.load(SeqCst);
            let node = seen & NODE;
            if node == NONE || self.replace_top(seen, self.below[node as usize].load(SeqCst)) {
                break node;
            }
        };
        returned(Response::Popped((node != NONE).then_some(node)));
        node
    }
}

/// One thread pops. Another one pops twice and puts the first node back, which looks as if nothing had happened.
fn checker(counts: bool) -> Check<Program> {
    check(
        Program::new(move || {
            let stack = Treiber::new(counts);
            [2, 1].into_iter().for_each(|node| stack.push(node));
            let other = stack.clone();
            let popper = process("popper").spawn(move || other.pop());
            let first = stack.pop();
            stack.pop();
            if first != NONE {
                stack.push(first);
            }
            popper.join();
            stack.pop();
        })
        .linearizable(Stack::<u32>::new()),
    )
    .name("treiber")
}

fn main() {
    for counts in [true, false] {
        let checker = checker(counts);
        print!("{}", checker.run().unwrap());
    }
}

#[test]
fn a_top_that_came_back_is_taken_for_one_that_stayed() {
    assert!(checker(true).run().unwrap().is_verified());
    let outcome = checker(false).run().unwrap();
    assert_eq!(outcome.violation().expect("a node is popped twice").property, manyworlds::Requirement::Linearizable);
}
