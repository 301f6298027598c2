//! How programs are drawn. Sizes are bounded so that brute force stays fast. Draws are biased towards programs in which something happens:
//! a process tends to send and spawn before it waits, and destinations concentrate on few processes, so messages race.

use super::{Cond, Expr, Op, Program, Tag, To, Watch};
use manyworlds::Network;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Union;

/// Which features programs have.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many processes there are at the start, at most.
    pub roots: usize,
    /// How many operations each has after it has begun, at most.
    pub ops: usize,
    /// Whether operations name a network of their own.
    pub mixed: bool,
    /// Whether processes spawn others.
    pub spawns: bool,
    /// Whether there are time-outs, filters, choices, conditions, losses, assumptions and failures.
    pub rich: bool,
    /// Whether a monitor watches.
    pub monitor: bool,
}

/// Programs of this shape.
pub fn programs(shape: Shape) -> BoxedStrategy<Program> {
    if shape.mixed {
        // One network besides the default: with more of them few messages meet a receive.
        (0..4usize).prop_flat_map(move |n| Draw { shape, other: Some(Network::ALL[n]) }.program()).boxed()
    } else {
        Draw { shape, other: None }.program()
    }
}

/// Draws the parts of one program.
#[derive(Clone, Copy)]
struct Draw {
    shape: Shape,
    /// The network of operations that name one.
    other: Option<Network>,
}

impl Draw {
    fn program(self) -> BoxedStrategy<Program> {
        let Shape { roots, ops, spawns, rich, monitor, .. } = self.shape;
        let depth = if spawns { 2 } else { 0 };
        let roots = vec(self.body(depth, ops), 2..=roots);
        let losses = if rich { (0..=2u32).boxed() } else { Just(0).boxed() };
        let watch = if monitor { watch().prop_map(Some).boxed() } else { Just(None).boxed() };
        (roots, losses, watch).prop_map(|(roots, losses, watch)| Program { roots, losses, watch }).boxed()
    }

    /// The code of a process that may spawn `depth` levels of others.
    fn body(self, depth: u32, ops: usize) -> BoxedStrategy<Vec<Op>> {
        let first = if depth > 0 { prop_oneof![self.send(), self.spawn(depth)].boxed() } else { self.send() };
        let rest = vec(self.op(depth), usize::from(depth > 0)..=ops);
        (vec(first, usize::from(depth == 0)..=2), rest).prop_map(|(first, rest)| [first, rest].concat()).boxed()
    }

    fn op(self, depth: u32) -> BoxedStrategy<Op> {
        let mut weighted = vec![(6, self.send()), (8, self.receive())];
        if self.shape.rich {
            weighted.push((2, (2..=3u8).prop_map(Op::Choose).boxed()));
            weighted.push((1, cond().prop_map(Op::Assume).boxed()));
            weighted.push((1, cond().prop_map(Op::Assert).boxed()));
            let branch = || vec(self.leaf(), 0..=2);
            weighted.push((3, (cond(), branch(), branch()).prop_map(|(c, t, e)| Op::If(c, t, e)).boxed()));
        }
        if depth > 0 {
            let guarded = (cond(), self.spawn(depth)).prop_map(|(cond, spawn)| Op::If(cond, vec![spawn], vec![]));
            let join = (0..2u8).prop_map(Op::Join);
            weighted.extend([(2, self.spawn(depth)), (1, guarded.boxed()), (3, join.boxed())]);
        }
        Union::new_weighted(weighted).boxed()
    }

    fn spawn(self, depth: u32) -> BoxedStrategy<Op> {
        let daemon = prop::bool::weighted(0.2);
        (daemon, self.body(depth - 1, 1)).prop_map(|(daemon, body)| Op::Spawn { daemon, body }).boxed()
    }

    fn leaf(self) -> BoxedStrategy<Op> {
        prop_oneof![4 => self.send(), 3 => self.receive(), 1 => cond().prop_map(Op::Assert)].boxed()
    }

    fn send(self) -> BoxedStrategy<Op> {
        let lossy = prop::bool::weighted(if self.shape.rich { 0.15 } else { 0.0 });
        (self.to(), self.tag(), expr(), self.network(), lossy)
            .prop_map(|(to, tag, value, on, lossy)| Op::Send { to, tag, value, on, lossy })
            .boxed()
    }

    fn receive(self) -> BoxedStrategy<Op> {
        let filter = if self.shape.rich { option::weighted(0.3, cond()).boxed() } else { Just(None).boxed() };
        let blocking = prop::bool::weighted(if self.shape.rich { 0.75 } else { 1.0 });
        (self.tag(), filter, self.network(), blocking)
            .prop_map(|(tag, filter, on, blocking)| Op::Recv { tag, filter, on, blocking })
            .boxed()
    }

    fn to(self) -> BoxedStrategy<To> {
        let any = (0..self.shape.roots as u8).prop_map(To::Root);
        let (first, second) = (Just(To::Root(0)), Just(To::Root(1)));
        if self.shape.spawns {
            let child = (0..2u8).prop_map(To::Child);
            prop_oneof![4 => first, 2 => second, 2 => any, 2 => child, 1 => Just(To::Me), 4 => Just(To::Parent), 1 => Just(To::Reply)]
                .boxed()
        } else {
            prop_oneof![6 => first, 4 => second, 4 => any, 1 => Just(To::Me), 1 => Just(To::Reply)].boxed()
        }
    }

    fn tag(self) -> BoxedStrategy<Tag> {
        if self.shape.rich { prop_oneof![6 => Just(Tag::A), 1 => Just(Tag::B)].boxed() } else { Just(Tag::A).boxed() }
    }

    fn network(self) -> BoxedStrategy<Option<Network>> {
        match self.other {
            Some(other) => prop_oneof![3 => Just(None), 1 => Just(Some(other))].boxed(),
            None => Just(None).boxed(),
        }
    }
}

fn watch() -> impl Strategy<Value = Watch> {
    (any::<bool>(), 1..=6u8, 0..=2u8).prop_map(|(odd_only, objects_to, wants)| Watch { odd_only, objects_to, wants })
}

fn expr() -> impl Strategy<Value = Expr> {
    prop_oneof![3 => (0..3u8).prop_map(Expr::Const), 1 => Just(Expr::Last)]
}

fn cond() -> impl Strategy<Value = Cond> {
    prop_oneof![1 => (0..3u8).prop_map(Cond::Is), 2 => (0..3u8).prop_map(Cond::IsNot)]
}
