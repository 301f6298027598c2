// Creates the page from its data.

const data = unpack(JSON.parse(document.getElementById("data").textContent));
const story = data.trace ? makeStory(data.trace, data.story) : null;
const view = story ? makeView(story) : null;
const views = [];

header();
theme();
document.body.append(arrowHeads());
if (story) {
  addChart("chart", "Sequence chart", makeChart(story, view));
  if (data.trace.engine === "must") addChart("graph", "Execution graph (po, rf)", makeGraph(story, view));
}
if (data.timeline) addView("timeline", "History", makeTimeline(data.timeline));
if (data.run) addView("figures", "The run", makeFigures(data.run));
tabs();
keyboard();
if (views.length) show(views[0].name);
if (story && data.story.failing.length) view.select(data.story.failing[0]);

function header() {
  const { trace, run } = data;
  document.getElementById("title").append(data.title);
  const verdict = run?.verdict ?? "violated";
  const known = data.headline ?? { verdict, good: verdict === "incomplete" ? null : verdict === "verified" };
  const badge = document.getElementById("verdict");
  const [sign, kind] = known.good === null ? ["?", "incomplete"] : known.good ? ["✓", "verified"] : ["✗", "violated"];
  badge.append(`${sign} ${known.verdict}`);
  badge.classList.add(kind);
  const facts = Object.entries((run ?? trace)?.params ?? {}).map(([key, value]) => `${key}=${value}`);
  if ((run ?? trace)?.engine) facts.push(`engine ${(run ?? trace).engine}`);
  if ((run ?? trace)?.network) facts.push(`network ${(run ?? trace).network}`);
  if (trace) facts.push(count(trace.steps.length, "step"));
  document.getElementById("chips").append(...facts.map(fact => html("span", {}, fact)));
  const sentence = document.getElementById("sentence");
  if (trace) {
    const { violation } = trace;
    const where = [violation.process ? `in ${violation.process}` : "", violation.location ? `at ${violation.location}` : ""]
      .filter(Boolean)
      .join(" ");
    const [first, ...more] = violation.message.split("\n");
    sentence.append(html("b", {}, data.story.property), `: ${first}${more.length ? " …" : ""}${where ? ` (${where})` : ""}`);
  } else sentence.append(data.headline?.sentence ?? run?.sentence ?? "");
}

/** The colour scheme: that of the system, until the user chooses one. */
function theme() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  try {
    const kept = localStorage.getItem("manyworlds-theme");
    if (kept) root.dataset.theme = kept;
  } catch {
    /* A page from a file may have no storage. */
  }
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("manyworlds-theme", root.dataset.theme);
    } catch {
      /* Without storage the choice applies to this page only. */
    }
  });
}

