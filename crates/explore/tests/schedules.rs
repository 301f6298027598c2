//! Schedulers on a small model of its own: letters in a bag, and actors that remember the order in which they got them.

use manyworlds_core::Violation;
use manyworlds_explore::{
    Budget, Config, Engine, HistoryEvent, HistoryKind, Keys, Lane, Model, NoObserver, Observer, Progress, Property,
    Receive, Receives, Refusal, Report, Specification, StopReason, Unanswered, explore, narrate, replay,
};
use manyworlds_testkit::random;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// A letter: who sent it, to whom, and its kind.
type Letter = (u8, u8, u8);
/// (actor, kind), and what it sends when it gets that kind: (to whom, kind).
type Answer = ((u8, u8), Vec<(u8, u8)>);

const INVOKE: u8 = 1;
const RETURN: u8 = 2;

#[derive(Clone, Debug, Default)]
struct Post {
    actors: u8,
    /// What is on its way at the start.
    first: Vec<Letter>,
    answers: Vec<Answer>,
    /// Whoever got an odd number of letters so far answers by these instead, and takes the next kind of letter for an invocation or a return.
    moods: Vec<Answer>,
    /// Everybody has one mailbox, whose letters come out in the order in which they went in.
    mailboxes: bool,
    /// Whether receivers forget what they got: then letters can go round for ever.
    forgets: bool,
    /// No history in which a return comes before the last invocation is linearizable.
    strict: bool,
    /// Something to ask.
    properties: Vec<Property<Post>>,
}

type Desk = (Vec<Vec<u8>>, Vec<Letter>);

impl Post {
    fn is_moody(&self, (got, _): &Desk, (_, to, _): Letter) -> bool {
        !self.moods.is_empty() && got[usize::from(to)].len() % 2 == 1
    }

    fn answer(&self, desk: &Desk, letter: Letter) -> impl Iterator<Item = Letter> {
        let (_, to, kind) = letter;
        let answers = if self.is_moody(desk, letter) { &self.moods } else { &self.answers };
        let sent = answers.iter().filter(move |(key, _)| *key == (to, kind)).flat_map(|(_, sent)| sent);
        sent.map(move |&(next, kind)| (to, next, kind))
    }

    /// What a letter is to a history.
    fn note(&self, desk: &Desk, letter: Letter) -> Option<HistoryKind> {
        match letter.2 + u8::from(self.is_moody(desk, letter)) {
            INVOKE => Some(HistoryKind::Invoked),
            RETURN => Some(HistoryKind::Returned),
            _ => None,
        }
    }

    fn sort(&self, mail: &mut [Letter]) {
        match self.mailboxes {
            true => mail.sort_by_key(|&(_, to, _)| to),
            false => mail.sort_unstable(),
        }
    }

    fn lane(&self, (from, to, kind): Letter) -> Lane {
        match self.mailboxes {
            true => Lane(u64::from(to), 0),
            false => Lane(u64::from(from) << 8 | u64::from(to), u64::from(kind)),
        }
    }
}

impl Model for Post {
    type State = Desk;
    type Action = Letter;

    fn initial(&self) -> Vec<Desk> {
        let mut mail = self.first.clone();
        self.sort(&mut mail);
        vec![(vec![Vec::new(); usize::from(self.actors)], mail)]
    }

    fn actions(&self, (_, mail): &Desk, out: &mut Vec<Letter>) {
        out.extend(mail);
        match self.mailboxes {
            true => out.dedup_by_key(|&mut (_, to, _)| to),
            false => out.dedup(),
        }
    }

    fn next(&self, desk: &Desk, letter: &Letter) -> Option<Desk> {
        let (mut got, mut mail) = desk.clone();
        mail.remove(mail.iter().position(|other| other == letter)?);
        mail.extend(self.answer(desk, *letter));
        self.sort(&mut mail);
        if !self.forgets {
            got[usize::from(letter.1)].push(letter.2);
        }
        Some((got, mail))
    }

    fn properties(&self) -> Vec<Property<Post>> {
        self.properties.clone()
    }
}

impl Receives<Desk, Letter> for Post {
    fn receive(&self, desk: &Desk, letter: &Letter) -> Option<Receive> {
        let note = self.note(desk, *letter);
        let waits = |other: &&Letter| self.lane(**other) == self.lane(*letter);
        let boxes = self.answer(desk, *letter).fold(0, |boxes, (_, to, _)| boxes | 1 << to);
        Some(Receive {
            sender: letter.0.into(),
            receiver: letter.1.into(),
            lane: self.lane(*letter),
            waiting: desk.1.iter().filter(waits).count() as u32,
            sends: self.answer(desk, *letter).map(|sent| self.lane(sent)).collect(),
            orders: if self.mailboxes { boxes } else { 0 },
            invokes: note == Some(HistoryKind::Invoked),
            returns: note == Some(HistoryKind::Returned),
            keys: Keys::only([letter.2]),
            excluded: false,
        })
    }

