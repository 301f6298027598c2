//! The builder of systems: actors, networks, faults and properties.

use crate::actor::Actor;
use crate::address::{Handle, Reserved};
use crate::context::Sent;
use crate::erased::{AnyActor, Undefined};
use crate::faults::Faults;
use crate::history::AnySpec;
use crate::monitor::DeclaredMonitor;
use crate::question::Fold;
pub use crate::question::{AnyFold, Form, KeyOf, LocalPredicate, Predicate, Question};
use crate::receives::Annotations;
use crate::view::View;
use crate::worlds::Worlds;
use manyworlds_core::decides::{self, Setup, SubjectKind};
use manyworlds_core::{Engine, Network, Pid};
use manyworlds_explore::{Keys, Kind, Strength};
use manyworlds_linear::Spec;
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// The maximal number of actors in a system.
pub const MAX_ACTORS: usize = 10_000;

/// The maximal number of actors in a system with partitions or a declared topology: there a set of actors is a word.
pub const MAX_IN_SETS: usize = 64;

/// An actor of a system.
#[derive(Clone)]
pub struct DeclaredActor {
    /// Its name.
    pub name: String,
    /// Its handlers.
    pub code: Arc<dyn AnyActor>,
    /// The fairness that is assumed of its steps, if any.
    pub fair: Option<Strength>,
    /// The fairness that is assumed of each of its queues, if any.
    pub fair_queues: Option<Strength>,
    /// Whether it may crash, if there is a fault budget for crashes.
    pub may_crash: bool,
}

/// The declaration of a system.
#[derive(Clone, Default)]
pub struct Blueprint {
    /// Actor `n` has the id `Pid::root(n)`.
    pub actors: Vec<DeclaredActor>,
    /// The network of channels that are not in `channels`.
    pub network: Network,
    /// The networks of single channels (from, to).
    pub channels: FxHashMap<(u16, u16), Network>,
    /// The fault budget.
    pub faults: Faults,
    /// The partitions that are explored, each by one side; empty: all partitions.
    pub sides: Vec<u64>,
    /// For each sender the set of actors to which it may ever send; `None`: every actor may send to every actor.
    pub topology: Option<Vec<u64>>,
    /// Sets of actors that are identical up to their ids.
    pub identical: Vec<Vec<u16>>,
    /// The properties.
    pub questions: Vec<Question>,
    /// The specification of the operations that actors record.
    pub spec: Option<Arc<dyn AnySpec>>,
    /// The keys that messages touch, and the messages that are excluded.
    pub annotations: Annotations,
    /// Losses and duplicates hit messages of actors to themselves, too.
    pub own_faults: bool,
    /// Deliveries that do nothing are left out, where that is sound: see [`System::leave_out_idle_deliveries`].
    pub leaves_out_idle: bool,
    /// The monitors.
    pub monitors: Vec<DeclaredMonitor>,
    /// The maximal number of actors that are created on a path.
    pub creates: u16,
    /// A message to an actor that has halted is a failure of its sender.
    pub forbids_halted: bool,
}

impl Blueprint {
    /// The index of the actor with this id.
    pub fn index(&self, pid: Pid) -> Option<u16> {
        // The index is read from the bits of the id and then verified, because other kinds of processes have ids too.
        let n = (pid.to_bits() >> 48).wrapping_sub(1) as u16;
        (usize::from(n) < self.actors.len() && Pid::root(n) == pid).then_some(n)
    }

    /// Whether some fairness is assumed.
    pub fn is_fair(&self) -> bool {
        self.actors.iter().any(|actor| actor.fair.max(actor.fair_queues).is_some())
    }

    /// The features of this system that determine which questions an engine decides; the caller adds the reductions.
    pub fn setup(&self) -> Setup {
        Setup {
            fair: self.is_fair(),
            faults: !self.faults.none(),
            mixed_channels: !self.channels.is_empty(),
            mbox: self.network == Network::Mbox,
            creates: self.creates > 0,
            forbids_halted: self.forbids_halted,
            monitored: !self.monitors.is_empty(),
            ..Setup::plain(SubjectKind::Actors)
        }
    }

