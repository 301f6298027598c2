// The pane beside the chart: the details of the selected step.

/** The pane. It is redrawn when the selection changes. */
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

/** The violation, shown while no step is selected. */
function overview(story, view) {
  const { violation } = story.trace;
  const parts = [html("h2", {}, story.computed.property), html("p", { class: "complaint" }, violation.message)];
  if (violation.process) parts.push(html("p", {}, "in ", html("b", {}, violation.process)));
  if (violation.location) parts.push(source(story, violation.location));
  const from = story.trace.loop_from;
  if (from !== undefined)
    parts.push(
      html(
        "p",
        {},
        from < story.steps.length
          ? `The state after the last step equals the state before step ${from}: the steps from there on repeat forever.`
          : "After the last step the execution stays in its state forever.",
      ),
    );
  const failure = story.failing.size ? " f for the failure," : "";
  parts.push(html("p", { class: "hint" }, `Click on a step, or use ↑ ↓ (or j and k), Home and End,${failure} Esc for none.`));
  return parts;
}

function describe(story, view, i) {
  const step = story.steps[i];
  // The message of the failure is shown below, unchanged.
  const words = step.kind === "fail" ? `${story.name(step.process)} fails here` : story.computed.sentences[i];
  const parts = [html("p", { class: "step-number" }, `step ${i} of ${story.steps.length - 1}`), html("h2", {}, words)];
  if (story.failing.has(i))
    parts.push(html("p", { class: "complaint" }, story.computed.about_a_state ? "After this step: " : "", story.trace.violation.message));
  const carries = story.computed.types[i] !== null;
  const about = carries ? story.message(i) : contentOf(story, i);
  if (about !== null) {
    parts.push(
      section(
        carries ? "Message" : { choose: "Chosen", action: "Action", note: "Note", timer: "Timer" }[step.kind],
        html("div", { class: "the-message" }, showValue(about)),
        ...messageRoute(story, view, i),
      ),
    );
  }
  parts.push(...localState(story, i));
  if (story.failing.has(i) && story.computed.about_a_state) parts.push(...otherStates(story, i));
  if (step.at) parts.push(source(story, step.at));
  parts.push(causality(story, i));
  return parts;
}

/** The content of a step without a message, as an item for `layOut`; `null` if there is none. */
function contentOf(story, i) {
  const step = story.steps[i];
  if (step.kind === "note") return [story.computed.events[i]];
  if (step.kind === "timer") return [step.timer];
  return step.value === undefined ? null : itemOf(step.value);
}

/** Links to the send of a message and to its receives. */
function messageRoute(story, view, i) {
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
  return lines.map(line => html("p", { class: "route" }, ...line));
}

function localState(story, i) {
  const step = story.steps[i];
  if (isPartition(step)) return [];
  if (!story.hasStates) return observations(story, i);
  const [before, after] = [story.before[i], story.after[i]];
  const title = `State of ${story.name(step.process)}`;
  if (step.kind === "crash")
    return [section(title, html("p", { class: "hint" }, "down; its state before the crash:"), before === null ? null : showValue(itemOf(before)))];
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

/** The final states of the other processes, on which a property of a global state may depend. */
function otherStates(story, i) {
  const last = p => story.after[[...story.steps.keys()].findLast(j => story.steps[j].process === p)] ?? null;
  const shown = [...story.trace.processes.keys()].filter(p => p !== story.steps[i].process && last(p) !== null);
  const down = p => story.steps.findLast(step => step.process === p && ["crash", "restart"].includes(step.kind))?.kind === "crash";
  const title = p => html("summary", {}, story.name(p), down(p) ? " (down; its state before the crash)" : "");
  const entry = p => html("details", { class: "state", open: shown.length <= 4 }, title(p), showValue(itemOf(last(p))));
  return shown.length ? [section("Final states of the other processes", shown.map(entry))] : [];
}

/** The inputs that a process has received so far, if the trace records no states. */
function observations(story, i) {
  const { process } = story.steps[i];
  const seen = [...story.steps.keys()].filter(
    j => j <= i && story.steps[j].process === process && ["receive", "choose", "timeout", "join"].includes(story.steps[j].kind),
  );
  if (!seen.length) return [];
  const line = j => html("li", { class: j === i ? "now" : null }, story.computed.events[j]);
  return [section(`Inputs of ${story.name(process)} so far`, html("ol", { class: "seen" }, seen.map(line)))];
}

function source(story, location) {
  const found = story.computed.sources[location];
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
