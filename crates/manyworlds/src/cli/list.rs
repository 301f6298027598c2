//! `manyworlds list`

use super::args::ListArgs;
use super::terminal::print_line;
use super::{App, Complaint, Exit};
use crate::models::{Domain, Model};
use serde_json::{Value, json};

/// Shows the models.
pub fn run(app: &App, args: &ListArgs) -> Result<Exit, Complaint> {
    if args.json {
        print_line(&Value::from_iter(app.models.iter().map(entry)).to_string());
        return Ok(Exit::Verified);
    }
    let width = app.models.iter().map(|m| m.name.len()).max().unwrap_or(0);
    for model in app.models {
        print_line(&format!("{:width$}  {}", model.name, model.summary));
        for param in model.params {
            let default = match &param.domain {
                Domain::Int { default, .. } => default.to_string(),
                Domain::Choice { default, .. } => default.to_string(),
                Domain::Text { default } => format!("'{default}'"),
            };
            print_line(&format!("{:width$}    {}={default}  {}", "", param.name, param.help));
        }
    }
    Ok(Exit::Verified)
}

fn entry(model: &Model) -> Value {
    let params = model.params.iter().map(|p| json!({ "name": p.name, "default": p.default(), "help": p.help }));
    json!({
        "name": model.name,
        "kind": model.kind(),
        "params": Value::from_iter(params),
        "description": model.summary,
    })
}