    /// The reason why an engine cannot decide all questions about the system, if it cannot.
    pub fn undecided(&self, engine: Engine, setup: &Setup) -> Option<String> {
        let decide = |question| decides::decides(engine, question, setup).err();
        if let Some(why) = decide(decides::Question::Failure) {
            return Some(format!("engine `{engine}`: {why}"));
        }
        let history = self
            .spec
            .as_ref()
            .map(|_| ("whether operations are linearizable".to_string(), decides::Question::Linearizable));
        let states = self
            .questions
            .iter()
            .map(|question| (format!("`{}`", question.violation().property), question.as_decided()));
        let why = history.into_iter().chain(states).find_map(|(what, question)| Some((what, decide(question)?)));
        why.map(|(what, why)| format!("engine `{engine}` cannot decide {what}: {why}"))
    }

    /// The actors that were reserved and not defined.
    pub fn undefined(&self) -> Option<String> {
        let missing = self.actors.iter().filter(|actor| actor.code.is_undefined());
        let names: Vec<String> = missing.map(|actor| format!("`{}`", actor.name)).collect();
        let verb = if names.len() == 1 { "was" } else { "were" };
        let names = names.join(", ");
        (!names.is_empty()).then(|| format!("{names} {verb} reserved and not defined: call `System::define`"))
    }

    /// A property over one of several identical actors, which symmetry reduction would evaluate for another one of them.
    pub fn asymmetric(&self) -> Option<String> {
        self.questions.iter().find_map(|question| {
            let Form::Actor { actor, .. } = question.form else { return None };
            let is_one_of = |group: &Vec<u16>| group.len() > 1 && group.contains(&actor);
            let name = &self.actors[usize::from(actor)].name;
            let property = question.violation().property;
            self.identical.iter().any(is_one_of).then(|| {
                format!(
                    "`{property}` is about `{name}`, which is one of several identical actors: state it for all of them, or check without \
                     symmetry"
                )
            })
        })
    }

    /// What is wrong with a message that this actor sent because of its type, if its receiver does not handle messages of that type.
    pub(crate) fn mistyped(&self, from: u16, sent: &Sent) -> Option<String> {
        let to = &self.actors[usize::from(self.index(sent.to)?)];
        let handled = to.code.refuses(&*sent.message)?;
        let from = self.actors.get(usize::from(from)).map_or("a created actor", |from| &from.name);
        let (message, given) = (&sent.message, sent.message.type_name());
        Some(format!(
            "{from} sent {message:?} of type `{given}` to {}, which handles messages of type `{handled}`",
            to.name
        ))
    }

    /// The network of a channel.
    pub fn channel(&self, from: u16, to: u16) -> Network {
        match self.channels.is_empty() {
            true => self.network,
            false => self.channels.get(&(from, to)).copied().unwrap_or(self.network),
        }
    }

    /// Whether some channel has this network.
    pub fn uses(&self, network: Network) -> bool {
        let n = self.actors.len() as u16;
        (0..n).any(|from| (0..n).any(|to| self.channel(from, to) == network))
    }

    /// Whether `from` may ever send to `to`. The declared topology is about declared actors.
    pub fn may_send(&self, from: u16, to: u16) -> bool {
        let Some(row) = self.topology.as_ref().and_then(|rows| rows.get(usize::from(from))) else { return true };
        usize::from(to) >= self.actors.len() || usize::from(to) < MAX_IN_SETS && (row >> to) & 1 == 1
    }

    /// Messages to a crashed actor are dropped, because no actor can restart in this run.
    pub fn drops_messages(&self) -> bool {
        self.faults.crashes > 0 && self.faults.restarts == 0
    }
}

/// A system of actors.
///
/// ```
/// use manyworlds_actor::{Actor, Address, Context, System};
/// use manyworlds_core::Pid;
///
/// struct Counter;
/// impl Actor for Counter {
///     type State = u32;
///     type Message = u32;
///     fn start(&self, _: &mut Context<'_>) -> u32 { 0 }
///     fn message(&self, total: &mut u32, _: Pid, add: &u32, _: &mut Context<'_>) { *total += add }
/// }
///
/// struct Customer { counter: Address<u32>, buys: u32 }
/// impl Actor for Customer {
///     type State = ();
///     type Message = ();
///     fn start(&self, ctx: &mut Context<'_>) { ctx.send(self.counter, self.buys) }
///     fn message(&self, _: &mut (), _: Pid, _: &(), _: &mut Context<'_>) {}
/// }
///
/// let mut system = System::new();
/// let counter = system.add("counter", Counter);
/// for buys in [1, 2] {
///     system.add(format!("customer {buys}"), Customer { counter: counter.address(), buys });
/// }
/// let system = system.at_rest("all is counted", move |view| view.state(counter) == Some(&3));
/// # let _ = system;
/// ```
#[derive(Clone, Default)]
pub struct System(Blueprint);

