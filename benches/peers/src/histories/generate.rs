//! Histories of correct objects with many clients, some of which give up, and of objects that err once.

use manyworlds::linear::specs::cas_register::{Operation as Op, Response};
use manyworlds::linear::specs::{CasRegister, map, queue};
use manyworlds::linear::{History, Sequential};

/// Numbers that look random, always the same.
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// What kind of history.
#[derive(Clone, Copy)]
pub struct Shape {
    /// How many clients there are.
    pub clients: usize,
    /// How many operations.
    pub operations: usize,
    /// How many different values.
    pub values: u64,
    /// Of a hundred operations, how many are writes, and how many compare and set.
    pub writes: u64,
    /// See `writes`.
    pub cas: u64,
    /// Of a hundred operations, how many are given up.
    pub lost: u64,
    /// Whether a read near the end is wrong.
    pub wrong: bool,
    /// For the dice.
    pub seed: u64,
}

/// A history of a register or a queue.
pub type RegisterHistory = History<Op<Option<u32>>, Response<Option<u32>>>;
/// See [`RegisterHistory`].
pub type QueueHistory = History<queue::Operation<u32>, queue::Response<u32>>;

/// See [`RegisterHistory`].
pub type MapHistory = History<map::Operation<String, String>, map::Response<String>>;

/// A client between its events.
enum Client<O, R> {
    Idle,
    Asked(O),
    Answered(R),
}

/// Clients take turns at random: one asks, later the operation takes effect, later the client learns of it.
fn simulate<S: Sequential>(
    spec: &S,
    shape: Shape,
    mut ask: impl FnMut(&mut Dice, usize) -> S::Operation,
    mut tell: impl FnMut(usize, S::Response) -> S::Response,
) -> History<S::Operation, S::Response> {
    let mut dice = Dice::new(shape.seed);
    let mut history = History::new();
    let mut state = Sequential::initial(spec);
    let mut clients: Vec<Client<S::Operation, S::Response>> = (0..shape.clients).map(|_| Client::Idle).collect();
    let mut asked = 0;
    loop {
        let me = dice.below(shape.clients as u64) as usize;
        clients[me] = match std::mem::replace(&mut clients[me], Client::Idle) {
            Client::Idle if asked < shape.operations => {
                let operation = ask(&mut dice, asked);
                asked += 1;
                history.invoke(me, operation.clone()).expect("it is idle");
                Client::Asked(operation)
            }
            Client::Idle if clients.iter().all(|client| matches!(client, Client::Idle)) => return history,
            Client::Idle => Client::Idle,
            Client::Asked(operation) => {
                if dice.below(100) < shape.lost {
                    if dice.below(2) == 0 {
                        spec.apply(&mut state, &operation);
                    }
                    history.abandon(me).expect("it waits");
                    Client::Idle
                } else {
                    Client::Answered(spec.apply(&mut state, &operation))
                }
            }
            Client::Answered(response) => {
                history.respond(me, tell(asked, response)).expect("it waits");
                Client::Idle
            }
        };
    }
}

/// A history of a register with compare-and-set.
pub fn register(shape: Shape) -> RegisterHistory {
    let mut wrong = shape.wrong;
    simulate(
        &CasRegister::new(None),
        shape,
        |dice, _| {
            let mut value = || Some(dice.below(shape.values) as u32);
            let (first, second) = (value(), value());
            match dice.below(100) {
                dice if dice < shape.writes => Op::Write(first),
                dice if dice < shape.writes + shape.cas => Op::Cas(first, second),
                _ => Op::Read,
            }
        },
        |asked, response| match response {
            Response::Read(_) if wrong && asked * 10 > shape.operations * 9 => {
                wrong = false;
                Response::Read(Some(u32::MAX))
            }
            response => response,
        },
    )
}

/// A history of a queue.
pub fn queue(shape: Shape) -> QueueHistory {
    simulate(
        &queue::Queue::new(),
        shape,
        |dice, asked| match dice.below(100) < shape.writes {
            true => queue::Operation::Enqueue(asked as u32),
            false => queue::Operation::Dequeue,
        },
        |_, response| response,
    )
}

/// A mix of operations of a map.
#[derive(Clone, Copy)]
pub struct Mix {
    /// Of a hundred operations, how many are gets.
    pub gets: u64,
    /// Of a hundred operations, how many are puts. The others append.
    pub puts: u64,
    /// How many keys there are.
    pub keys: u64,
}

/// A history of a correct map of texts. All texts that are put or appended are different.
pub fn mixed_map(shape: Shape, mix: Mix) -> MapHistory {
    simulate(
        &map::Map::new(),
        shape,
        |dice, asked| {
            let key = dice.below(mix.keys).to_string();
            match dice.below(100) {
                dice if dice < mix.gets => map::Operation::Get(key),
                dice if dice < mix.gets + mix.puts => map::Operation::Put(key, format!("x {asked} y")),
                _ => map::Operation::Append(key, format!("x {asked} y")),
            }
        },
        |_, response| response,
    )
}

/// A history of a map of texts with ten keys: what is not a write looks, and of the writes every other one appends.
pub fn map(shape: Shape) -> MapHistory {
    let mut wrong = shape.wrong;
    simulate(
        &map::Map::new(),
        shape,
        |dice, asked| {
            let key = dice.below(10).to_string();
            match dice.below(100) {
                dice if dice >= shape.writes => map::Operation::Get(key),
                dice if dice % 2 == 0 => map::Operation::Put(key, format!("x {asked} y")),
                _ => map::Operation::Append(key, format!("x {asked} y")),
            }
        },
        |asked, response| match response {
            map::Response::Got(Some(text)) if wrong && asked * 10 > shape.operations * 9 => {
                wrong = false;
                map::Response::Got(Some(format!("{text}!")))
            }
            response => response,
        },
    )
}
