//! The reference engine: explores every interleaving of a small program by a search over its global states.
//!
//! A global state consists of the local state and the history of each process and the messages in flight. A step executes the
//! next operation of one enabled process. The four communication models are implemented operationally: as a bag, as one queue per
//! sender, with vector clocks, and as one queue in the order of arrival. The result is the set of finished executions in
//! canonical form ([`World`]).
//!
//! The search is the oracle for the DPOR engine and uses none of its concepts: there are no execution graphs, no revisits, no consistency
//! predicates, no order in which events must be added, and no assumption that two steps commute. The only reduction is that
//! a global state reached twice is expanded once. A state holds everything that its future and its final [`World`]s depend on, so
//! equal states lead to equal sets of worlds. The running time is exponential.

use crate::world::{Ending, EventName, World, WorldEvent};
use manyworlds_core::{
    Action, Cursor, Deadlock, Locals, Network, NoObserver, NodeId, OBS_END, OBS_TIMEOUT, Obs, Observer, Pid, Progress,
    StopReason, ValueId,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::rc::Rc;

/// The configuration of a brute-force search.
#[derive(Clone, Debug)]
pub struct BruteConfig {
    /// Whether an execution in which a process waits forever is violating or blocked.
    pub deadlock: Deadlock,
    /// How many messages may be lost in one execution.
    pub loss_budget: u32,
    /// Give up after this many explored steps.
    pub max_steps: u64,
    /// Stop after this many finished executions.
    pub max_executions: Option<u64>,
}

impl Default for BruteConfig {
    fn default() -> BruteConfig {
        BruteConfig { deadlock: Deadlock::Allow, loss_budget: 0, max_steps: u64::MAX, max_executions: None }
    }
}

/// The program has more steps than [`BruteConfig::max_steps`]. An incomplete set of executions is not an oracle, so none is returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BruteGaveUp;

impl fmt::Display for BruteGaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("brute force gave up: the program has too many steps")
    }
}

impl std::error::Error for BruteGaveUp {}

/// The observer is called once per this many states.
const TICK: usize = 64;

/// Returns all distinct finished executions of the program.
pub fn brute_force(locals: &mut dyn Locals, config: &BruteConfig) -> Result<BTreeSet<World>, BruteGaveUp> {
    match brute_watched(locals, config, &NoObserver) {
        (worlds, None) => Ok(worlds),
        (_, Some(_)) => Err(BruteGaveUp),
    }
}

/// Returns the distinct finished executions found until the search ended, and the reason if it stopped early.
pub fn brute_watched(
    locals: &mut dyn Locals,
    config: &BruteConfig,
    observer: &dyn Observer,
) -> (BTreeSet<World>, Option<StopReason>) {
    let start = Rc::new(State::initial(locals));
    let mut seen = HashSet::from([Rc::clone(&start)]);
    let mut todo = vec![start];
    let mut worlds = BTreeSet::new();
    let (mut steps, mut visits) = (0, 0);
    while let Some(state) = todo.pop() {
        let progress = Progress { executions: worlds.len() as u64, ..Progress::default() };
        visits += 1;
        if visits % TICK == 1
            && let Some(reason) = observer.tick(&progress)
        {
            return (worlds, Some(reason));
        }
        let next = state.successors(locals, config.loss_budget);
        if next.is_empty() {
            let world = state.world(locals, config.deadlock);
            if !worlds.contains(&world) && config.max_executions.is_some_and(|most| worlds.len() as u64 >= most) {
                return (worlds, Some(StopReason::MaxExecutions));
            }
            worlds.insert(world);
        }
        for state in next {
            steps += 1;
            if steps > config.max_steps {
                return (worlds, Some(StopReason::MaxSteps));
            }
            let state = Rc::new(state);
            if seen.insert(Rc::clone(&state)) {
                todo.push(state);
            }
        }
    }
    (worlds, None)
}

/// A vector clock: how many events of each process are in the causal past of an event.
type Clock = BTreeMap<Pid, u32>;

