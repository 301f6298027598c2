//! The attribute macros of Manyworlds. Use them through the facade crate: `#[manyworlds::test]`, `#[manyworlds::monitor(…)]`.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod monitor;
mod options;
mod test;

use proc_macro::TokenStream;

/// Turns a function into a test. A function that returns nothing is a program: all of its executions are checked. A function that returns a
/// `System`, a `Specification` or a `Program` is a test of what it returns.
///
/// ```ignore
/// #[manyworlds::test(network = "mbox", executions = 2)]
/// fn the_first_vote_wins() {
///     // spawn, send, recv, assert …
/// }
/// ```
///
/// | option | meaning | default |
/// |---|---|---|
/// | `network = "asyn"`, `"p2p"`, `"cd"`, `"mbox"` | the network of operations and channels that specify none | as the subject says |
/// | `engine = "bfs"`, `"dfs"`, `"must"`, `"random"`, `"exhaustive"`, `"dpor"` | the engine | one that suits the subject |
/// | `threads = 2` | worker threads | 1 |
/// | `executions = 24` | the expected number of complete executions; any other number fails the test | any number |
/// | `states = 24` | the expected number of distinct states; any other number fails the test | any number |
/// | `max_executions = 1000` | stop after this number of executions | no bound |
/// | `max_states = 1000` | stop after this number of distinct states | no bound |
/// | `max_depth = 500` | truncate executions after this number of events, paths after this number of steps | no bound |
/// | `max_steps = 500` | truncate a process after this number of operations | 100,000 |
/// | `timeout = 2.5` | stop after this number of seconds | no bound |
/// | `losses = 1` | the number of messages that may be lost | as the subject says |
/// | `reduce = true` | explore persistent sets only | `false` |
/// | `symmetry = true` | explore one of all states that are equal up to the names of identical actors | `false` |
/// | `seed = 7` | the seed of random walks and schedules | 0 |
/// | `deadlock = "allow"`, `"forbid"` | whether processes may block forever (programs only) | `"forbid"` |
/// | `incomplete = "allow"`, `"forbid"` | whether the test may pass although a bound was reached | `"forbid"` |
/// | `monitors(Leader, Log)` | monitors of the execution, each created by its `Default` (programs only) | none |
///
/// Numbers may be constant expressions. Other attributes, such as `#[ignore]` and `#[should_panic]`, keep their meaning.
#[proc_macro_attribute]
pub fn test(options: TokenStream, function: TokenStream) -> TokenStream {
    test::expand(options.into(), function.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Implements `Monitor` for a type that observes messages of the given types, with an optional method that is called at the end of an
/// execution.
///
/// ```ignore
/// #[manyworlds::monitor(Vote, Decision, at_end = all_decided)]
/// #[derive(Default)]
/// struct Agreement {
///     decisions: Vec<Decision>,
/// }
/// ```
///
/// Implement `manyworlds::Observe<T>` for each message type `T`. If the monitor is generic, its declaration must have the bounds that those
/// implementations need.
#[proc_macro_attribute]
pub fn monitor(types: TokenStream, item: TokenStream) -> TokenStream {
    monitor::expand(types.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
