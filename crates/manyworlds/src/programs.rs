//! Programs as subjects: the common options on top of what a [`Checker`] was built with.

use crate::checker::Checker;
use crate::coverage::Tally;
use crate::options::Options;
use crate::subject::{Answer, Refused, Subject, refuse_engine, refuse_unused};
use manyworlds_core::decides::SubjectKind;
use manyworlds_core::{Engine, Network, Observer, Replayed, Trace, TraceError, TraceStep};

impl Checker {
    /// The same program with these options.
    fn configured(&self, options: &Options, engine: Engine) -> Checker {
        let mut checker = self.clone().engine(engine).threads(options.threads.max(1)).seed(options.seed);
        checker = checker.policy(options.policy).keep_going(options.keep_going).eager(options.eager);
        if let Some(network) = options.network {
            checker = checker.network(network);
        }
        if let Some(max) = options.max_executions {
            checker = checker.max_executions(max);
        }
        if let Some(max) = options.max_depth {
            checker = checker.max_depth(max);
        }
        if let Some(timeout) = options.timeout {
            checker = checker.timeout(timeout);
        }
        if let Some(max) = options.max_memory {
            checker = checker.max_memory(max);
        }
        if let Some(cancel) = &options.cancel {
            checker = checker.cancel(cancel.clone());
        }
        if let Some(losses) = options.losses {
            checker = checker.loss_budget(losses);
        }
        if !options.name.is_empty() {
            checker = checker.name(options.name.clone()).params(options.params.clone());
        }
        checker
    }
}

impl Subject for Checker {
    fn kind(&self) -> &'static str {
        "program"
    }

    fn check(&self, options: &Options, observer: Option<&dyn Observer>) -> Result<Answer, Refused> {
        refuse_engine(options.engine, SubjectKind::Program)?;
        let engine = if options.engine == Engine::Brute { Engine::Brute } else { Engine::Must };
        refuse_unused(options, engine)?;
        if options.decidable {
            return Err(Refused("option decidable: it is for actors; a program is asked everything".to_string()));
        }
        let checker = self.configured(options, engine);
        let network = checker.default_network();
        if options.eager && network != Network::P2p {
            return Err(Refused(format!(
                "option eager: it distinguishes orders of arrival under p2p, and the network is {network}: use the network p2p, or leave eager out"
            )));
        }
        let tally = (options.coverage && engine == Engine::Must).then(Tally::default);
        let outcome = checker.check_watched(observer, tally.as_ref());
        let coverage = tally.map(|tally| tally.told(checker.asked()));
        let why = "a program is explored execution by execution, and must visits each once".to_string();
        let why = (options.engine == Engine::Auto).then_some(why);
        Ok(Answer { outcome, engine, why, network: Some(network), coverage, frontier: None, omission: None })
    }

    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        self.clone().network(trace.network).replay(trace, show)
    }
}