fn merge(clock: &mut Clock, other: &Clock) {
    for (&pid, &count) in other {
        let known = clock.entry(pid).or_default();
        *known = count.max(*known);
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Process {
    /// Whether the process may wait forever; also true for monitors.
    daemon: bool,
    monitor: bool,
    /// The two halves of its [`Cursor`].
    node: NodeId,
    off: u32,
    events: Vec<WorldEvent>,
    /// The event that spawned the process, or `None` for a root process.
    spawn: Option<EventName>,
    /// The causal past of the process, including its own events.
    past: Clock,
}

impl Process {
    fn new(daemon: bool, monitor: bool, node: NodeId, spawn: Option<EventName>, past: Clock) -> Process {
        Process { daemon, monitor, node, off: 0, events: Vec::new(), spawn, past }
    }

    fn has_in_past(&self, event: EventName) -> bool {
        self.past.get(&event.pid).is_some_and(|&count| event.index < count)
    }
}

/// A message in flight.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Message {
    send: EventName,
    value: ValueId,
    /// The causal past of the sender at the send.
    past: Clock,
}

impl Message {
    fn has_in_past(&self, send: EventName) -> bool {
        self.past.get(&send.pid).is_some_and(|&count| send.index < count)
    }
}

/// A global state. Equal states have equal futures and lead to the same worlds.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// By pid and not by creation, so that states that differ only in the order of concurrent spawns are equal.
    processes: BTreeMap<Pid, Rc<Process>>,
    /// The messages to a process under a communication model: in the order of arrival for mbox, the only model that depends on it,
    /// and sorted by name for the others, so that equal bags are equal and messages of one sender are in program order.
    network: BTreeMap<(Pid, Network), Vec<Rc<Message>>>,
    /// Messages lost so far.
    losses: u32,
}

impl State {
    fn initial(locals: &mut dyn Locals) -> State {
        let roots = locals.roots();
        let processes = roots.iter().map(|root| {
            (
                locals.pid(root.proc),
                Rc::new(Process::new(root.daemon, root.role.observes(), root.node, None, Clock::new())),
            )
        });
        State { processes: processes.collect(), network: BTreeMap::new(), losses: 0 }
    }

    /// The states after one step of some process; empty when the execution is finished.
    fn successors(&self, locals: &mut dyn Locals, loss_budget: u32) -> Vec<State> {
        self.processes.keys().flat_map(|&pid| self.moves(pid, locals, loss_budget)).collect()
    }

    /// The next action of a process. A send to a process whose spawn is not in the sender's causal past fails.
    fn action(&self, pid: Pid, locals: &dyn Locals) -> Action {
        let process = &self.processes[&pid];
        let action = locals.action(Cursor { node: process.node, off: process.off });
        let known =
            |to: Pid| self.processes.get(&to).is_some_and(|to| to.spawn.is_none_or(|spawn| process.has_in_past(spawn)));
        match action {
            Action::Send { to, .. } if !known(locals.pid(to)) => Action::Fail,
            action => action,
        }
    }

    fn moves(&self, pid: Pid, locals: &mut dyn Locals, loss_budget: u32) -> Vec<State> {
        match self.action(pid, locals) {
            Action::Send { to, value, network } => vec![self.send(pid, locals.pid(to), value, network)],
            Action::Spawn { child, root, daemon } => {
                locals.start(root);
                vec![self.spawn(pid, locals.pid(child), root, daemon)]
            }
            Action::Recv { network, blocking } => self.receive(pid, locals, network, blocking),
            Action::Choose { arity, loss } => (0..arity)
                .filter(|&answer| !(loss && answer == 1) || self.losses < loss_budget)
                .map(|answer| {
                    let mut next = self.clone();
                    next.losses += u32::from(loss && answer == 1);
                    next.answer(pid, locals, WorldEvent::Choose(answer), answer)
                })
                .collect(),
            Action::Join { child } => self.join(pid, locals.pid(child), locals).into_iter().collect(),
            Action::End { .. } | Action::Stuck | Action::Bound | Action::Fail => vec![],
        }
    }

    fn process(&mut self, pid: Pid) -> &mut Process {
        Rc::make_mut(self.processes.get_mut(&pid).expect("a process that moves exists"))
    }

