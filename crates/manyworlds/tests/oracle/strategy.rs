//! How programs are drawn. Sizes are bounded so that brute force stays fast; weights favour messages that meet a receive.

use super::{Cond, Expr, Op, Program, Tag, To, Watch};
use manyworlds::Network;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Which features programs have.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many processes there are at the start, at most.
    pub roots: usize,
    /// How many operations each has, at most.
    pub ops: usize,
    /// Whether operations name networks of their own.
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
    let roots = vec(vec(op(shape, u32::from(shape.spawns) * 2), 1..=shape.ops), 2..=shape.roots);
    let losses = if shape.rich { (0..=2u32).boxed() } else { Just(0).boxed() };
    let watch = if shape.monitor { watch().prop_map(Some).boxed() } else { Just(None).boxed() };
    (roots, losses, watch).prop_map(|(roots, losses, watch)| Program { roots, losses, watch }).boxed()
}

fn watch() -> impl Strategy<Value = Watch> {
    (any::<bool>(), 1..=4u8, 0..=2u8).prop_map(|(odd_only, objects_to, wants)| Watch { odd_only, objects_to, wants })
}

/// An operation with at most `depth` more levels of spawns and conditions inside.
fn op(shape: Shape, depth: u32) -> BoxedStrategy<Op> {
    let mut weighted = vec![(8, sends(shape)), (8, receives(shape))];
    if shape.rich {
        weighted.push((2, (2..=3u8).prop_map(Op::Choose).boxed()));
        weighted.push((1, cond().prop_map(Op::Assume).boxed()));
        weighted.push((1, cond().prop_map(Op::Assert).boxed()));
        let branch = || vec(leaf(shape), 0..=2);
        weighted.push((4, (cond(), branch(), branch()).prop_map(|(c, t, e)| Op::If(c, t, e)).boxed()));
    }
    if depth > 0 {
        let body = vec(op(shape, depth - 1), 1..=2);
        let spawn = (prop::bool::weighted(0.2), body).prop_map(|(daemon, body)| Op::Spawn { daemon, body }).boxed();
        let guarded = (cond(), spawn.clone()).prop_map(|(cond, spawn)| Op::If(cond, vec![spawn], vec![])).boxed();
        weighted.extend([(6, spawn), (1, guarded), (3, (0..2u8).prop_map(Op::Join).boxed())]);
    }
    proptest::strategy::Union::new_weighted(weighted).boxed()
}

fn leaf(shape: Shape) -> BoxedStrategy<Op> {
    prop_oneof![4 => sends(shape), 3 => receives(shape), 1 => cond().prop_map(Op::Assert)].boxed()
}

fn sends(shape: Shape) -> BoxedStrategy<Op> {
    let lossy = prop::bool::weighted(if shape.rich { 0.15 } else { 0.0 });
    (to(shape), tag(shape), expr(), network(shape), lossy)
        .prop_map(|(to, tag, value, on, lossy)| Op::Send { to, tag, value, on, lossy })
        .boxed()
}

fn receives(shape: Shape) -> BoxedStrategy<Op> {
    let filter = if shape.rich { option::weighted(0.3, cond()).boxed() } else { Just(None).boxed() };
    let blocking = prop::bool::weighted(if shape.rich { 0.75 } else { 1.0 });
    (tag(shape), filter, network(shape), blocking)
        .prop_map(|(tag, filter, on, blocking)| Op::Recv { tag, filter, on, blocking })
        .boxed()
}

fn to(shape: Shape) -> BoxedStrategy<To> {
    let root = (0..shape.roots as u8).prop_map(To::Root);
    if shape.spawns {
        prop_oneof![5 => root, 2 => (0..2u8).prop_map(To::Child), 1 => Just(To::Me), 3 => Just(To::Parent), 1 => Just(To::Reply)].boxed()
    } else {
        prop_oneof![12 => root, 1 => Just(To::Me), 1 => Just(To::Reply)].boxed()
    }
}

fn tag(shape: Shape) -> BoxedStrategy<Tag> {
    if shape.rich { prop_oneof![4 => Just(Tag::A), 1 => Just(Tag::B)].boxed() } else { Just(Tag::A).boxed() }
}

fn network(shape: Shape) -> BoxedStrategy<Option<Network>> {
    if !shape.mixed {
        return Just(None).boxed();
    }
    // Two of the four are enough to mix with any default, and messages meet receives more often.
    prop_oneof![5 => Just(None), 1 => Just(Some(Network::Cd)), 1 => Just(Some(Network::Mbox)), 1 => Just(Some(Network::P2p))].boxed()
}

fn expr() -> impl Strategy<Value = Expr> {
    prop_oneof![3 => (0..3u8).prop_map(Expr::Const), 1 => Just(Expr::Last)]
}

fn cond() -> impl Strategy<Value = Cond> {
    prop_oneof![(0..3u8).prop_map(Cond::Is), (0..3u8).prop_map(Cond::IsNot)]
}