    fn recorded(&self, desk: &Desk, letter: &Letter, _: &Desk, out: &mut Vec<HistoryEvent>) {
        let event = |kind| HistoryEvent { process: letter.1.into(), kind, label: 0 };
        out.extend(self.note(desk, *letter).map(event));
    }

    fn linearizable(&self, history: &[HistoryEvent]) -> Option<Result<(), Violation>> {
        let late =
            |pair: &[HistoryEvent]| pair[0].kind == HistoryKind::Returned && pair[1].kind == HistoryKind::Invoked;
        let why = Violation {
            property: manyworlds_core::Property::Linearizable,
            message: "somebody came late".to_string(),
            location: None,
            process: None,
        };
        self.strict.then(|| if history.windows(2).any(late) { Err(why) } else { Ok(()) })
    }
}

/// Every maximal path, by plain recursion: how many there are, and where they end. `None` if there are more than `most`.
fn naive(post: &Post, most: u64) -> Option<(u64, BTreeSet<Desk>)> {
    fn follow(post: &Post, desk: &Desk, most: u64, paths: &mut u64, ends: &mut BTreeSet<Desk>) -> Option<()> {
        let mut actions = Vec::new();
        post.actions(desk, &mut actions);
        if actions.is_empty() {
            ends.insert(desk.clone());
            *paths += 1;
        }
        let mut next = actions.iter().filter_map(|letter| post.next(desk, letter));
        next.try_for_each(|desk| follow(post, &desk, most, paths, ends))?;
        (*paths <= most).then_some(())
    }
    let (mut paths, mut ends) = (0, BTreeSet::new());
    follow(post, &post.initial()[0], most, &mut paths, &mut ends)?;
    Some((paths, ends))
}

type Spec = Specification<Post>;

fn spec(post: &Post) -> Spec {
    Specification::new(post.clone()).receiving()
}

fn run(post: &Post, name: Engine, config: &Config) -> Report<Spec> {
    explore(&spec(post), name, config, &NoObserver).expect("nothing to refuse")
}

fn schedules(report: &Report<Spec>) -> u64 {
    report.stats.histories.expect("a scheduler has these figures").schedules
}

fn ends(report: &Report<Spec>) -> BTreeSet<Desk> {
    report.final_states.iter().cloned().collect()
}

fn collect() -> Config {
    Config { collect_final: true, ..Config::default() }
}

/// Letters of a kind are answered by letters of later kinds, so it all ends.
fn posts() -> impl Strategy<Value = Post> {
    let letter = (0..3u8, 0..3u8, 0..2u8);
    let answer = (0..3u8, 0..3u8)
        .prop_flat_map(|(actor, kind)| (Just((actor, kind)), prop::collection::vec((0..3u8, kind + 1..=3u8), 0..=2)));
    let answers = || prop::collection::vec(answer.clone(), 0..=3);
    (prop::collection::vec(letter, 0..=4), answers(), answers(), any::<bool>()).prop_map(
        |(first, answers, moods, mailboxes)| Post { actors: 3, first, answers, moods, mailboxes, ..Post::default() },
    )
}

random! {
    #![cases = 300, compared = 80]

    #[test]
    fn exhaustive_is_plain_recursion_and_dpor_ends_wherever_it_does(post in posts()) {
        let Some((all, every)) = naive(&post, 20_000) else { return Ok(0) };
        let exhaustive = run(&post, Engine::Exhaustive, &collect());
        prop_assert_eq!(schedules(&exhaustive), all);
        prop_assert_eq!(&ends(&exhaustive), &every);
        prop_assert_eq!(exhaustive.stopped, None);
        let dpor = run(&post, Engine::Dpor, &collect());
        prop_assert!(schedules(&dpor) <= all);
        prop_assert_eq!(&ends(&dpor), &every);
        let unique = |report: &Report<Spec>| report.stats.histories.map(|figures| figures.unique);
        prop_assert_eq!(unique(&dpor), unique(&exhaustive));
        for name in Engine::SCHEDULERS {
            prop_assert!(ends(&run(&post, name, &collect())).is_subset(&every), "{:?}", name);
        }
    }

    #[test]
    fn more_delays_are_more_schedules_and_enough_of_them_are_all(post in posts()) {
        let Some((all, _)) = naive(&post, 5_000) else { return Ok(0) };
        let mut before = 0;
        for delays in [0, 1, 2, 100] {
            let delayed = run(&post, Engine::Delay, &Config { delays, ..Config::default() });
            prop_assert!(schedules(&delayed) >= before.max(1));
            before = schedules(&delayed);
        }
        prop_assert_eq!(before, all);
    }
}

