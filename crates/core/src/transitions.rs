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
