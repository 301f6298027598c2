//! What other programs want to know about the command line: shells, to complete it, and `man`.

use super::args::{CompletionsArgs, ManArgs};
use super::{App, Complaint, Exit};
use crate::suggest::did_you_mean;
use std::io::Write;

/// A script that completes commands, options, and the names of models and engines.
pub fn completions(app: &App, args: &CompletionsArgs) -> Result<Exit, Complaint> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut app.command(), app.name, &mut script);
    print(&script)
}

/// A manual page, of the program or of one of its commands.
pub fn man(app: &App, args: &ManArgs) -> Result<Exit, Complaint> {
    let mut command = app.command();
    command.build();
    if let Some(name) = &args.command {
        command = command.find_subcommand(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let hint = did_you_mean(name, known.iter().copied());
            format!("there is no command `{name}`; expected one of {}{hint}", known.join(", "))
        })?;
    }
    let mut page = Vec::new();
    let source = format!("{} {}", app.name, app.version);
    clap_mangen::Man::new(command).source(source).render(&mut page).map_err(|error| error.to_string())?;
    print(&page)
}

/// A reader that went away is no reason to panic.
fn print(bytes: &[u8]) -> Result<Exit, Complaint> {
    let _ = std::io::stdout().write_all(bytes);
    Ok(Exit::Verified)
}
