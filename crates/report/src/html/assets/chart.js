// The message-sequence chart: processes as columns, time downwards, messages as arrows.

const ROW = 38;
const GUTTER = 58;
const LOOP = 26;
const HEAD = 52;
const LEAST_COLUMN = { wide: 132, narrow: 104 };
const LEAST_CHANGE = 150;

/** The chart. It is redrawn when the view changes. */
function makeChart(story, view) {
  const heads = html("div", { class: "heads", "aria-hidden": "true" });
  const canvas = html("div", { class: "canvas" });
  const scroller = html(
    "div",
    {
      class: "scroller chart",
      tabindex: 0,
      role: "listbox",
      "aria-label": "Steps of the execution. Arrow keys select a step.",
    },
    heads,
    canvas,
  );
  clickable(scroller, view);
  // The row numbers stay visible while the chart is scrolled.
  scroller.addEventListener("scroll", () =>
    canvas.querySelector(".numbers")?.setAttribute("transform", `translate(${scroller.scrollLeft} 0)`),
  );
  let gutter = GUTTER;
  const show = () => reveal(scroller, HEAD, gutter);

  function draw() {
    const plan = layChart(story, view, scroller.clientWidth || 800);
    gutter = plan.gutter;
    heads.replaceChildren(
      ...plan.columns.map(column =>
        html(
          "div",
          {
            class: "head",
            style: `left:${column.x - plan.gap / 2 + 4}px;width:${plan.gap - 8}px`,
            title: story.name(column.process),
          },
          html("b", {}, story.name(column.process)),
          html("small", {}, `p${story.trace.processes[column.process].pid}`),
        ),
      ),
    );
    heads.style.width = `${plan.width}px`;
    canvas.replaceChildren(
      plan.rows.length ? drawChart(story, view, plan) : html("p", { class: "empty" }, "Nothing to show: everything is filtered out."),
    );
    scroller.dispatchEvent(new Event("scroll"));
    highlight(scroller, story, view);
    announce();
  }
  function announce() {
    if (view.selected === null) scroller.removeAttribute("aria-activedescendant");
    else scroller.setAttribute("aria-activedescendant", `step-${view.selected}`);
  }
  view.listen(what => {
    if (!scroller.isConnected) return;
    if (what === "filter") draw();
    highlight(scroller, story, view);
    announce();
    show();
  });
  return { element: scroller, draw, reveal: show };
}

/** The layout of the chart. */
function layChart(story, view, available) {
  const rows = view.rows();
  const busy = new Set(rows.flat().map(i => story.steps[i].process));
  const targets = rows
    .flat()
    .filter(i => isSent(story.steps[i]))
    .map(i => story.steps[i].peer);
  targets.filter(p => p !== undefined && !view.hiddenProcesses.has(p)).forEach(p => busy.add(p));
  const shown = [...story.trace.processes.keys()].filter(p => busy.has(p) && !story.wide.has(p));
  const numbers = Math.max(GUTTER, ...rows.map(row => widthOf(rowNumber(story, row), SMALL) + 20));
  const gutter = numbers + (story.trace.loop_from === undefined ? 0 : LOOP);
  // The first column has labels on its left side, too.
  const left = available > 600 ? 0.7 : 0.5;
  const gap = Math.max(available > 600 ? LEAST_COLUMN.wide : LEAST_COLUMN.narrow, Math.min(240, (available - gutter - 30) / (shown.length + left - 0.5)));
  const columns = shown.map((process, n) => ({ process, x: gutter + gap * (n + left) }));
  const x = new Map(columns.map(column => [column.process, column.x]));
  const y = new Map();
  rows.forEach((row, n) => row.forEach(i => y.set(i, ROW * (n + 0.9))));
  const tail = Math.max(
    0,
    ...rows
      .flat()
      .filter(i => labelled(story.steps[i]))
      .map(i => (x.get(story.steps[i].process) ?? 0) + 24 + Math.min(260, widthOf(markLabel(story, i)))),
  );
  const width = Math.max(available - 18, gutter + gap * (columns.length + left - 0.5) + 12, tail);
  return { rows, columns, x, y, gutter, gap, width, height: ROW * (rows.length + 1) };
}

/** Whether the label of a step is beside its mark. */
function labelled(step) {
  return !["send", "lose", "receive", "duplicate", "start", "spawn", "join"].includes(step.kind);
}

function markLabel(story, i) {
  const step = story.steps[i];
  if (step.kind === "fail") return "fails here";
  if (step.kind === "timer") return `timer ${step.timer}`;
  return story.computed.events[i];
}

