//! Properties that engines can look into, compared with the same questions about the worlds of the naive explorer.

use super::explorer::{Graph, explore};
use super::states::same_verdict;
use super::strategy::{Profile, cases, claims};
use super::table::{Case, Claim, Cost, Local};
use manyworlds_actor::Fold;
use manyworlds_testkit::random;

/// Larger systems are skipped.
const LIMIT: usize = 400;

/// How many actors are in this row, and the sum of the rows of all others.
struct Census(u8);

impl Fold for Census {
    type State = Local;
    type Summary = (usize, usize);

    fn empty(&self) -> (usize, usize) {
        (0, 0)
    }

    fn of(&self, state: &Local) -> (usize, usize) {
        if state.at == self.0 { (1, 0) } else { (0, usize::from(state.at)) }
    }

    fn combine(&self, a: &(usize, usize), b: &(usize, usize)) -> (usize, usize) {
        (a.0 + b.0, a.1 + b.1)
    }
}

/// The rows in which the actors of a world are.
fn rows(graph: &Graph, id: usize, actors: usize) -> Vec<u8> {
    (0..actors).filter_map(|n| graph.worlds[id].row(n)).collect()
}

fn compare(case: &Case, claim: Claim) -> bool {
    let Some(graph) = explore(case, LIMIT) else { return false };
    let failed = |id: usize| graph.worlds[id].failed.is_some();
    let actors = case.actors.len();
    let ((one, row), (_, other)) = (claim.one, claim.other);

    let (system, handles) = case.system_and_handles(|actor| actor);
    let always = system.clone().always_of(handles[one], "one actor", move |local| local.at != row);
    same_verdict(&always, &graph, "always of", |id| failed(id) || graph.worlds[id].row(one) == Some(row));
    let never = system.clone().never_of(handles[one], "one actor", move |local| local.at == row);
    same_verdict(&never, &graph, "never of", |id| failed(id) || graph.worlds[id].row(one) == Some(row));
    let at_rest = system.clone().at_rest_of(handles[one], "one actor", move |local| local.at != row);
    let rests = |id: usize| graph.successors[id].is_empty();
    let wrong = |id: usize| failed(id) || rests(id) && graph.worlds[id].row(one) == Some(row);
    same_verdict(&at_rest, &graph, "at rest of", wrong);

    // The key of a row; the actors in row `row` have none.
    let at_most = system.clone().at_most(1, "own rows", move |local: &Local| (local.at != row).then_some(local.at));
    let shared = |id: usize| {
        let rows = rows(&graph, id, actors);
        let same = |at: &u8| rows.iter().filter(|other| *other == at).count();
        rows.iter().any(|at| *at != row && same(at) > 1)
    };
    same_verdict(&at_most, &graph, "keys", |id| failed(id) || shared(id));

    let many = move |(count, sum): &(usize, usize)| *count > 1 || *sum > usize::from(row) + 1;
    let fold = system.always_fold("census", Census(other), move |summary| !many(summary));
    let too_many = |id: usize| {
        let rows = rows(&graph, id, actors);
        let count = rows.iter().filter(|at| **at == other).count();
        many(&(count, rows.iter().filter(|at| **at != other).map(|at| usize::from(*at)).sum()))
    };
    same_verdict(&fold, &graph, "fold", |id| failed(id) || too_many(id));
    true
}

const PROFILE: Profile =
    Profile { cost: Cost::Sends, failures: true, faults: true, channels: true, sends: 2, sparse: false };

random! {
    #![cases = 300, compared = 30]

    #[test]
    fn forms_are_decided_like_closures(case in cases(PROFILE), claim in claims()) {
        return Ok(u64::from(compare(&case, claim)));
    }
}