function addView(name, title, part) {
  views.push({
    name,
    title,
    part,
    element: html(
      "div",
      { class: "view", id: `view-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, hidden: true },
      part.element,
    ),
  });
  document.getElementById("main").append(views.at(-1).element);
}

/** A chart has a toolbar above it and the details beside it. */
function addChart(name, title, part) {
  const frame = html(
    "div",
    { class: "split" },
    html("div", { class: "drawing" }, toolbar(), part.element, keys(name)),
    makeDetail(story, view),
  );
  addView(name, title, { ...part, element: frame });
}

function toolbar() {
  const bar = html("div", { class: "toolbar" });
  if (data.story.cause) bar.append(onlyCauses(data.story.cause));
  if (data.story.failing.length)
    bar.append(html("button", { class: "quiet jump", type: "button", onclick: () => view.select(data.story.failing[0]) }, "Go to the failure"));
  const walk = (by, sign, words) =>
    html("button", { class: "quiet walk", type: "button", "aria-label": words, title: words, onclick: () => view.move(by) }, sign);
  bar.append(html("span", { class: "pair" }, walk(-1, "↑", "Previous step"), walk(1, "↓", "Next step")));
  bar.append(
    filter(
      "Processes",
      // The processes with columns. A process to which messages are sent has a column even if it takes no step.
      [...data.trace.processes.keys()].filter(p => story.steps.some(s => s.process === p || (isSent(s) && s.peer === p))),
      story.name,
      () => "",
      "hiddenProcesses",
    ),
  );
  if (story.types.length)
    bar.append(
      filter(
        "Messages",
        story.types,
        type => type,
        type => `h${story.hue(type)}`,
        "hiddenTypes",
      ),
    );
  return bar;
}

/** The button that hides the steps that are not causes of the failure. */
function onlyCauses({ title, meaning }) {
  const only = html("button", { class: "toggle only", type: "button", "aria-pressed": "false", title: meaning }, title);
  only.addEventListener("click", () =>
    view.filter(v => {
      v.onlyCauses = !v.onlyCauses;
    }),
  );
  view.listen(() => only.setAttribute("aria-pressed", String(view.onlyCauses)));
  return only;
}

/** A menu of processes or message types that can be shown or hidden. */
function filter(title, items, name, hue, hidden) {
  const summary = html("summary", {}, title);
  const boxes = items.map(item => {
    const box = html("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () =>
      view.filter(v => {
        if (box.checked) v[hidden].delete(item);
        else v[hidden].add(item);
      }),
    );
    view.listen(() => {
      box.checked = !view[hidden].has(item);
    });
    return html("label", { class: hue(item) }, box, html("i", {}), name(item));
  });
  view.listen(() => {
    summary.textContent = view[hidden].size ? `${title} (${items.length - view[hidden].size} of ${items.length})` : title;
  });
  return html(
    "details",
    { class: "filter", "data-filter": hidden },
    summary,
    html("div", { class: "choices", role: "group", "aria-label": title }, boxes),
  );
}

/** Closes all open menus except one. Returns whether there were any. */
function closeMenus(but = null) {
  const open = [...document.querySelectorAll("details.filter[open]")].filter(menu => menu !== but);
  for (const menu of open) {
    const within = menu.contains(document.activeElement);
    menu.open = false;
    if (within) menu.querySelector("summary").focus();
  }
  return open.length > 0;
}

/** The legend. */
function keys(name) {
  const key = (cls, words) => html("span", { class: "key" }, html("i", { class: cls }), words);
  if (name === "graph")
    return html(
      "p",
      { class: "keys" },
      key("po", "program order"),
      key("rf", "reads from"),
      key("lifecycle", "spawn, join"),
      key("bad", "failure"),
    );
  const has = kind => story.steps.some(step => step.kind === kind);
  const pending = story.steps.some((step, i) => step.kind === "send" && !story.arrivals[i].length);
  return html(
    "p",
    { class: "keys" },
    has("receive") ? key("received", "received") : null,
    pending ? key("pending", "still on its way") : null,
    has("drop") || story.steps.some(isLoss) ? key("lost", "lost") : null,
    has("duplicate") ? key("twice", "delivered twice") : null,
    key("past", "before the selected step"),
    key("future", "after it"),
    data.story.failing.length ? key("bad", "failure") : null,
  );
}

function tabs() {
  const bar = document.getElementById("tabs");
  if (views.length < 2) bar.hidden = true;
  for (const { name, title } of views)
    bar.append(
      html("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, onclick: () => show(name) }, title),
    );
  bar.addEventListener("keydown", event => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = views.findIndex(entry => !entry.element.hidden);
    const next = views[(at + by + views.length) % views.length];
    show(next.name);
    document.getElementById(`tab-${next.name}`).focus();
    event.stopPropagation();
  });
}

function show(name) {
  for (const entry of views) {
    const shown = entry.name === name;
    entry.element.hidden = !shown;
    const tab = document.getElementById(`tab-${entry.name}`);
    tab.setAttribute("aria-selected", String(shown));
    tab.tabIndex = shown ? 0 : -1;
    if (shown) entry.part.draw();
    if (shown) entry.part.reveal?.();
  }
}

function keyboard() {
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && closeMenus()) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const current = views.find(entry => !entry.element.hidden);
    if (!current) return;
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (current.name === "timeline") {
      const along = by ?? { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (along) {
        current.part.move(along);
        event.preventDefault();
      }
      return;
    }
    if (!view || current.name === "figures") return;
    if (by) view.move(by);
    else if (event.key === "Home") view.move(-Infinity);
    else if (event.key === "End") view.move(Infinity);
    else if (event.key === "Escape") view.select(null);
    else if (event.key === "f" && data.story.failing.length) view.select(data.story.failing[0]);
    else return;
    event.preventDefault();
  });
  document.addEventListener("pointerdown", event => closeMenus(event.target.closest("details.filter")));
  let waiting = null;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => views.find(entry => !entry.element.hidden)?.part.draw(), 80);
  });
}