/// Letters to actors of their own: a round robin without delays knows one order.
#[test]
fn without_delays_actors_take_turns() {
    let post = Post { actors: 4, first: (0..4).map(|to| (to, to, 0)).collect(), ..Post::default() };
    let count = |delays| schedules(&run(&post, Engine::Delay, &Config { delays, ..Config::default() }));
    assert_eq!((count(0), count(1)), (1, 4));
    assert_eq!(schedules(&run(&post, Engine::Exhaustive, &Config::default())), 24);
    assert_eq!(schedules(&run(&post, Engine::Dpor, &Config::default())), 1);
}

/// Eight letters to one actor: few of many schedules are drawn.
#[test]
fn a_seed_draws_the_same_schedules_again() {
    let post = Post { actors: 1, first: (0..8).map(|kind| (0, 0, kind)).collect(), ..Post::default() };
    let drawn = |seed, executions| {
        let budget = Budget { executions: Some(executions), ..Budget::default() };
        run(&post, Engine::SystematicRandom, &Config { seed, budget, ..collect() })
    };
    assert_eq!(ends(&drawn(7, 50)), ends(&drawn(7, 50)));
    assert_ne!(ends(&drawn(7, 50)), ends(&drawn(8, 50)));
    assert!(ends(&drawn(7, 10)).is_subset(&ends(&drawn(7, 50))), "a longer run begins like a shorter one");
    assert_eq!(schedules(&drawn(7, 50)), 50);
    assert_eq!(drawn(7, 50).stopped, Some(StopReason::SchedulerIncomplete));
}

/// Two that send a letter to and fro for ever.
fn endless() -> Post {
    let first = vec![(0, 1, 0), (1, 0, 0)];
    Post {
        actors: 2,
        first,
        answers: vec![((0, 0), vec![(1, 0)]), ((1, 0), vec![(0, 0)])],
        forgets: true,
        ..Post::default()
    }
}

#[test]
fn what_goes_on_for_ever_is_cut_off() {
    for name in Engine::SCHEDULERS {
        let budget = Budget { depth: Some(6), executions: Some(20), ..Budget::default() };
        let report = run(&endless(), name, &Config { budget, ..Config::default() });
        assert!(report.stats.truncated > Some(0), "{name:?}");
        assert!(matches!(report.stopped, Some(StopReason::MaxDepth | StopReason::MaxExecutions)), "{name:?}");
        assert_eq!(report.stats.depth, Some(6));
    }
    let budget = Budget { depth: Some(6), ..Budget::default() };
    let report = run(&endless(), Engine::Exhaustive, &Config { budget, ..Config::default() });
    // Every second step there is a choice; in between two equal letters are on their way.
    assert_eq!((schedules(&report), report.stopped), (8, Some(StopReason::MaxDepth)));
    let budget = Budget { executions: Some(1), ..Budget::default() };
    let report = run(&endless(), Engine::Exhaustive, &Config { budget, ..Config::default() });
    assert_eq!(report.stopped, Some(StopReason::MaxExecutions), "without a bound a schedule ends somewhere too");
}

struct Impatient(AtomicU64);

impl Observer for Impatient {
    fn tick(&self, progress: &Progress) -> Option<StopReason> {
        assert!((0.0..=1.0).contains(&progress.done));
        (self.0.fetch_add(1, Ordering::Relaxed) == 3).then_some(StopReason::Timeout)
    }

    fn first_bug(&self, schedule: u64) {
        self.0.fetch_add(1_000 * schedule, Ordering::Relaxed);
    }
}

#[test]
fn whoever_watches_can_end_it() {
    for name in Engine::SCHEDULERS {
        let config = Config { budget: Budget { executions: Some(u64::MAX), ..Budget::default() }, ..Config::default() };
        let report = explore(&spec(&endless()), name, &config, &Impatient(AtomicU64::new(0)));
        assert_eq!(report.expect("nothing to refuse").stopped, Some(StopReason::Timeout), "{name:?}");
    }
}