function drawChart(story, view, plan) {
  const layers = {
    back: svg("g"),
    lines: svg("g", { "aria-hidden": "true" }),
    events: svg("g"),
    words: svg("g", { "aria-hidden": "true" }),
    side: svg("g", { class: "numbers", "aria-hidden": "true" }),
  };
  layers.side.append(svg("rect", { class: "ground", x: 0, y: 0, width: plan.gutter - 6, height: plan.height }));
  plan.rows.forEach((row, n) => drawRow(story, plan, layers, row, n));
  plan.columns.forEach(column => drawLifeline(story, plan, layers, column));
  plan.rows.flat().forEach(i => drawStep(story, view, plan, layers, i));
  drawLoop(story, plan, layers);
  return svg(
    "svg",
    { width: plan.width, height: plan.height, viewBox: `0 0 ${plan.width} ${plan.height}`, role: "presentation" },
    layers.back,
    layers.lines,
    layers.events,
    layers.words,
    layers.side,
  );
}

/** The number of a row: the number of its step, or those of its send and its receive. */
function rowNumber(story, row) {
  return row.length === 2 && story.steps[row[1]].reads === row[0] ? `${row[0]}▸${row[1]}` : String(row[0]);
}

function drawRow(story, plan, layers, row, n) {
  const bad = row.some(i => story.failing.has(i));
  const stripe = width =>
    svg("rect", { class: bad ? "row bad" : "row", "data-steps": row.join(" "), x: 0, y: ROW * (n + 0.4), width, height: ROW });
  layers.back.append(stripe(plan.width));
  layers.side.append(
    stripe(plan.gutter - 6),
    svg(
      "text",
      { class: "number", x: plan.gutter - 14, y: ROW * (n + 0.9) + 4, "text-anchor": "end" },
      rowNumber(story, row),
    ),
  );
}

/** The lifeline of a process, from its spawn to its end, dashed while the process is down. */
function drawLifeline(story, plan, layers, { process, x }) {
  const own = plan.rows.flat().filter(i => story.steps[i].process === process);
  const birth = plan.rows.flat().find(i => story.steps[i].kind === "spawn" && story.steps[i].peer === process);
  const ended = story.trace.processes[process].status === "ended" && own.length;
  const [top, bottom] = [birth === undefined ? 0 : plan.y.get(birth), ended ? plan.y.get(own.at(-1)) + 10 : plan.height];
  const segment = (from, to, kind) => layers.back.append(svg("line", { class: kind, x1: x, x2: x, y1: from, y2: to }));
  let [from, kind] = [top, "life"];
  for (const i of own) {
    const step = story.steps[i];
    if (step.kind !== "crash" && step.kind !== "restart") continue;
    segment(from, plan.y.get(i), kind);
    [from, kind] = [plan.y.get(i), step.kind === "crash" ? "life down" : "life"];
  }
  segment(from, bottom, kind);
  if (birth !== undefined || ended) {
    const cap = y => layers.back.append(svg("line", { class: "life", x1: x - 7, x2: x + 7, y1: y, y2: y }));
    if (birth !== undefined) cap(top);
    if (ended) cap(bottom);
  }
}

function drawStep(story, view, plan, layers, i) {
  const step = story.steps[i];
  if (isPartition(step)) return drawPartition(story, plan, layers, i);
  const [x, y] = [plan.x.get(step.process), plan.y.get(i)];
  if (["receive", "duplicate", "drop"].includes(step.kind)) drawArrival(story, view, plan, layers, i);
  if (step.kind === "lose") drawLoss(story, plan, layers, i);
  if (step.kind === "send") drawDeparture(story, view, plan, layers, i);
  if (["spawn", "join"].includes(step.kind)) drawSpawnOrJoin(plan, layers, step, i);
  const event = svg(
    "g",
    {
      class: `event ${step.kind}${story.failing.has(i) ? " bad" : ""}`,
      id: `step-${i}`,
      "data-step": i,
      role: "option",
      "aria-selected": "false",
      "aria-label": `Step ${i}: ${story.computed.sentences[i]}`,
    },
    svg("title", {}, story.computed.sentences[i]),
    svg("circle", { class: "hit", cx: x, cy: y, r: 13 }),
    svg("circle", { class: "halo", cx: x, cy: y, r: 11 }),
    ...glyph(step.kind, x, y),
  );
  layers.events.append(event);
  drawChange(story, plan, layers, i);
  const alone = ["spawn", "join"].includes(step.kind) && !plan.x.has(step.peer);
  if (labelled(step) || alone) {
    const available = Math.max(plan.gap - 30, x === plan.columns.at(-1)?.x ? plan.width - x - 20 : 0);
    const side = step.kind === "drop" ? "" : fit(markLabel(story, i), available);
    layers.words.append(
      svg("text", { class: `label mark ${step.kind}${story.failing.has(i) ? " bad" : ""}`, "data-step": i, x: x + 15, y: y + 4 }, side),
    );
  }
}

