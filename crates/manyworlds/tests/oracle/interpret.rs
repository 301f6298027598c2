//! Runs a [`Program`] with the real API.

use super::{Cond, Expr, Op, Program, TIMED_OUT, Tag, To, Watch};
use manyworlds::monitor::Subscription;
use manyworlds::{
    Channel, JoinHandle, Message, Monitor, Observe, Observed, Pid, assume, choose, me, on, process, recv, recv_timeout,
    recv_timeout_where, recv_where, send, send_lossy,
};
use std::sync::Arc;

/// A message of type [`Tag::A`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct A(u8);

/// A message of type [`Tag::B`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct B {
    from: Pid,
    value: u8,
}

impl Program {
    /// The program, ready to be checked.
    pub fn built(&self) -> manyworlds::Program {
        let mut program = manyworlds::Program::empty().losses(self.losses);
        for (n, ops) in self.roots.iter().enumerate() {
            let (ops, roots): (Arc<[Op]>, _) = (ops.clone().into(), self.roots.len() as u8);
            program = program.process(format!("root{n}"), move || {
                Process::new(roots, None).run(&ops);
            });
        }
        match self.watch {
            Some(watch) if watch.odd_only => program.monitor(move || OddOnly(Counter { watch, seen: 0 })),
            Some(watch) => program.monitor(move || Everything(Counter { watch, seen: 0 })),
            None => program,
        }
    }
}

/// A process while it runs.
struct Process {
    roots: u8,
    parent: Option<Pid>,
    children: Vec<JoinHandle<u8>>,
    reply_to: Option<Pid>,
    last: u8,
}

impl Process {
    fn new(roots: u8, parent: Option<Pid>) -> Process {
        Process { roots, parent, children: Vec::new(), reply_to: None, last: 0 }
    }

    fn run(&mut self, ops: &[Op]) {
        for op in ops {
            self.perform(op);
        }
    }

    fn perform(&mut self, op: &Op) {
        match op {
            Op::Send { to, tag, value, on: network, lossy } => {
                let (to, value) = (self.destination(*to), self.value(*value));
                match tag {
                    Tag::A => transmit(network.map(on), *lossy, to, A(value)),
                    Tag::B => transmit(network.map(on), *lossy, to, B { from: me(), value }),
                }
            }
            Op::Recv { tag: Tag::A, filter, on: network, blocking } => {
                let got = receive(network.map(on), *blocking, filter.map(|f| move |a: &A| f.holds(a.0)));
                self.last = got.map_or(TIMED_OUT, |a| a.0);
            }
            Op::Recv { tag: Tag::B, filter, on: network, blocking } => {
                let got = receive(network.map(on), *blocking, filter.map(|f| move |b: &B| f.holds(b.value)));
                self.last = got.as_ref().map_or(TIMED_OUT, |b| b.value);
                self.reply_to = got.map_or(self.reply_to, |b| Some(b.from));
            }
            Op::Choose(arity) => self.last = choose(0..*arity),
            Op::If(cond, then, otherwise) => self.run(if cond.holds(self.last) { then } else { otherwise }),
            Op::Spawn { daemon, body } => self.spawn(*daemon, body),
            Op::Join(n) => {
                if let Some(child) = self.child(*n) {
                    self.last = child.join();
                }
            }
            Op::Assume(cond) => assume(cond.holds(self.last)),
            Op::Assert(cond) => self.assert(*cond),
        }
    }

    fn spawn(&mut self, daemon: bool, body: &[Op]) {
        let builder = process(format!("child{}", self.children.len()));
        let builder = if daemon { builder.daemon() } else { builder };
        let (body, roots, parent): (Arc<[Op]>, _, _) = (body.into(), self.roots, me());
        self.children.push(builder.spawn(move || {
            let mut child = Process::new(roots, Some(parent));
            child.run(&body);
            child.last
        }));
    }

    fn assert(&self, cond: Cond) {
        assert!(cond.holds(self.last), "{} is not what {cond:?} says", self.last);
    }

    fn child(&self, n: u8) -> Option<JoinHandle<u8>> {
        self.children.get(usize::from(n).checked_rem(self.children.len())?).copied()
    }

    fn destination(&self, to: To) -> Pid {
        let found = match to {
            To::Root(n) => Some(Pid::root(u16::from(n % self.roots))),
            To::Child(n) => self.child(n).map(|child| child.pid()),
            To::Me => None,
            To::Parent => self.parent,
            To::Reply => self.reply_to,
        };
        found.unwrap_or_else(me)
    }

    fn value(&self, value: Expr) -> u8 {
        match value {
            Expr::Const(value) => value,
            Expr::Last => self.last,
        }
    }
}

fn transmit<M: Message>(channel: Option<Channel>, lossy: bool, to: Pid, message: M) {
    match (channel, lossy) {
        (None, false) => send(to, message),
        (None, true) => send_lossy(to, message),
        (Some(on), false) => on.send(to, message),
        (Some(on), true) => on.send_lossy(to, message),
    }
}

fn receive<M: Message>(
    channel: Option<Channel>,
    blocking: bool,
    filter: Option<impl Fn(&M) -> bool + 'static>,
) -> Option<M> {
    match (channel, blocking, filter) {
        (None, true, None) => Some(recv()),
        (None, true, Some(filter)) => Some(recv_where(filter)),
        (None, false, None) => recv_timeout(),
        (None, false, Some(filter)) => recv_timeout_where(filter),
        (Some(on), true, None) => Some(on.recv()),
        (Some(on), true, Some(filter)) => Some(on.recv_where(filter)),
        (Some(on), false, None) => on.recv_timeout(),
        (Some(on), false, Some(filter)) => on.recv_timeout_where(filter),
    }
}

struct Counter {
    watch: Watch,
    seen: u8,
}

impl Counter {
    fn count(&mut self) {
        self.seen += 1;
        assert_ne!(self.seen, self.watch.objects_to, "too many");
    }

    fn end(&self) {
        assert!(self.seen >= self.watch.wants, "too few");
    }
}

struct Everything(Counter);

impl Monitor for Everything {
    fn subscriptions() -> Vec<Subscription<Self>> {
        vec![Subscription::to::<A>()]
    }

    fn at_end(&mut self) {
        self.0.end();
    }
}

impl Observe<A> for Everything {
    fn notify(&mut self, _: &Observed<'_, A>) {
        self.0.count();
    }
}

struct OddOnly(Counter);

impl Monitor for OddOnly {
    fn subscriptions() -> Vec<Subscription<Self>> {
        vec![Subscription::to::<A>(), Subscription::to::<B>()]
    }

    fn at_end(&mut self) {
        self.0.end();
    }
}

impl Observe<A> for OddOnly {
    fn filter(seen: &Observed<'_, A>) -> bool {
        seen.message.0 % 2 == 1
    }

    fn notify(&mut self, _: &Observed<'_, A>) {
        self.0.count();
    }
}

impl Observe<B> for OddOnly {
    fn filter(seen: &Observed<'_, B>) -> bool {
        seen.to != seen.from && seen.message.value % 2 == 1
    }

    fn notify(&mut self, _: &Observed<'_, B>) {
        self.0.count();
    }
}