    /// Appends an event to the history of a process and returns its name.
    fn record(&mut self, pid: Pid, event: WorldEvent) -> EventName {
        let process = self.process(pid);
        let index = process.events.len() as u32;
        process.events.push(event);
        process.past.insert(pid, index + 1);
        EventName { pid, index }
    }

    fn send(&self, pid: Pid, to: Pid, value: ValueId, network: Network) -> State {
        let mut next = self.clone();
        let send = next.record(pid, WorldEvent::Send(to, network));
        let process = next.process(pid);
        process.off += 1;
        let message = Rc::new(Message { send, value, past: process.past.clone() });
        let queue = next.network.entry((to, network)).or_default();
        let place = if network == Network::Mbox { queue.len() } else { queue.partition_point(|m| m.send < send) };
        queue.insert(place, message);
        next
    }

    fn spawn(&self, pid: Pid, child: Pid, root: NodeId, daemon: bool) -> State {
        let mut next = self.clone();
        let spawn = next.record(pid, WorldEvent::Spawn(child));
        let parent = next.process(pid);
        parent.off += 1;
        let process = Process::new(daemon, false, root, Some(spawn), parent.past.clone());
        assert!(next.processes.insert(child, Rc::new(process)).is_none(), "{child} was spawned twice");
        next
    }

    fn receive(&self, pid: Pid, locals: &mut dyn Locals, network: Network, blocking: bool) -> Vec<State> {
        let takeable = self.takeable(pid, locals, network);
        let mut all: Vec<State> = takeable.iter().map(|message| self.take(pid, locals, network, message)).collect();
        if !blocking {
            all.push(self.clone().answer(pid, locals, WorldEvent::Recv(None), OBS_TIMEOUT));
        }
        all
    }

    /// The messages that the network may deliver to the receive that `pid` is about to execute.
    fn takeable(&self, pid: Pid, locals: &mut dyn Locals, network: Network) -> Vec<Rc<Message>> {
        let node = self.processes[&pid].node;
        let pending = self.network.get(&(pid, network)).into_iter().flatten();
        let accepted: Vec<_> = pending.filter(|m| locals.accepts(node, m.value)).collect();
        let may_come = |i: usize| match network {
            Network::Asyn => true,
            Network::P2p => accepted[..i].iter().all(|m| m.send.pid != accepted[i].send.pid),
            Network::Cd => accepted.iter().all(|m| m.send == accepted[i].send || !accepted[i].has_in_past(m.send)),
            Network::Mbox => i == 0,
        };
        (0..accepted.len()).filter(|&i| may_come(i)).map(|i| Rc::clone(accepted[i])).collect()
    }

    fn take(&self, pid: Pid, locals: &mut dyn Locals, network: Network, message: &Message) -> State {
        let mut next = self.clone();
        next.network.entry((pid, network)).and_modify(|queue| queue.retain(|m| m.send != message.send));
        merge(&mut next.process(pid).past, &message.past);
        next.answer(pid, locals, WorldEvent::Recv(Some(message.send)), message.value.0)
    }

    fn join(&self, pid: Pid, child: Pid, locals: &mut dyn Locals) -> Option<State> {
        let joined = self.processes.get(&child)?;
        let Action::End { value } = self.action(child, locals) else { return None };
        let mut next = self.clone();
        merge(&mut next.process(pid).past, &joined.past);
        Some(next.answer(pid, locals, WorldEvent::Join(child), value.0))
    }

    /// Executes the closing action of a process with the observation `obs`.
    fn answer(mut self, pid: Pid, locals: &mut dyn Locals, event: WorldEvent, obs: Obs) -> State {
        self.record(pid, event);
        let process = self.process(pid);
        process.node = locals.step(process.node, obs);
        process.off = 0;
        self
    }

    /// The canonical form of the finished execution whose last state this is.
    fn world(&self, locals: &mut dyn Locals, deadlock: Deadlock) -> World {
        let ending = self.ending(locals, deadlock);
        World { ending, processes: self.processes.iter().map(|(&pid, p)| (pid, p.events.clone())).collect() }
    }

