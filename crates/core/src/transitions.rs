//! Local transitions of actors.

/// What an actor does with a message that could be delivered to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Accept {
    /// It takes the message: its handler runs.
    #[default]
    Take,
    /// The message keeps its place in its queue, and later ones may be taken before it.
    Defer,
    /// The message is removed, and nothing else happens.
    Ignore,
}

/// The temperature of a state of a monitor. An execution must neither end in a hot state nor go round a cycle for ever in which some state is hot and none
/// is cold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Temperature {
    /// Something was promised and is not done.
    Hot,
    /// Neither.
    #[default]
    Warm,
    /// Nothing is promised.
    Cold,
}
