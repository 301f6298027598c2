// The selected step, its causal past and its future are lit; the rest steps back.

/** Puts the classes of light on everything in `root` that belongs to a step. */
function light(root, story, view) {
  const chosen = view.selected;
  const past = chosen === null ? null : story.past(chosen);
  const future = chosen === null ? null : story.future(chosen);
  // A property of a global state may be about steps that have nothing to do with each other: there nothing steps back.
  const whole = story.told.about_a_state && story.failing.has(chosen);
  root.classList.toggle("lit", chosen !== null && !whole);
  for (const element of root.querySelectorAll("[data-step]")) {
    const i = Number(element.dataset.step);
    element.classList.toggle("chosen", i === chosen);
    element.classList.toggle("past", past !== null && past.has(i));
    element.classList.toggle("future", future !== null && future.has(i));
    if (element.getAttribute("role") === "option") element.setAttribute("aria-selected", String(i === chosen));
  }
  for (const row of root.querySelectorAll("[data-steps]"))
    row.classList.toggle("chosen", row.dataset.steps.split(" ").map(Number).includes(chosen));
}

/** Makes `scroller` show the selected step, below what covers its top and beside what covers its left. */
function reveal(scroller, top, left) {
  const chosen = scroller.querySelector(".event.chosen");
  if (!chosen) return;
  const box = chosen.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const margin = 56;
  if (box.top < frame.top + top + margin / 2) scroller.scrollTop -= frame.top + top + margin - box.top;
  else if (box.bottom > frame.bottom - margin) scroller.scrollTop += box.bottom - frame.bottom + margin;
  if (box.left < frame.left + left + margin / 2) scroller.scrollLeft -= frame.left + left + margin - box.left;
  // Its words stand to its right.
  else if (box.right > frame.right - 2 * margin) scroller.scrollLeft += box.right - frame.right + 2 * margin;
}

/** A click on anything that belongs to a step selects it. */
function clickable(root, view) {
  root.addEventListener("click", event => {
    const hit = event.target.closest("[data-step]");
    const row = event.target.closest("[data-steps]");
    if (hit) view.select(Number(hit.dataset.step));
    else if (row) view.select(Number(row.dataset.steps.split(" ")[0]));
  });
}
