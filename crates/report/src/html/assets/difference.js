// The difference of two values: their trees are compared and laid out together, and only differing parts are marked.

/** The difference of two lists along a longest common subsequence: a list of `[kind, text]` with the kinds " ", "-" and "+". */
function diff(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i][j] = before[i] === after[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const changes = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      changes.push([" ", before[i]]);
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) changes.push(["-", before[i++]]);
    else changes.push(["+", after[j++]]);
  }
  return changes;
}

/** The merged lines of two values: `[kind, text, other]`, where `other` is the corresponding line of the other value, if there is one. */
function difference(before, after) {
  return mergeItems(before, after, "", "");
}

/** The merged lines of two items that correspond to each other. A group that is too long for a line is opened in both items or in neither. */
function mergeItems(old, now, indent, tail) {
  if (flat(old) === flat(now)) return layOut(now, indent, tail).map(line => [" ", line]);
  const wide = Math.max(flat(old).length, flat(now).length) + indent.length + tail.length > LINE;
  const opened = wide ? sameGroup(old, now) : -1;
  if (opened < 0) return replaced(old, now, indent, tail);
  const [first, last] = around(now, opened, indent, tail);
  return [[" ", first], ...mergeLists(old[opened].items, now[opened].items, indent + "  "), [" ", last]];
}

/** The index of a group such that two items differ only in its contents; -1 if there is none. */
function sameGroup(old, now) {
  const without = (item, place) => flat(item.map((part, i) => (i === place ? { ...part, items: [] } : part)));
  const opened = now.findLastIndex((part, i) => {
    const other = old[i];
    if (typeof part === "string" || other === undefined || typeof other === "string" || other.open !== part.open) return false;
    return part.items.length > 0 && other.items.length > 0 && old.length === now.length && without(old, i) === without(now, i);
  });
  return opened;
}

/** The lines of an item that replaces another. */
function replaced(old, now, indent, tail) {
  const [gone, come] = [layOut(old, indent, tail), layOut(now, indent, tail)];
  const paired = gone.length === 1 && come.length === 1;
  return [...gone.map(line => ["-", line, paired ? come[0] : null]), ...come.map(line => ["+", line, paired ? gone[0] : null])];
}

/** The merged lines of the items of two groups: fields and entries are compared by name, other items along a longest common subsequence. */
function mergeLists(old, now, indent) {
  const names = list => list.map(item => item.key ?? flat(item));
  const lines = [];
  let [gone, come] = [[], []];
  let [i, j] = [0, 0];
  // Items between two common ones are merged in pairs, in order.
  const settle = () => {
    for (let n = 0; n < Math.max(gone.length, come.length); n++)
      if (n >= gone.length) lines.push(...layOut(come[n], indent, ",").map(line => ["+", line, null]));
      else if (n >= come.length) lines.push(...layOut(gone[n], indent, ",").map(line => ["-", line, null]));
      else lines.push(...mergeItems(gone[n], come[n], indent, ","));
    [gone, come] = [[], []];
  };
  for (const [kind] of diff(names(old), names(now))) {
    if (kind === "-") gone.push(old[i++]);
    else if (kind === "+") come.push(now[j++]);
    else {
      settle();
      lines.push(...mergeItems(old[i++], now[j++], indent, ","));
    }
  }
  settle();
  return lines;
}

/** Shows the difference of two values. */
function showDiff(before, after) {
  return html(
    "pre",
    { class: "value diff" },
    difference(before, after).map(([kind, text, other]) => diffLine(kind, text, other ?? null)),
  );
}

function diffLine(sign, line, other) {
  const kind = { " ": "same", "-": "gone", "+": "new" }[sign];
  const row = html("span", { class: `line ${kind}` }, html("span", { class: "sign", "aria-hidden": "true" }, sign));
  if (sign !== " ") row.append(html("span", { class: "unseen" }, sign === "-" ? "before: " : "after: "));
  const words = text => text.split(/(\w+|\W)/).filter(Boolean);
  if (other === null) row.append(line);
  else {
    const [before, after] = sign === "-" ? [line, other] : [other, line];
    for (const [kind, text] of diff(words(before), words(after)))
      if (kind === " ") row.append(text);
      else if (kind === sign) row.append(html("mark", {}, text));
  }
  row.append("\n");
  return row;
}
