// Highlights the selected step, its causal past and its causal future; all other steps are dimmed.

/** Sets the highlighting classes of all elements in `root` that belong to a step. */
function highlight(root, story, view) {
  const chosen = view.selected;
  const past = chosen === null ? null : story.past(chosen);
  const future = chosen === null ? null : story.future(chosen);
  // A property of a global state may depend on steps that are causally unrelated, so no step is dimmed at its violation.
  const whole = story.computed.about_a_state && story.failing.has(chosen);
  root.classList.toggle("highlighted", chosen !== null && !whole);
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

/** Scrolls to the selected step. `top` and `left` are the sizes of the headers that cover the edges of `scroller`. */
function reveal(scroller, top, left) {
  const chosen = scroller.querySelector(".event.chosen");
  if (!chosen) return;
  const box = chosen.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const margin = 56;
  if (box.top < frame.top + top + margin / 2) scroller.scrollTop -= frame.top + top + margin - box.top;
  else if (box.bottom > frame.bottom - margin) scroller.scrollTop += box.bottom - frame.bottom + margin;
  if (box.left < frame.left + left + margin / 2) scroller.scrollLeft -= frame.left + left + margin - box.left;
  // The label is on the right side of the mark.
  else if (box.right > frame.right - 2 * margin) scroller.scrollLeft += box.right - frame.right + 2 * margin;
}

/** Selects a step on a click on any element that belongs to it. */
function clickable(root, view) {
  root.addEventListener("click", event => {
    const hit = event.target.closest("[data-step]");
    const row = event.target.closest("[data-steps]");
    if (hit) view.select(Number(hit.dataset.step));
    else if (row) view.select(Number(row.dataset.steps.split(" ")[0]));
  });
}