impl System {
    /// A system without actors, under p2p, without faults.
    pub fn new() -> System {
        System::default()
    }

    /// Adds an actor; the `n`-th one added or reserved has the id `Pid::root(n)`.
    ///
    /// The handle is typed: properties read the state of the actor by it (see [`View::state`]), and other actors send to its
    /// [`address`](Handle::address).
    ///
    /// # Panics
    /// If there are [`MAX_ACTORS`] already.
    pub fn add<A: Actor>(&mut self, name: impl Into<String>, actor: A) -> Handle<A> {
        Handle::new(self.push(name.into(), Arc::new(actor)))
    }

    /// Reserves a place for an actor, so that others can have its address before it is [defined](System::define): for actors that know
    /// each other. A system in which an actor was reserved and not defined cannot be checked.
    ///
    /// ```
    /// use manyworlds_actor::{Actor, Address, Context, System};
    /// use manyworlds_core::Pid;
    ///
    /// struct Player { other: Address<u32>, serves: bool }
    /// impl Actor for Player {
    ///     type State = u32;
    ///     type Message = u32;
    ///     fn start(&self, ctx: &mut Context<'_>) -> u32 {
    ///         if self.serves { ctx.send(self.other, 1) }
    ///         0
    ///     }
    ///     fn message(&self, seen: &mut u32, _: Pid, ball: &u32, ctx: &mut Context<'_>) {
    ///         *seen = *ball;
    ///         if *ball < 4 { ctx.send(self.other, ball + 1) }
    ///     }
    /// }
    ///
    /// let mut system = System::new();
    /// let (ann, bob) = (system.reserve("ann"), system.reserve("bob"));
    /// let (to_ann, to_bob) = (ann.address(), bob.address());
    /// system.define(ann, Player { other: to_bob, serves: true });
    /// let bob = system.define(bob, Player { other: to_ann, serves: false });
    /// let system = system.at_rest("bob sees the third ball last", move |view| view.state(bob) == Some(&3));
    /// # let _ = system;
    /// ```
    ///
    /// # Panics
    /// If there are [`MAX_ACTORS`] already.
    pub fn reserve<A: Actor>(&mut self, name: impl Into<String>) -> Reserved<A> {
        Reserved::new(self.push(name.into(), Arc::new(Undefined)))
    }

    /// Defines an actor that was [reserved](System::reserve) in this system.
    ///
    /// # Panics
    /// If it was reserved in another system.
    pub fn define<A: Actor>(&mut self, reserved: Reserved<A>, actor: A) -> Handle<A> {
        let n = usize::from(self.known(reserved.pid()));
        let declared = &mut self.0.actors[n];
        assert!(declared.code.is_undefined(), "actor `{}` was not reserved in this system", declared.name);
        declared.code = Arc::new(actor);
        reserved.handle()
    }

    /// Adds an actor.
    pub fn actor(mut self, name: impl Into<String>, actor: impl Actor) -> System {
        self.add(name, actor);
        self
    }

    /// The network of channels that have none of their own; the default is p2p.
    pub fn network(mut self, network: Network) -> System {
        self.0.network = network;
        self
    }

    /// The network of one channel.
    pub fn channel(mut self, from: impl Into<Pid>, to: impl Into<Pid>, network: Network) -> System {
        let (from, to) = (self.known(from), self.known(to));
        self.0.channels.insert((from, to), network);
        self
    }

    /// The fault budget; the default is no faults.
    pub fn faults(mut self, faults: Faults) -> System {
        self.0.faults = faults;
        self
    }

    /// Lets losses and duplicates hit messages of actors to themselves; the default is that such messages are delivered exactly once.
    pub fn faults_hit_own_messages(mut self) -> System {
        self.0.own_faults = true;
        self
    }