    fn ending(&self, locals: &mut dyn Locals, deadlock: Deadlock) -> Ending {
        let last: Vec<(&Process, Action)> =
            self.processes.iter().map(|(&pid, p)| (&**p, self.action(pid, locals))).collect();
        let at = |action| last.iter().any(|&(_, a)| a == action);
        // No process is enabled: a process that has not ended, failed, reached a bound or got stuck waits forever.
        let waits = |p: &Process, a| !p.daemon && !matches!(a, Action::End { .. });
        if at(Action::Fail) {
            Ending::Violating
        } else if at(Action::Bound) {
            Ending::Truncated
        } else if at(Action::Stuck) {
            Ending::Blocked
        } else if last.iter().any(|&(p, a)| fails_at_end(p, a, locals)) {
            Ending::Violating
        } else if last.iter().any(|&(p, a)| waits(p, a)) {
            if deadlock == Deadlock::Forbid { Ending::Violating } else { Ending::Blocked }
        } else {
            Ending::Complete
        }
    }
}

/// Whether a process is a monitor that fails in its check at the end of the execution.
fn fails_at_end(process: &Process, action: Action, locals: &mut dyn Locals) -> bool {
    if !process.monitor || !matches!(action, Action::Recv { .. }) {
        return false;
    }
    let node = locals.step(process.node, OBS_END);
    // Skip the sends and spawns of the node: only the closing action of the monitor matters.
    locals.action(Cursor { node, off: u32::MAX }) == Action::Fail
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds_core::{Failure, LocalStats, ProcId, ProcessRole, Root, StepInfo};

    /// An operation, skipped unless the last observation was `guard`; a receive with a `tag` accepts only that value.
    struct Op {
        guard: Option<Obs>,
        action: Action,
        tag: Option<u32>,
    }

    /// The litmus language of the oracles, and: `tD` `dD` spawn thread D (as a daemon), `jD` join it, `l` a loss
    /// choice, `F` fail, `S` stuck, `B` bound; the guard `e` holds for a monitor at the end of the execution.
    fn op(text: &str, network: Network) -> Op {
        let (guard, text) = text.split_once('?').map_or((None, text), |(g, rest)| (Some(g), rest));
        let (text, model) = text.split_once('@').unwrap_or((text, ""));
        let network = ["a", "p", "c", "b"].iter().position(|&m| m == model).map_or(network, |i| Network::ALL[i]);
        let (kind, rest) = text.split_at(1);
        let mut numbers = rest.split('.').map(|n| n.parse::<u32>().ok());
        let first = numbers.next().unwrap();
        let proc = ProcId(first.unwrap_or(0));
        let action = match kind {
            "s" => Action::Send { to: proc, value: ValueId(numbers.next().unwrap().unwrap()), network },
            "r" | "n" => Action::Recv { network, blocking: kind == "r" },
            "c" => Action::Choose { arity: first.unwrap(), loss: false },
            "l" => Action::Choose { arity: 2, loss: true },
            "t" | "d" => Action::Spawn { child: proc, root: NodeId(proc.0), daemon: kind == "d" },
            "j" => Action::Join { child: proc },
            "F" => Action::Fail,
            "S" => Action::Stuck,
            "B" => Action::Bound,
            _ => panic!("unknown operation {text}"),
        };
        Op { guard: guard.map(|g| g.parse().unwrap_or(OBS_END)), action, tag: first }
    }

    /// Threads as lists of operations. A node is (thread, number of executed operations, last observation).
    struct Script {
        threads: Vec<Vec<Op>>,
        roots: Vec<Root>,
        nodes: Vec<(u32, usize, Option<Obs>)>,
    }

    impl Script {
        /// Threads are separated by `|`; one that starts with `M` is a monitor, one that starts with `-` is spawned by another thread.
        fn parse(text: &str, network: Network) -> Script {
            let texts = || text.split('|').map(str::trim).zip(0..);
            let ops = |t: &str| t.trim_start_matches(['M', '-']).split_whitespace().map(|o| op(o, network)).collect();
            let root = |(t, n): (&str, u32)| {
                let monitor = t.starts_with('M');
                let role = if monitor { ProcessRole::Monitor } else { ProcessRole::Process };
                Root { proc: ProcId(n), node: NodeId(n), daemon: monitor, role, name: t.into() }
            };
            Script {
                threads: texts().map(|(t, _)| ops(t)).collect(),
                roots: texts().filter(|(t, _)| !t.starts_with('-')).map(root).collect(),
                nodes: texts().map(|(_, n)| (n, 0, None)).collect(),
            }
        }

        /// The operations from `node` on whose guards hold, with their indices.
        fn ops(&self, node: NodeId) -> impl Iterator<Item = (usize, &Op)> {
            let (thread, pc, last) = self.nodes[node.0 as usize];
            let ops = self.threads[thread as usize].iter().enumerate().skip(pc);
            ops.filter(move |(_, op)| op.guard.is_none() || op.guard == last)
        }

        fn closing(&self, node: NodeId) -> Option<(usize, &Op)> {
            self.ops(node).find(|(_, op)| !is_listed(op))
        }
    }

    fn is_listed(op: &Op) -> bool {
        matches!(op.action, Action::Send { .. } | Action::Spawn { .. })
    }

    impl Locals for Script {
        fn roots(&mut self) -> Vec<Root> {
            self.roots.clone()
        }
        fn root_name(&self, proc: ProcId) -> String {
            proc.0.to_string()
        }
        fn start(&mut self, _: NodeId) {}
        fn action(&self, at: Cursor) -> Action {
            let listed = self.ops(at.node).take_while(|(_, op)| is_listed(op)).nth(at.off as usize);
            let end = Action::End { value: ValueId(self.nodes[at.node.0 as usize].2.unwrap_or(0)) };
            listed.or_else(|| self.closing(at.node)).map_or(end, |(_, op)| op.action)
        }
        fn step(&mut self, node: NodeId, obs: Obs) -> NodeId {
            let (pc, _) = self.closing(node).expect("only a node with a closing operation is stepped");
            let next = (self.nodes[node.0 as usize].0, pc + 1, Some(obs).filter(|&o| o != OBS_TIMEOUT));
            let index = self.nodes.iter().position(|&n| n == next).unwrap_or(self.nodes.len());
            if index == self.nodes.len() {
                self.nodes.push(next);
            }
            NodeId(index as u32)
        }
        fn accepts(&mut self, node: NodeId, value: ValueId) -> bool {
            self.closing(node).is_some_and(|(_, op)| op.tag.is_none_or(|tag| tag == value.0))
        }
        fn pid(&self, proc: ProcId) -> Pid {
            Pid::root(proc.0 as u16)
        }
        fn proc(&self, _: Pid) -> Option<ProcId> {
            None
        }
        fn failure(&self, _: NodeId) -> Option<Failure> {
            None
        }
        fn fingerprint(&self, value: ValueId) -> u64 {
            u64::from(value.0)
        }

        fn describe(&self, _: Cursor) -> StepInfo {
            StepInfo::default()
        }
        fn show(&self, value: ValueId) -> String {
            value.0.to_string()
        }
        fn stats(&self) -> LocalStats {
            LocalStats::default()
        }
    }

    /// The numbers of worlds as `complete/blocked`, followed by `/violating/truncated` unless both are 0.
    fn count_with(program: &str, network: Network, config: &BruteConfig) -> String {
        let worlds = brute_force(&mut Script::parse(program, network), config).unwrap();
        let of = |ending| worlds.iter().filter(|w| w.ending == ending).count();
        let [complete, blocked] = [Ending::Complete, Ending::Blocked].map(of);
        match [Ending::Violating, Ending::Truncated].map(of) {
            [0, 0] => format!("{complete}/{blocked}"),
            [violating, truncated] => format!("{complete}/{blocked}/{violating}/{truncated}"),
        }
    }

    fn count(program: &str) -> String {
        count_with(program, Network::P2p, &BruteConfig::default())
    }

    /// The counts for each network, as in the table of litmus tests.
    fn row(program: &str) -> String {
        Network::ALL.map(|network| count_with(program, network, &BruteConfig::default())).join(" ")
    }

    #[test]
    fn agrees_with_rows_of_the_litmus_table() {
        for (id, program, expected) in [
            (1, "s0.1 s2.0 s1.1 r | s2.0 r | r s0.0", "4/0 4/0 3/0 3/0"),
            (2, "s1.1 s1.0 | s2.1 s0.1 r n | s1.1 s2.0", "9/0 5/0 5/0 5/0"),
            (5, "s0.1 s1.0 r | r s3.0 s0.0 | s3.0 s3.0 r s3.1 | s3.0 r r s0.1", "0/36 0/21 0/10 0/10"),
            (10, "s3.0 s1.0 c2 r | s3.1 s3.1 s3.0 n | s1.1 s0.1 s0.0 n1 | r s3.1", "48/0 12/0 12/0 12/0"),
            (14, "r s1.1 s3.0 | s3.0 s3.0 n1 s0.0 | r r | s2.0 s2.0 s0.1 r", "18/0 6/0 5/0 5/0"),
            (25, "n1 s0.1 s0.1 r | n0 s0.0 s0.1 r | s1.0 s0.1", "13/13 8/8 7/7 6/6"),
        ] {
            assert_eq!(row(program), expected, "row {id}");
        }
    }

    #[test]
    fn causality_passes_through_spawns_joins_and_other_models() {
        assert_eq!(row("s2.0 t1 | - s2.1 | r r"), "2/0 2/0 1/0 1/0");
        assert_eq!(row("t1 j1 s2.0 | - s2.1 | r r"), "2/0 2/0 1/0 1/0");
        assert_eq!(row("s2.0 s1.0@a | r@a s2.1 | r r"), "2/0 2/0 1/0 1/0");
        assert_eq!(row("s1.0@c s1.1@b | r@b r@c"), "1/0 1/0 1/0 1/0");
    }

    #[test]
    fn a_world_names_what_was_read() {
        let (a, b) = (Pid::root(0), Pid::root(1));
        let worlds = brute_force(&mut Script::parse("c1 s1.0 s1.1 | r1", Network::Mbox), &BruteConfig::default());
        let send = WorldEvent::Send(b, Network::Mbox);
        let read = WorldEvent::Recv(Some(EventName { pid: a, index: 2 }));
        let processes = vec![(a, vec![WorldEvent::Choose(0), send, send]), (b, vec![read])];
        assert_eq!(worlds, Ok(BTreeSet::from([World { ending: Ending::Complete, processes }])));
    }

    #[test]
    fn endings_in_order_of_priority() {
        assert_eq!(count("F | B | S | r | s0.0"), "0/0/1/0");
        assert_eq!(count("B | S | r"), "0/0/0/1");
        assert_eq!(count("d1 c2 | - r"), "2/0");
        assert_eq!(count("t1 c2 | - r"), "0/2");
        assert_eq!(count("t1 j1 1?F | - c2"), "1/0/1/0");
        assert_eq!(count("t1 j1 | - S"), "0/1");
        let forbid = BruteConfig { deadlock: Deadlock::Forbid, ..BruteConfig::default() };
        assert_eq!(count_with("S | r", Network::P2p, &forbid), "0/1");
        assert_eq!(count_with("t1 c2 | - r", Network::P2p, &forbid), "0/0/2/0");
        assert_eq!(count_with("d1 c2 | - r", Network::P2p, &forbid), "2/0");
    }

    #[test]
    fn monitors_are_daemons_with_a_check_at_the_end() {
        assert_eq!(count("c2 1?s1.1@c | M r@c e?F"), "1/0/1/0");
        assert_eq!(count("S | M r e?F"), "0/1");
        assert_eq!(count("r | M r e?F"), "0/0/1/0");
        assert_eq!(count("c2 | M r e?s0.0"), "2/0");
    }

    #[test]
    fn losses_and_steps_are_limited() {
        let counts = [0, 1, 2].map(|loss_budget| {
            count_with("l | l", Network::Asyn, &BruteConfig { loss_budget, ..BruteConfig::default() })
        });
        assert_eq!(counts, ["1/0", "3/0", "4/0"]);
        let mut script = Script::parse("s1.0 s1.1 | r", Network::Asyn);
        // Its states, sent × read: 00 10 11 20 21 22, where 2 under "read" is the second message; six steps between.
        let mut limited = |max_steps| brute_force(&mut script, &BruteConfig { max_steps, ..BruteConfig::default() });
        assert_eq!(limited(5), Err(BruteGaveUp));
        assert_eq!(limited(6).map(|worlds| worlds.len()), Ok(2));
    }
}
