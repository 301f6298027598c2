//! The register of Attiya, Bar-Noy and Dolev against Stateright's actors: the states, messages and properties of the zoo's `abd`.

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out};
use std::borrow::Cow;

/// When a value was written, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamped {
    time: u8,
    value: u8,
}

/// Between clients and servers; the first number is the phase of the client that is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Message {
    Query(u8),
    Have(u8, Stamped),
    Store(u8, Stamped),
    Stored(u8),
}

/// How many there are of each; servers come first.
#[derive(Clone, Copy)]
pub struct Cast {
    pub servers: u8,
    pub clients: u8,
    /// Clients that put before they get.
    pub writers: u8,
    /// Gets of each client.
    pub gets: u8,
}

/// An actor; which one it is its id says.
pub struct Abd {
    cast: Cast,
    servers: Vec<Id>,
}

/// What a client remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Session {
    phase: u8,
    answers: u8,
    current: Stamped,
    returned: Stamped,
    went_back: bool,
}

/// What an actor remembers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    Server(Stamped),
    Client(Session),
}

impl Abd {
    fn client(&self, id: Id) -> u8 {
        usize::from(id) as u8 - self.cast.servers
    }

    fn query(&self, session: &mut Session, phase: u8, o: &mut Out<Abd>) {
        *session = Session { phase, answers: 0, current: Stamped::default(), ..*session };
        if phase <= 2 * self.cast.gets + 1 {
            o.broadcast(&self.servers, &Message::Query(phase));
        }
    }

    fn answered(&self, id: Id, session: &mut Session, from: Id, answer: Stamped, o: &mut Out<Abd>) {
        session.answers |= 1 << usize::from(from);
        session.current = session.current.max(answer);
        if 2 * session.answers.count_ones() <= u32::from(self.cast.servers) {
            return;
        }
        if session.phase % 2 == 0 {
            if session.phase == 0 {
                session.current = Stamped { time: session.current.time + 1, value: self.client(id) + 1 };
            }
            session.phase += 1;
            session.answers = 0;
            o.broadcast(&self.servers, &Message::Store(session.phase, session.current));
        } else {
            session.went_back |= session.current < session.returned;
            session.returned = session.current;
            self.query(session, session.phase + 1, o);
        }
    }
}

impl Actor for Abd {
    type Msg = Message;
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, id: Id, _: &Option<()>, o: &mut Out<Abd>) -> State {
        if usize::from(id) < self.servers.len() {
            return State::Server(Stamped::default());
        }
        let mut session = Session::default();
        self.query(&mut session, if self.client(id) < self.cast.writers { 0 } else { 2 }, o);
        State::Client(session)
    }

    fn on_msg(&self, id: Id, state: &mut Cow<'_, State>, from: Id, message: Message, o: &mut Out<Abd>) {
        match (&**state, message) {
            (&State::Server(held), Message::Query(phase)) => o.send(from, Message::Have(phase, held)),
            (&State::Server(held), Message::Store(phase, stamped)) => {
                if stamped > held {
                    *state.to_mut() = State::Server(stamped);
                }
                o.send(from, Message::Stored(phase));
            }
            (State::Client(session), Message::Have(phase, _) | Message::Stored(phase)) if phase == session.phase => {
                let answer = if let Message::Have(_, stamped) = message { stamped } else { session.current };
                let State::Client(session) = state.to_mut() else { unreachable!("a client stays one") };
                self.answered(id, session, from, answer, o);
            }
            _ => {}
        }
    }
}

fn sessions(state: &ActorModelState<Abd>) -> impl Iterator<Item = &Session> {
    state
        .actor_states
        .iter()
        .filter_map(|state| if let State::Client(session) = &**state { Some(session) } else { None })
}

/// The system, under p2p.
pub fn model(cast: Cast) -> ActorModel<Abd, Cast> {
    let servers = || Id::vec_from(0..usize::from(cast.servers));
    ActorModel::new(cast, ())
        .actors((0..cast.servers + cast.clients).map(|_| Abd { cast, servers: servers() }))
        .init_network(Network::new_ordered([]))
        .property(Expectation::Always, "no new-old inversion", |_, state| {
            sessions(state).all(|session| !session.went_back)
        })
        .property(Expectation::Sometimes, "all is done", |model, state| {
            sessions(state).all(|session| session.phase == 2 * model.cfg.gets + 2)
        })
}