    /// Only these actors may crash; the default is all actors.
    pub fn may_crash(mut self, actors: impl IntoIterator<Item = impl Into<Pid>>) -> System {
        self.0.actors.iter_mut().for_each(|actor| actor.may_crash = false);
        for actor in actors {
            let n = self.known(actor);
            self.0.actors[usize::from(n)].may_crash = true;
        }
        self
    }

    /// A partition of the network: these actors on one side, the others on the other. The default is all partitions.
    ///
    /// # Panics
    /// If one of them is not among the first [`MAX_IN_SETS`] actors.
    pub fn may_split(mut self, side: impl IntoIterator<Item = impl Into<Pid>>) -> System {
        let side = side.into_iter().fold(0, |side, actor| side | 1 << self.known_in_sets(actor));
        self.0.sides.push(side);
        self
    }

    /// Declares that `from` never sends to actors other than `to`. The partial-order reduction depends on this; violations are detected.
    ///
    /// # Panics
    /// If one of `to` is not among the first [`MAX_IN_SETS`] actors.
    pub fn sends_only_to(mut self, from: impl Into<Pid>, to: impl IntoIterator<Item = impl Into<Pid>>) -> System {
        let n = self.0.actors.len();
        let row = to.into_iter().fold(0, |row, actor| row | 1u64 << self.known_in_sets(actor));
        let from = usize::from(self.known(from));
        let rows = self.0.topology.get_or_insert_with(Vec::new);
        rows.resize(n.max(rows.len()), u64::MAX);
        rows[from] = row;
        self
    }

    /// Declares that these actors are identical up to their ids (see [`Actor::rename_state`]).
    pub fn identical(mut self, actors: impl IntoIterator<Item = impl Into<Pid>>) -> System {
        let group = actors.into_iter().map(|actor| self.known(actor)).collect();
        self.0.identical.push(group);
        self
    }

    /// Assumes weak fairness for an actor: it does not stay enabled for ever without taking a step. A step that changes nothing is no step.
    pub fn fair(self, actor: impl Into<Pid>) -> System {
        self.assuming(actor, Strength::Weak, |declared| &mut declared.fair)
    }

    /// Assumes strong fairness for an actor: it is not enabled again and again without taking a step again and again. This is more than weak fairness
    /// where faults, like partitions that heal, disable the actor from time to time.
    pub fn strongly_fair(self, actor: impl Into<Pid>) -> System {
        self.assuming(actor, Strength::Strong, |declared| &mut declared.fair)
    }

    /// Assumes weak fairness for each queue of an actor: its head does not stay deliverable for ever without being delivered. There is a queue for
    /// each sender under p2p and cd, and one for all senders under mbox; under asyn each sender and value has one.
    ///
    /// This is more than [`System::fair`], which holds if the actor takes some steps, of any queue or timer, again and again.
    pub fn fair_queues(self, actor: impl Into<Pid>) -> System {
        self.assuming(actor, Strength::Weak, |declared| &mut declared.fair_queues)
    }

    /// Assumes strong fairness for each queue of an actor, see [`System::fair_queues`]: if its heads are deliverable again and again, they are
    /// delivered again and again.
    pub fn strongly_fair_queues(self, actor: impl Into<Pid>) -> System {
        self.assuming(actor, Strength::Strong, |declared| &mut declared.fair_queues)
    }

    /// The stronger of two assumptions implies the weaker one.
    fn assuming(
        mut self,
        actor: impl Into<Pid>,
        strength: Strength,
        of: impl Fn(&mut DeclaredActor) -> &mut Option<Strength>,
    ) -> System {
        let n = self.known(actor);
        let assumed = of(&mut self.0.actors[usize::from(n)]);
        *assumed = (*assumed).max(Some(strength));
        self
    }

    /// Must hold in every reachable state.
    pub fn always(self, name: impl Into<String>, holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> System {
        self.ask(Kind::Always, name, Form::Global(Arc::new(holds)))
    }

    /// Must hold in every reachable state, and once violated stays violated; an example is agreement (no two different decisions). Engines
    /// that do not visit every global state can decide it too.
    pub fn always_stable(
        self,
        name: impl Into<String>,
        holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Always, name, Form::Global(Arc::new(holds))).stable()
    }