/// One operation each, by two clients: the third schedule of EX is the first in which one returns before the other begins.
fn clients() -> Post {
    let first = vec![(0, 0, INVOKE), (1, 1, INVOKE)];
    let answers = vec![((0, INVOKE), vec![(0, RETURN)]), ((1, INVOKE), vec![(1, RETURN)])];
    Post { actors: 2, first, answers, strict: true, ..Post::default() }
}

#[test]
fn a_history_that_is_not_linearizable_is_a_violation() {
    let all = run(&clients(), Engine::Exhaustive, &Config { keep_going: true, ..Config::default() });
    let figures = all.stats.histories.expect("a scheduler has these figures");
    assert_eq!((figures.schedules, figures.complete, figures.unique), (6, 6, 3));
    assert_eq!((figures.non_linearizable, all.stats.violations), (Some(2), 2));
    assert_eq!((figures.quality(), figures.precision()), (Some(2.0 / 3.0), Some(1.0 / 3.0)));

    let watch = Impatient(AtomicU64::new(10));
    let first = explore(&spec(&clients()), Engine::Exhaustive, &Config::default(), &watch);
    let first = first.expect("nothing to refuse");
    let number = first.stats.histories.and_then(|figures| figures.first_bug).expect("there is one");
    assert_eq!(watch.0.into_inner() / 1_000, number);
    assert_eq!(schedules(&first), number);
    let found = first.found.expect("there is one");
    assert_eq!(found.path.steps.len(), 3, "it shows as soon as the second operation begins");
    let trace = narrate(&spec(&clients()), &found.path, found.violation);
    assert_eq!(replay(&spec(&clients()), &trace, |_, _| {}), Ok(manyworlds_core::Replayed::Reproduced));
    let innocent = Post { strict: false, ..clients() };
    assert_eq!(replay(&spec(&innocent), &trace, |_, _| {}), Ok(manyworlds_core::Replayed::Gone));

    let dpor = run(&clients(), Engine::Dpor, &Config { keep_going: true, ..Config::default() });
    assert_eq!(dpor.stats.histories.map(|figures| (figures.unique, figures.non_linearizable)), Some((3, Some(2))));
}

#[test]
fn properties_of_states_are_checked_on_the_way() {
    let both = Property::never("both", |_: &Post, (got, _): &Desk| !got[0].is_empty() && !got[1].is_empty());
    let post = Post { properties: vec![both], strict: false, ..clients() };
    let report = run(&post, Engine::Exhaustive, &Config::default());
    assert_eq!(report.found.expect("seen").path.steps.len(), 3, "one client comes to its end, then the other begins");
    assert_eq!(report.stats.histories.and_then(|figures| figures.first_bug), Some(1));
    let all = run(&post, Engine::Exhaustive, &Config { keep_going: true, ..Config::default() });
    assert_eq!((schedules(&all), all.stats.violations), (6, 6));
    let rest = Property::at_rest("nothing", |_: &Post, _: &Desk| false);
    let post = Post { properties: vec![rest], strict: false, ..clients() };
    let report = run(&post, Engine::Dpor, &Config::default());
    assert_eq!(report.found.expect("seen").path.steps.len(), 4);
}

/// What a run without a violation says depends on what was asked: DP does not pass every state.
#[test]
fn only_what_was_decided_is_promised() {
    let stopped = |name, property: Property<Post>| {
        let post = Post { properties: vec![property], strict: false, ..clients() };
        run(&post, name, &Config::default()).stopped
    };
    let always = || Property::always("true", |_: &Post, _: &Desk| true);
    let sometimes = || Property::sometimes("never", |_: &Post, _: &Desk| false);
    assert_eq!(stopped(Engine::Exhaustive, always()), None);
    assert_eq!(stopped(Engine::Dpor, always()), Some(StopReason::SchedulerIncomplete));
    assert_eq!(stopped(Engine::Dpor, always().stable()), None);
    assert_eq!(stopped(Engine::Dpor, sometimes()), Some(StopReason::SchedulerIncomplete));
    assert_eq!(stopped(Engine::IRed, always().stable()), Some(StopReason::SchedulerIncomplete));
    let post = Post { properties: vec![sometimes()], strict: false, ..clients() };
    assert!(run(&post, Engine::Exhaustive, &Config::default()).found.is_some());
}

/// How many different ends each of EX, DP, TD, IR and LV sees.
fn seen(post: &Post) -> [usize; 5] {
    use Engine::{Dpor, Exhaustive, IRed, LiViola, TransDpor};
    [Exhaustive, Dpor, TransDpor, IRed, LiViola].map(|name| ends(&run(post, name, &collect())).len())
}

