//! Which locals of a function may still be read: the classical backward data-flow analysis.
//!
//! A local that is not read before it is assigned again makes no difference to what follows. Where a machine is left, such locals are set to the
//! default value of their type, so that they do not keep states apart.

use manyworlds_p_ir::{Block, Choice, Expr, Function, LocalId, Op, Place, Root, Step, Terminator};

/// A set of locals.
type Locals = Vec<u64>;

/// The locals that may be read from each point of a function on.
pub struct Live {
    /// By block, then by the number of instructions of it that were executed.
    points: Vec<Vec<Locals>>,
}

impl Live {
    /// Analyses a function.
    pub fn new(function: &Function) -> Live {
        let blocks = function.blocks();
        let words = function.locals.len().div_ceil(64);
        let mut points: Vec<Vec<Locals>> =
            blocks.iter().map(|block| vec![vec![0; words]; block.instructions.len() + 1]).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (n, block) in blocks.iter().enumerate().rev() {
                let before = points[n][0].clone();
                let found = analyse(block, &points, words);
                points[n] = found;
                changed |= points[n][0] != before;
            }
        }
        Live { points }
    }

    /// Whether a local may be read from this point on.
    pub fn is_live(&self, block: u32, at: u32, local: usize) -> bool {
        self.points[block as usize][at as usize][local / 64] >> (local % 64) & 1 == 1
    }
}

fn analyse(block: &Block, points: &[Vec<Locals>], words: usize) -> Vec<Locals> {
    let mut live: Locals = vec![0; words];
    let mut join = |block: usize| {
        for (word, more) in live.iter_mut().zip(&points[block][0]) {
            *word |= more;
        }
    };
    match &block.end {
        Terminator::Jump(to) => join(to.index()),
        Terminator::Branch { then, otherwise, .. } => {
            join(then.index());
            join(otherwise.index());
        }
        Terminator::Receive(cases) => {
            for case in cases {
                // The payload of one case is not assigned in the others, so it is removed for this case only.
                let mut from = points[case.block.index()][0].clone();
                if let Some(local) = case.payload {
                    kill(&mut from, local);
                }
                for (word, more) in live.iter_mut().zip(from) {
                    *word |= more;
                }
            }
        }
        _ => {}
    }
    match &block.end {
        Terminator::Branch { condition, .. } => read(&mut live, condition),
        Terminator::Return(value) | Terminator::Fail(value) | Terminator::Goto { payload: value, .. } => {
            value.iter().for_each(|value| read(&mut live, value));
        }
        Terminator::Raise { event, payload } => {
            read(&mut live, event);
            payload.iter().for_each(|payload| read(&mut live, payload));
        }
        Terminator::Jump(_) | Terminator::Receive(_) => {}
    }
    let mut all = vec![live];
    for instruction in block.instructions.iter().rev() {
        let mut live = all.last().expect("there is one").clone();
        before(&mut live, &instruction.op);
        all.push(live);
    }
    all.reverse();
    all
}

fn kill(live: &mut Locals, local: LocalId) {
    live[local.index() / 64] &= !(1 << (local.index() % 64));
}

fn set(live: &mut Locals, local: LocalId) {
    live[local.index() / 64] |= 1 << (local.index() % 64);
}

/// What is live before an instruction, from what is live after it.
fn before(live: &mut Locals, op: &Op) {
    match op {
        Op::Assign { to, value } => {
            match to.root {
                Root::Local(local) if to.path.is_empty() => kill(live, local),
                _ => change(live, to),
            }
            read(live, value);
        }
        Op::Insert { to, key, value } => {
            change(live, to);
            read(live, key);
            read(live, value);
        }
        Op::Add { to, value } => {
            change(live, to);
            read(live, value);
        }
        Op::Remove { from, key } => {
            change(live, from);
            read(live, key);
        }
        Op::Call { to, args, .. } => {
            to.iter().for_each(|&to| kill(live, to));
            args.iter().for_each(|arg| read(live, arg));
        }
        Op::Choose { to, from } => {
            kill(live, *to);
            if let Choice::Int(of) | Choice::Element(of) = from {
                read(live, of);
            }
        }
        Op::Send { target, event, payload } => {
            read(live, target);
            read(live, event);
            payload.iter().for_each(|payload| read(live, payload));
        }
        Op::Announce { event, payload } => {
            read(live, event);
            payload.iter().for_each(|payload| read(live, payload));
        }
        Op::New { to, payload, .. } => {
            to.iter().for_each(|&to| kill(live, to));
            payload.iter().for_each(|payload| read(live, payload));
        }
        Op::Assert { condition, message } => {
            read(live, condition);
            message.iter().for_each(|message| read(live, message));
        }
        Op::Print { message } => read(live, message),
    }
}

/// A part of a variable is changed: the rest of it stays, so it is read, too.
fn change(live: &mut Locals, place: &Place) {
    if let Root::Local(local) = place.root {
        set(live, local);
    }
    for step in &place.path {
        if let Step::Index(index) = step {
            read(live, index);
        }
    }
}

fn read(live: &mut Locals, expr: &Expr) {
    match expr {
        Expr::Local(local) => set(live, *local),
        Expr::Unary(_, of) | Expr::Item(of, _) | Expr::Cast(of, _) | Expr::Coerce(of, _) => read(live, of),
        Expr::Binary(_, a, b) | Expr::Index(a, b) => {
            read(live, a);
            read(live, b);
        }
        Expr::Tuple(items) | Expr::Named(_, items) | Expr::Format(_, items) => {
            items.iter().for_each(|item| read(live, item));
        }
        _ => {}
    }
}