/** A short description of the change of the state, on the free side of the mark. */
function drawChange(story, plan, layers, i) {
  const step = story.steps[i];
  const [before, after] = [story.before[i], story.after[i]];
  if (step.state === undefined || before === null || sameValue(before, after) || step.kind === "action" || plan.gap < LEAST_CHANGE) return;
  const [x, y] = [plan.x.get(step.process), plan.y.get(i)];
  const from = step.peer === undefined ? undefined : plan.x.get(step.peer);
  const right = from !== undefined && from < x && !labelled(step);
  const text = fit(changeInWords(before, after), right ? plan.gap - 26 : Math.min(plan.gap - 26, x - plan.gutter - 4), SMALL);
  layers.words.append(
    svg(
      "text",
      { class: "label change", "data-step": i, x: x + (right ? 14 : -14), y: y + 4, "text-anchor": right ? "start" : "end" },
      text,
    ),
  );
}

/** The mark of a kind of step. */
function glyph(kind, x, y) {
  const path = (d, cls = "stroke") => svg("path", { class: cls, d, transform: `translate(${x} ${y})` });
  switch (kind) {
    case "timer":
    case "timeout":
      return [svg("circle", { class: "face", cx: x, cy: y, r: 6.5 }), path("M0 -4 V0 L3 2")];
    case "choose":
      return [path("M0 -6.5 L6.5 0 L0 6.5 L-6.5 0 z", "face")];
    case "crash":
    case "drop":
      return [path("M-5 -5 L5 5 M5 -5 L-5 5", "stroke thick")];
    case "restart":
      return [path("M4.6 -3.2 A5.6 5.6 0 1 0 5.6 0.6 M5.2 -6 V-2.6 H1.8", "stroke thick")];
    case "fail":
      return [svg("circle", { class: "face", cx: x, cy: y, r: 8 }), path("M-3.2 -3.2 L3.2 3.2 M3.2 -3.2 L-3.2 3.2", "stroke cut")];
    case "wait":
      return [path("M-5 -6.5 H5 L-5 6.5 H5 z", "face")];
    case "note":
    case "action":
      return [svg("rect", { class: "face", x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 })];
    case "start":
      return [svg("circle", { class: "face hollow", cx: x, cy: y, r: 4 })];
    default:
      return [svg("circle", { class: "dot", cx: x, cy: y, r: 4 })];
  }
}

/** A partition of the network, or its end: a line across all columns. */
function drawPartition(story, plan, layers, i) {
  const y = plan.y.get(i);
  const words = story.computed.sentences[i];
  const event = svg(
    "g",
    {
      class: `event partition ${story.steps[i].kind}`,
      id: `step-${i}`,
      "data-step": i,
      role: "option",
      "aria-selected": "false",
      "aria-label": `Step ${i}: ${words}`,
    },
    svg("path", { class: "stroke", d: `M${plan.gutter} ${y} H${plan.width - 10}` }),
    svg("path", { class: "hit", d: `M${plan.gutter} ${y} H${plan.width - 10}` }),
  );
  layers.events.append(event);
  layers.words.append(svg("text", { class: "label partition", "data-step": i, x: plan.gutter + 8, y: y - 7 }, words));
}

/** A bracket around the steps of the cycle of an infinite path. */
function drawLoop(story, plan, layers) {
  const from = story.trace.loop_from;
  if (from === undefined) return;
  const inside = plan.rows.flat().filter(i => i >= from);
  const [top, bottom] = inside.length
    ? [plan.y.get(inside[0]) - ROW / 2 + 3, plan.y.get(inside.at(-1)) + ROW / 2 - 3]
    : [plan.height - ROW * 0.6, plan.height - ROW * 0.2];
  layers.side.append(
    svg("path", { class: "loop", d: `M28 ${top} H20 V${bottom} H28` }),
    svg(
      "text",
      { class: "loop-words", transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" },
      inside.length ? "repeats forever" : "",
    ),
  );
  if (!inside.length)
    layers.words.append(svg("text", { class: "label", x: plan.gutter, y: plan.height - 10 }, "the execution then stays in this state forever"));
}