/// Every system of so many letters, up to the names of those who get them. Each is there at the start, from one of some senders, or is sent
/// by whoever gets one that comes before it in the list; its kind is its number there.
fn systems(letters: u8, senders: u8) -> Vec<Post> {
    let mut all = vec![Post { actors: letters.max(senders), ..Post::default() }];
    let mut receivers: Vec<Vec<u8>> = vec![Vec::new()];
    for nth in 0..letters {
        let (mut more, mut theirs) = (Vec::new(), Vec::new());
        for (post, got) in all.iter().zip(&receivers) {
            let known = got.iter().max().map_or(0, |most| most + 1);
            for to in 0..=known {
                let kind = FIRST_KIND + nth;
                let at_start = (0..senders).map(|from| {
                    let mut post = post.clone();
                    post.first.push((from, to, kind));
                    post
                });
                let sent = (0..nth).map(|cause| {
                    let mut post = post.clone();
                    post.answers.push(((got[usize::from(cause)], FIRST_KIND + cause), vec![(to, kind)]));
                    post
                });
                let before = more.len();
                more.extend(at_start.chain(sent));
                theirs.resize(theirs.len() + more.len() - before, [&got[..], &[to]].concat());
            }
        }
        (all, receivers) = (more, theirs);
    }
    all
}

/// Kinds that are neither invocations nor returns.
const FIRST_KIND: u8 = 3;

/// Whether the scheduler ends wherever EX does.
fn misses_nothing(post: &Post, name: Engine) -> bool {
    ends(&run(post, name, &collect())) == ends(&run(post, Engine::Exhaustive, &collect()))
}

/// What the text says about the size of the systems below. TransDPOR does not look at senders.
#[test]
fn nothing_smaller_shows_what_they_miss() {
    for letters in 1..=4 {
        assert!(systems(letters, 1).iter().all(|post| misses_nothing(post, Engine::TransDpor)), "{letters}");
    }
    assert!(systems(5, 1).iter().any(|post| !misses_nothing(post, Engine::TransDpor)));
    for letters in 1..=3 {
        let small = systems(letters, 4);
        assert!(small.iter().all(|post| misses_nothing(post, Engine::IRed)), "{letters}");
    }
    assert!(systems(4, 5).iter().any(|post| !misses_nothing(post, Engine::IRed)));
}

/// The system in the text of TransDPOR: x for d, y for b, z for c; y makes b send q to d, z makes c send p to b.
#[test]
fn trans_dpor_misses_two_reversals_at_once() {
    let (x, y, z) = ((0, 3, 3), (1, 1, 3), (1, 2, 4));
    let answers = vec![((1, 3), vec![(3, 6)]), ((2, 4), vec![(1, 5)])];
    let post = Post { actors: 4, first: vec![x, y, z], answers, ..Post::default() };
    assert_eq!(seen(&post)[..4], [4, 4, 3, 4]);
}

/// The system in the text of IRed: n for b, m for a; n makes b send x to c, m makes a send w to b.
#[test]
fn ired_misses_what_its_chain_does_not_show() {
    let (n, m) = ((0, 1, 3), (2, 0, 4));
    let answers = vec![((0, 4), vec![(1, 5)]), ((1, 3), vec![(2, 5)])];
    let post = Post { actors: 3, first: vec![n, m], answers, ..Post::default() };
    assert_eq!(seen(&post)[..4], [2, 2, 2, 1]);
}

/// A letter of each kind to one actor. LiViola thinks that kinds do not interfere.
#[test]
fn liviola_believes_what_it_is_told() {
    let post = Post { actors: 1, first: vec![(0, 0, 0), (0, 0, 3)], ..Post::default() };
    assert_eq!(seen(&post), [2, 2, 2, 2, 1]);
}

#[derive(Clone)]
struct Plain;

impl Model for Plain {
    type State = u8;
    type Action = u8;

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, _: &u8, _: &mut Vec<u8>) {}

    fn next(&self, _: &u8, _: &u8) -> Option<u8> {
        None
    }
}

#[test]
fn schedulers_refuse_what_they_cannot_decide() {
    let engine = Engine::Exhaustive;
    let refused = explore(&Specification::new(Plain), engine, &Config::default(), &NoObserver).err();
    assert!(matches!(refused, Some(Unanswered::Refused(Refusal::Unsuitable { .. }))), "{refused:?}");
    let eventually = Property::eventually("done", |_: &Post, _: &Desk| true);
    let post = Post { properties: vec![eventually], ..clients() };
    let refused = explore(&spec(&post), engine, &Config::default(), &NoObserver).err();
    assert!(matches!(refused, Some(Unanswered::Refused(Refusal::Undecided { .. }))), "{refused:?}");
}
