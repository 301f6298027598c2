// The pane beside the chart: everything about the selected step.

/** The pane; it follows the selection. */
function makeDetail(story, view) {
  const body = html("div", { class: "body" });
  const pane = html("aside", { class: "detail", "aria-label": "Selected step", "aria-live": "polite" }, body);
  function draw() {
    body.replaceChildren(...(view.selected === null ? overview(story, view) : describe(story, view, view.selected)));
    pane.scrollTop = 0;
  }
  view.listen(draw);
  draw();
  return pane;
}

function section(title, ...content) {
  return html("section", {}, html("h3", {}, title), ...content);
}

/** What goes wrong, while nothing is selected. */
function overview(story, view) {
  const { violation } = story.trace;
  const parts = [html("h2", {}, story.told.property), html("p", { class: "complaint" }, violation.message)];
  if (violation.process) parts.push(html("p", {}, "in ", html("b", {}, violation.process)));
  if (violation.location) parts.push(source(story, violation.location));
  const from = story.trace.loop_from;
  if (from !== undefined)
    parts.push(
      html(
        "p",
        {},
        from < story.steps.length
          ? `After the last step everything is as it was before step ${from}: so it goes on for ever.`
          : "After the last step nothing happens any more.",
      ),
    );
  const failure = story.failing.size ? " f for the failure," : "";
  parts.push(html("p", { class: "hint" }, `Click on a step, or use ↑ ↓ (or j and k), Home and End,${failure} Esc for none.`));
  return parts;
}

function describe(story, view, i) {
  const step = story.steps[i];
  // What goes wrong stands below, as it is.
  const words = step.kind === "fail" ? `${story.name(step.process)} fails here` : story.told.words[i];
  const parts = [html("p", { class: "step-number" }, `step ${i} of ${story.steps.length - 1}`), html("h2", {}, words)];
  if (story.failing.has(i))
    parts.push(html("p", { class: "complaint" }, story.told.about_a_state ? "After this step: " : "", story.trace.violation.message));
  const carries = story.told.types[i] !== null;
  const about = carries ? story.message(i) : contentOf(story, i);
  if (about !== null) {
    parts.push(
      section(
        carries ? "Message" : { choose: "Chosen", action: "Action", note: "Note", timer: "Timer" }[step.kind],
        html("div", { class: "the-message" }, showValue(about)),
        ...journey(story, view, i),
      ),
    );
  }
  parts.push(...localState(story, i));
  if (story.failing.has(i) && story.told.about_a_state) parts.push(...everybody(story, i));
  if (step.at) parts.push(source(story, step.at));
  parts.push(causality(story, i));
  return parts;
}

/** What a step without a message is about, to be laid out; `null` if there is nothing. */
function contentOf(story, i) {
  const step = story.steps[i];
  if (step.kind === "note") return [story.told.deeds[i]];
  if (step.kind === "timer") return [step.timer];
  return step.value === undefined ? null : itemOf(step.value);
}

/** Where a message came from and where it went, as links. */
function journey(story, view, i) {
  const step = story.steps[i];
  const link = (j, words) =>
    html(
      "button",
      {
        class: "link",
        type: "button",
        onclick: () => {
          if (view.shows(j)) view.select(j);
        },
      },
      words,
    );
  const lines = [];
  if (step.reads !== undefined) lines.push(["sent in ", link(step.reads, `step ${step.reads}`)]);
  if (step.kind === "send") {
    const verbs = { drop: "lost in ", duplicate: "delivered for the first time in ", receive: "received in " };
    story.arrivals[i].forEach(j => lines.push([verbs[story.steps[j].kind] ?? "", link(j, `step ${j}`)]));
    if (!story.arrivals[i].length) lines.push(["still on its way when the trace ends"]);
  }
  if (isLoss(step)) lines.push([`lost on its way${step.peer === undefined ? "" : ` to ${story.name(step.peer)}`}`]);
  if (step.network) lines.push([`channel: ${step.network}`]);
  return lines.map(line => html("p", { class: "journey" }, ...line));
}

function localState(story, i) {
  const step = story.steps[i];
  if (isPartition(step)) return [];
  if (!story.hasStates) return knowledge(story, i);
  const [before, after] = [story.before[i], story.after[i]];
  const title = `State of ${story.name(step.process)}`;
  if (step.kind === "crash")
    return [section(title, html("p", { class: "hint" }, "down; before it was"), before === null ? null : showValue(itemOf(before)))];
  if (after === null) return [];
  if (step.state === undefined)
    return [section(title, html("p", { class: "hint" }, "not changed by this step"), showValue(itemOf(after)))];
  if (before === null)
    return [
      section(
        title,
        html("p", { class: "hint" }, step.kind === "start" ? "as it starts" : "after this step"),
        html("div", { class: "the-state" }, showValue(itemOf(after))),
      ),
    ];
  if (sameValue(before, after)) return [section(title, html("p", { class: "hint" }, "the same as before"), showValue(itemOf(after)))];
  return [section(`${title}, before and after`, html("div", { class: "the-state" }, showDiff(itemOf(before), itemOf(after))))];
}

/** A property of a global state is about everybody's. */
function everybody(story, i) {
  const last = p => story.after[[...story.steps.keys()].findLast(j => story.steps[j].process === p)] ?? null;
  const shown = [...story.trace.processes.keys()].filter(p => p !== story.steps[i].process && last(p) !== null);
  const down = p => story.steps.findLast(step => step.process === p && ["crash", "restart"].includes(step.kind))?.kind === "crash";
  const title = p => html("summary", {}, story.name(p), down(p) ? " (down; before it was)" : "");
  const entry = p => html("details", { class: "state", open: shown.length <= 4 }, title(p), showValue(itemOf(last(p))));
  return shown.length ? [section("The others in the end", shown.map(entry))] : [];
}

/** A process without a state to show is what it has seen. */
function knowledge(story, i) {
  const { process } = story.steps[i];
  const seen = [...story.steps.keys()].filter(
    j => j <= i && story.steps[j].process === process && ["receive", "choose", "timeout", "join"].includes(story.steps[j].kind),
  );
  if (!seen.length) return [];
  const line = j => html("li", { class: j === i ? "now" : null }, story.told.deeds[j]);
  return [section(`What ${story.name(process)} has seen so far`, html("ol", { class: "seen" }, seen.map(line)))];
}

function source(story, location) {
  const found = story.told.sources[location];
  const lines = found
    ? [
        html(
          "pre",
          { class: "value code" },
          found.lines.map((text, n) => {
            const number = found.first + n;
            return html(
              "span",
              { class: number === found.line ? "line here" : "line" },
              html("span", { class: "sign" }, String(number)),
              `${text}\n`,
            );
          }),
        ),
      ]
    : [];
  return section("Source", html("p", { class: "place" }, html("code", {}, location)), ...lines);
}

function causality(story, i) {
  const [past, future] = [story.past(i).size, story.future(i).size];
  const rest = story.steps.length - 1 - past - future;
  return section(
    "Causality",
    html(
      "p",
      {},
      html("span", { class: "swatch past" }),
      `${count(past, "step")} before it, `,
      html("span", { class: "swatch future" }),
      `${count(future, "step")} after it, ${rest} independent of it`,
    ),
  );
}
