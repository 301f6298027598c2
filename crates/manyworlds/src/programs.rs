//! Programs as subjects: the options of the house on top of what a [`Checker`] was built with.

use crate::checker::{Checker, Engine};
use crate::coverage::Tally;
use crate::options::{EngineName, Options};
use crate::subject::{Answer, Refused, Subject, refuse_strangers};
use manyworlds_core::{Observer, Replayed, Trace, TraceError, TraceStep};

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
        let (name, engine) = match options.engine {
            EngineName::Auto | EngineName::Must => (EngineName::Must, Engine::Must),
            EngineName::Brute => (EngineName::Brute, Engine::Brute),
            scheduler if scheduler.scheduler().is_some() => {
                return Err(Refused(format!(
                    "engine `{scheduler}` orders the receives of actors, and a program has none: use must or brute"
                )));
            }
            other => {
                return Err(Refused(format!(
                    "engine `{other}` visits global states, and a running program has none that could be kept: use must or brute"
                )));
            }
        };
        refuse_strangers(options, name)?;
        if options.decidable {
            return Err(Refused("option decidable: it is for actors; a program is asked everything".to_string()));
        }
        let checker = self.configured(options, engine);
        let tally = (options.coverage && engine == Engine::Must).then(Tally::default);
        let outcome = checker.check_watched(observer, tally.as_ref());
        let coverage = tally.map(|tally| tally.told(checker.asked()));
        let why = "a program's worlds are its executions, and must visits each once".to_string();
        let why = (options.engine == EngineName::Auto).then_some(why);
        let network = Some(checker.default_network());
        Ok(Answer { outcome, engine: name, why, network, coverage, frontier: None, omission: None })
    }

    fn replay(&self, trace: &Trace, show: &mut dyn FnMut(usize, &TraceStep)) -> Result<Replayed, TraceError> {
        self.clone().network(trace.network).replay(trace, show)
    }
}
