// The view of the run: figures, coverage, what was never exercised, and the bounds.

/** The view. */
function makeFigures(run) {
  const parts = [
    html(
      "div",
      { class: "cards" },
      run.figures.map(figure =>
        html("div", { class: "card" }, html("b", {}, figure.value), html("span", {}, figure.name), html("small", {}, figure.meaning)),
      ),
    ),
  ];
  parts.push(boundsPanel(run));
  if (run.coverage) parts.push(...coveragePanels(run.coverage, run.verdict, run.kind === "program"));
  parts.push(
    panel(
      "How",
      table(
        ["", ""],
        [
          ["engine", run.engine],
          ...(run.why ? [["why", run.why]] : []),
          ...(run.network ? [["network", run.network]] : []),
          [
            "parameters",
            Object.entries(run.params)
              .map(([key, value]) => `${key}=${value}`)
              .join(", ") || "none",
          ],
        ],
        "facts",
      ),
    ),
  );
  return { element: html("section", { class: "figures", "aria-label": "The run" }, parts), draw() {} };
}

function panel(title, ...content) {
  return html("section", { class: "panel" }, html("h2", {}, title), ...content);
}

function table(heads, rows, kind = "") {
  const head = heads.some(Boolean)
    ? [
        html(
          "thead",
          {},
          html(
            "tr",
            {},
            heads.map(text => html("th", { scope: "col" }, text)),
          ),
        ),
      ]
    : [];
  const body = rows.map(row =>
    html(
      "tr",
      {},
      row.map((cell, n) => html(n === 0 ? "th" : "td", n === 0 ? { scope: "row" } : {}, cell)),
    ),
  );
  return html("div", { class: "sideways" }, html("table", { class: kind }, head, html("tbody", {}, body)));
}

function boundsPanel(run) {
  const words = {
    verified: "Nothing was left out: no bound was reached.",
    violated: "A violation was found; the rest of the model may not have been explored.",
    possible: "A violation was found that no replay confirmed: the engine explores more than the model can do.",
    incomplete: "Some executions were left out, so this is not a proof.",
    "invalid-model": "The model breaks an assumption of the engines, so nothing is known about its properties.",
  }[run.verdict];
  const bounds = run.bounds
    ? [
        html(
          "ul",
          {},
          run.bounds.map(bound =>
            html(
              "li",
              {},
              bound.replace(/\d{4,}/g, n => Number(n).toLocaleString("en")),
            ),
          ),
        ),
      ]
    : [];
  const scope = run.verdict === "verified" ? [html("p", { class: "hint" }, `Explored: ${run.sentence}.`)] : [];
  return panel("Bounds", html("p", {}, words), ...scope, ...bounds);
}

function coveragePanels(coverage, verdict, program) {
  const grouped = n => n.toLocaleString("en");
  const parts = [];
  if (coverage.properties.length)
    parts.push(
      panel(
        "Checked properties",
        html(
          "ul",
          {},
          coverage.properties.map(property => html("li", {}, property)),
        ),
      ),
    );
  const inputs = process =>
    html(
      "span",
      { class: "tags" },
      process.inputs.map(input =>
        html(
          "span",
          {
            class: input.handled ? "tag" : "tag never",
            title:
              input.kind === "timer"
                ? input.handled
                  ? "went off"
                  : "never went off"
                : `${input.handled} of ${count(input.offered, "distinct message")} received`,
          },
          input.kind === "timer" ? `timer ${input.name}` : `${input.name} ${grouped(input.handled)}/${grouped(input.offered)}`,
        ),
      ),
    );
  if (coverage.processes.length)
    parts.push(
      panel(
        "Explored",
        html(
          "p",
          { class: "hint" },
          "For each process, over all explored executions. Message types show how many distinct messages were received, of those that were sent to the process.",
        ),
        table(
          program
            ? ["process", "places where it waits", "kinds of inputs received there", "messages"]
            : ["process", "local states", "handlers run", "messages and timers"],
          coverage.processes.map(process => [process.name, grouped(process.states), grouped(process.handlers), inputs(process)]),
          "coverage",
        ),
      ),
    );
  const actions = coverage.actions || [];
  if (actions.length)
    parts.push(
      panel(
        "Explored",
        html("p", { class: "hint" }, "For each kind of action, over all explored states. A step may lead back to the state in which it is taken."),
        table(
          ["action", "steps", "steps to another state"],
          actions.map(action => [action.name, grouped(action.taken), grouped(action.changed)]),
          "coverage",
        ),
      ),
    );
  parts.push(panel("Never exercised", ...neverTable(coverage, verdict, program)));
  return parts;
}

/** What was possible and happened in no explored execution. */
function neverTable(coverage, verdict, program) {
  const rows = coverage.unreached.map(name => ["sometimes", `${name}: in no state so far`]);
  for (const process of coverage.processes)
    for (const input of process.inputs)
      if (!input.handled)
        rows.push([
          process.name,
          input.kind === "timer" ? `timer ${input.name} never goes off` : `${input.name} is sent to it and never received`,
        ]);
  for (const process of coverage.processes)
    if (!process.inputs.length && !program) rows.push([process.name, "nothing is ever sent to it, and it sets no timer"]);
  for (const fault of coverage.faults)
    if (fault.used < fault.budget)
      rows.push([
        fault.name,
        fault.used === 0 ? `none happened, though ${fault.budget} may` : `at most ${fault.used} of ${fault.budget} happened in one execution`,
      ]);
  const actions = coverage.actions || [];
  for (const action of actions)
    if (!action.changed) rows.push([action.name, action.taken ? "never changes anything" : "is listed and never enabled"]);
  if (rows.length) return [table(["where", "what"], rows, "never")];
  if (!coverage.processes.length && !actions.length)
    return [html("p", { class: "hint" }, "No data: this engine does not record coverage.")];
  const scope = verdict === "verified" ? "in some execution" : "in some explored execution";
  if (actions.length) return [html("p", { class: "hint" }, `Nothing: every action that was listed changed something ${scope}.`)];
  return [
    html(
      "p",
      { class: "hint" },
      program
        ? `Nothing: every message type was received ${scope}.`
        : `Nothing: every message type was received, every timer went off and every fault budget was used up ${scope}.`,
    ),
  ];
}