    /// Must hold in no reachable state.
    pub fn never(self, name: impl Into<String>, holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> System {
        self.ask(Kind::Never, name, Form::Global(Arc::new(holds)))
    }

    /// Must hold in some reachable state.
    pub fn sometimes(
        self,
        name: impl Into<String>,
        holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Sometimes, name, Form::Global(Arc::new(holds)))
    }

    /// Must hold somewhere on every maximal path.
    pub fn eventually(
        self,
        name: impl Into<String>,
        holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Eventually, name, Form::Global(Arc::new(holds)))
    }

    /// Must hold again and again on every maximal path, and at its end if it has one: TLA+'s `[]<>P`.
    pub fn always_eventually(
        self,
        name: impl Into<String>,
        holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::AlwaysEventually, name, Form::Global(Arc::new(holds)))
    }

    /// On every maximal path a state in which `when` holds must be followed by one in which `then` holds, or be one: TLA+'s `P ~> Q`.
    pub fn leads_to(
        self,
        name: impl Into<String>,
        when: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
        then: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> System {
        let mut system = self.ask(Kind::LeadsTo, name, Form::Global(Arc::new(then)));
        if let Some(question) = system.0.questions.last_mut() {
            question.when = Some(Arc::new(when));
        }
        system
    }

    /// Must hold in every state without enabled steps. `|_| false` requires that there are no such states.
    pub fn at_rest(self, name: impl Into<String>, holds: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> System {
        self.ask(Kind::AtRest, name, Form::Global(Arc::new(holds)))
    }

    /// Must hold of the state of this actor, in every reachable state in which the actor has one: not before it starts, and not after a crash
    /// that nothing survives. The scope of the answer says so where that happened.
    ///
    /// Properties over one actor, over keys ([`System::at_most`]) and over folds ([`System::always_fold`]) are data: engines evaluate them
    /// local state by local state, and some engines decide only these.
    pub fn always_of<A: Actor>(
        self,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask_of(Kind::Always, actor, name, holds)
    }

    /// Must hold of the state of this actor in no reachable state.
    pub fn never_of<A: Actor>(
        self,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask_of(Kind::Never, actor, name, holds)
    }

    /// Must hold of the state of this actor in some reachable state.
    pub fn sometimes_of<A: Actor>(
        self,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask_of(Kind::Sometimes, actor, name, holds)
    }

    /// Must hold of the state of this actor somewhere on every maximal path.
    pub fn eventually_of<A: Actor>(
        self,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask_of(Kind::Eventually, actor, name, holds)
    }

    /// Must hold of the state of this actor in every state without enabled steps in which the actor has one.
    pub fn at_rest_of<A: Actor>(
        self,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask_of(Kind::AtRest, actor, name, holds)
    }

    /// In every reachable state at most this number of actors have the same key. The key is a projection of an actor's state; states of other
    /// types, and those without a key, do not count.
    ///
    /// ```
    /// # use manyworlds_actor::System;
    /// # #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    /// # struct Node { leads: bool, term: u32 }
    /// # let system = System::new();
    /// let system = system.at_most(1, "one leader per term", |node: &Node| node.leads.then_some(node.term));
    /// # let _ = system;
    /// ```
    pub fn at_most<S: 'static, K: Clone + Eq + Hash + Debug + Send + Sync + 'static>(
        self,
        actors: usize,
        name: impl Into<String>,
        key: impl Fn(&S) -> Option<K> + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Always, name, Form::keys(actors, key))
    }

    /// Must hold of the combined summary of all actors in every reachable state; see [`Fold`].
    pub fn always_fold<F: Fold>(
        self,
        name: impl Into<String>,
        fold: F,
        holds: impl Fn(&F::Summary) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Always, name, Form::fold(fold, holds))
    }

    /// Must hold of the combined summary of all actors in no reachable state; see [`Fold`].
    pub fn never_fold<F: Fold>(
        self,
        name: impl Into<String>,
        fold: F,
        holds: impl Fn(&F::Summary) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Never, name, Form::fold(fold, holds))
    }

    /// Must hold of the combined summary of all actors in some reachable state; see [`Fold`].
    pub fn sometimes_fold<F: Fold>(
        self,
        name: impl Into<String>,
        fold: F,
        holds: impl Fn(&F::Summary) -> bool + Send + Sync + 'static,
    ) -> System {
        self.ask(Kind::Sometimes, name, Form::fold(fold, holds))
    }

    /// The operations that actors record (see [`Context::invoked`](crate::Context::invoked)) must be linearizable: each must appear to take
    /// effect atomically between its invocation and its response. An actor has one operation open at a time; if it invokes another one
    /// before the first returned, or never receives the response, the first may take effect at any later time or never.
    ///
    /// A system has one specification; several objects are specified as one object that contains them.
    pub fn linearizable(mut self, spec: impl Spec) -> System {
        self.0.spec = Some(Arc::new(spec));
        self
    }

    /// Declares which keys of a distributed map the receiver of a message of this type touches, for the scheduler LiViola: it does not
    /// explore both orders of two messages that touch no common key. Messages without a declaration, with [`Keys::Unknown`], or for which
    /// the closure panics count as touching all keys.
    ///
    /// LiViola searches for histories that are not linearizable. The keys lose none of them if a handler, for a message that touches some
    /// keys, reads and writes only the parts of the state that belong to those keys, and sends only messages that touch no others: then
    /// messages with different keys commute, and each key has its own history. A message whose effect depends on more (the current leader,
    /// the membership, a counter) touches all keys.
    pub fn touches<M: 'static>(mut self, keys: impl Fn(&M) -> Keys + Send + Sync + 'static) -> System {
        self.0.annotations.touches(keys);
        self
    }

    /// Excludes messages of this type from reordering by the scheduler LiViola: they are received when they arrive.
    ///
    /// This is sound for a message whose receipt neither interferes with others nor makes its receiver send messages that may, does not
    /// change the values that the receiver stores for any key, and does not change the observations of a client. An acknowledgement that no
    /// actor waits for is an example; a message that ends an operation is not.
    pub fn excluded<M: 'static>(mut self, excluded: impl Fn(&M) -> bool + Send + Sync + 'static) -> System {
        self.0.annotations.excludes(excluded);
        self
    }

    /// Keeps only the properties for which `keep` returns true, so that an engine that cannot decide all of them can decide these.
    pub fn keep_questions(mut self, keep: impl Fn(&Question) -> bool) -> System {
        self.0.questions.retain(keep);
        self
    }

    /// The system as a transition system.
    pub fn worlds(&self) -> Worlds {
        Worlds::new(self.0.clone())
    }

    /// The declaration of the system.
    pub fn blueprint(&self) -> &Blueprint {
        &self.0
    }

    /// The declaration of the system, to be changed.
    pub(crate) fn blueprint_mut(&mut self) -> &mut Blueprint {
        &mut self.0
    }

    fn ask_of<A: Actor>(
        self,
        kind: Kind,
        actor: Handle<A>,
        name: impl Into<String>,
        holds: impl Fn(&A::State) -> bool + Send + Sync + 'static,
    ) -> System {
        let actor = self.known(actor);
        self.ask(kind, name, Form::of(actor, holds))
    }

    /// Declares that the property which was added last stays violated once it is violated.
    fn stable(mut self) -> System {
        self.0.questions.iter_mut().next_back().into_iter().for_each(|question| question.stable = true);
        self
    }

    fn ask(mut self, kind: Kind, name: impl Into<String>, form: Form) -> System {
        let id = self.0.questions.iter().map(|question| question.id + 1).max().unwrap_or(0);
        // In a state without enabled steps a path ends: what is violated there stays violated.
        let stable = kind == Kind::AtRest;
        self.0.questions.push(Question { id, kind, name: name.into(), stable, form, when: None });
        self
    }

    fn push(&mut self, name: String, code: Arc<dyn AnyActor>) -> Pid {
        let n = self.0.actors.len();
        assert!(n < MAX_ACTORS, "a system has at most {MAX_ACTORS} actors");
        self.0.actors.push(DeclaredActor { name, code, fair: None, fair_queues: None, may_crash: true });
        Pid::root(n as u16)
    }

    fn known_in_sets(&self, actor: impl Into<Pid>) -> u16 {
        let actor = self.known(actor);
        let most = MAX_IN_SETS;
        assert!(usize::from(actor) < most, "partitions and topologies can name the first {most} actors only");
        actor
    }

    fn known(&self, actor: impl Into<Pid>) -> u16 {
        let actor = actor.into();
        self.0.index(actor).unwrap_or_else(|| panic!("there is no actor {actor:?} in this system: add it first"))
    }
}
