// Arrows between processes: messages that are received, lost, duplicated or pending, spawns and joins.

/** Arrow heads in the colour of their lines: one set for all drawings, outside of the views, which may be hidden. */
function arrowHeads() {
  const head = (id, d, attributes) =>
    svg(
      "marker",
      { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" },
      svg("path", { d, ...attributes }),
    );
  return svg(
    "svg",
    { class: "unseen", "aria-hidden": "true" },
    svg(
      "defs",
      {},
      head("full", "M0 0.8 L10 5 L0 9.2 z", { fill: "context-stroke" }),
      head("open", "M1 1 L9 5 L1 9", { fill: "none", stroke: "context-stroke", "stroke-width": 1.6 }),
    ),
  );
}

/** A message that is received, or lost on its way. */
function drawArrival(story, view, plan, layers, i) {
  const step = story.steps[i];
  const [x2, y2] = [plan.x.get(step.process), plan.y.get(i)];
  const sent = step.reads !== undefined && plan.y.has(step.reads);
  const [x1, y1] = sent ? [plan.x.get(story.steps[step.reads].process), plan.y.get(step.reads)] : [x2 - plan.gap * 0.4, y2];
  const lost = step.kind === "drop";
  const toward = Math.sign(x2 - x1) || 1;
  const kind = lost ? "lost" : step.kind === "duplicate" || again(story, i) ? "received twice" : "received";
  const end = x2 - toward * (lost ? 18 : 5);
  const d = x1 === x2 ? `M${x1} ${y1} C ${x1 + 46} ${y1}, ${x2 + 46} ${y2}, ${x2 + 6} ${y2}` : `M${x1} ${y1} L${end} ${y2}`;
  const hue = `h${story.hue(story.computed.types[i])}`;
  const arrow = svg(
    "g",
    { class: `arrow ${kind}${sent ? "" : " stub"} ${hue}`, "data-step": i },
    svg("path", { class: "hit", d }),
    svg("path", { class: "shaft", d, "marker-end": "url(#full)" }),
  );
  if (kind === "received twice") arrow.append(svg("path", { class: "shaft second", d, transform: "translate(0 4)" }));
  if (lost) {
    const at = `translate(${end} ${y2})`;
    arrow.append(svg("path", { class: "cross", d: "M-6 -6 L6 6 M6 -6 L-6 6", transform: at }));
  }
  layers.lines.append(arrow);
  const late = sent && y1 !== y2;
  if (late || !sent || lost) {
    const words = message => (lost ? `lost: ${message}` : message);
    const text = fitMessage(words(story.text(i)), words(story.label(i)), plan.gap - 34);
    layers.words.append(
      svg(
        "text",
        {
          class: `label late ${hue} ${lost ? "drop" : ""}`,
          "data-step": i,
          x: x2 - toward * 14,
          y: y2 + 15,
          "text-anchor": toward > 0 ? "end" : "start",
        },
        text,
      ),
    );
  }
}

/** A message that is lost when it is sent. It is drawn in the row of the sender's step. */
function drawLoss(story, plan, layers, i) {
  const step = story.steps[i];
  const [x1, y] = [plan.x.get(step.process), plan.y.get(i)];
  const there = plan.x.get(step.peer);
  const x2 = there === undefined || there === x1 ? x1 + plan.gap * 0.5 : there;
  const toward = Math.sign(x2 - x1);
  const end = x2 - toward * 18;
  layers.lines.append(
    svg(
      "g",
      { class: "arrow lost", "data-step": i },
      svg("path", { class: "hit", d: `M${x1} ${y} L${end} ${y}` }),
      svg("path", { class: "shaft", d: `M${x1} ${y} L${end} ${y}` }),
      svg("path", { class: "cross", d: "M-6 -6 L6 6 M6 -6 L-6 6", transform: `translate(${end} ${y})` }),
    ),
  );
  layers.words.append(
    svg(
      "text",
      { class: "label lose", "data-step": i, x: x1 + toward * 15, y: y - 7, "text-anchor": toward > 0 ? "start" : "end" },
      fitMessage(`lost: ${story.text(i) || "a message"}`, `lost: ${story.label(i) || "a message"}`, Math.max(60, Math.abs(x2 - x1) - 34)),
    ),
  );
}

/** Whether the message that arrives here was duplicated. */
function again(story, i) {
  const read = story.steps[i].reads;
  return read !== undefined && story.arrivals[read].some(j => story.steps[j].kind === "duplicate");
}

/** A message that is sent: its label and, if it is never received, an open arrow to its receiver. */
function drawDeparture(story, view, plan, layers, i) {
  const step = story.steps[i];
  const [x1, y1] = [plan.x.get(step.process), plan.y.get(i)];
  const hue = `h${story.hue(story.computed.types[i])}`;
  const there = plan.x.get(step.peer);
  const x2 = there ?? x1 + plan.gap * 0.5;
  const toward = Math.sign(x2 - x1) || 1;
  const arrivals = story.arrivals[i].filter(j => plan.y.has(j));
  if (!arrivals.length) {
    const end = x2 - toward * 14;
    const d = x1 === x2 ? `M${x1} ${y1} h 28` : `M${x1} ${y1} L${end} ${y1}`;
    layers.lines.append(
      svg(
        "g",
        { class: `arrow ${story.arrivals[i].length ? "stub" : "pending"} ${hue}`, "data-step": i },
        svg("path", { class: "hit", d }),
        svg("path", { class: "shaft", d, "marker-end": "url(#open)" }),
      ),
    );
  }
  // No other step is in the row of a send, so there is space for its label.
  const available = x1 === x2 ? plan.gap - 30 : Math.max(40, Math.abs(x2 - x1) - 34);
  layers.words.append(
    svg(
      "text",
      {
        class: `label message ${hue}${arrivals.length ? "" : " pending"}`,
        "data-step": i,
        x: x1 + toward * 15,
        y: y1 - 7,
        "text-anchor": toward > 0 ? "start" : "end",
      },
      fitMessage(story.text(i), story.label(i), available, BOLD),
    ),
  );
}

function drawSpawnOrJoin(plan, layers, step, i) {
  const [x1, x2, y] = [plan.x.get(step.process), plan.x.get(step.peer), plan.y.get(i)];
  if (x2 === undefined || x1 === x2) return;
  const toward = Math.sign(x2 - x1);
  const [from, to] = step.kind === "spawn" ? [x1, x2 - toward * 8] : [x2, x1 + toward * 8];
  layers.lines.append(
    svg(
      "g",
      { class: "arrow lifecycle", "data-step": i },
      svg("path", { class: "shaft", d: `M${from} ${y} L${to} ${y}`, "marker-end": "url(#open)" }),
    ),
  );
  layers.words.append(
    svg("text", { class: "label lifecycle", "data-step": i, x: x1 + (toward * plan.gap) / 2, y: y - 6, "text-anchor": "middle" }, step.kind),
  );
}
