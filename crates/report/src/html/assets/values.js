// The layout of values, which are trees, on lines.
//
// In the data a tree is a string, a list, or an object with one field: `struct`, `tuple`, `set` or `map`. For the layout it is converted into an item: a
// list of texts and groups, where a group has brackets and items.

/** A tree as an item. */
function itemOf(tree) {
  if (typeof tree === "string") return [tree];
  if (Array.isArray(tree)) return [group("[", tree.map(itemOf), "]")];
  const [[kind, value]] = Object.entries(tree);
  if (kind === "set") return [group("{", value.map(itemOf), "}")];
  if (kind === "map") return [group("{", value.map(([key, entry]) => keyed(flat(itemOf(key)), joined(itemOf(key), [": "], itemOf(entry)))), "}")];
  const [name, parts] = value;
  if (kind === "tuple") return joined(name ? [name] : [], [group("(", parts.map(itemOf), name || parts.length !== 1 ? ")" : ",)")]);
  return [`${name} `, group("{", parts.map(([key, field]) => keyed(key, joined(key ? [`${key}: `] : [], itemOf(field)))), "}")];
}

function group(open, items, close) {
  return { open, items, close };
}

/** Sets the key of an item that is a field or an entry of a map. */
function keyed(key, item) {
  item.key = key;
  return item;
}

/** Concatenates items; adjacent texts become one text. */
function joined(...items) {
  const all = [];
  for (const part of items.flat())
    if (typeof part === "string" && typeof all.at(-1) === "string") all.push(all.pop() + part);
    else all.push(part);
  return all;
}

/** The preferred length of a line. */
const LINE = 42;

/** An item on one line. `Name { … }` has spaces inside, the braces of a set have none. */
function flat(item) {
  return item
    .map((part, i) => {
      if (typeof part === "string") return part;
      const inside = part.items.map(flat).join(", ");
      const name = i > 0 && typeof item[i - 1] === "string" ? item[i - 1] : "";
      const named = part.open === "{" && name.endsWith(" ") && !name.endsWith(": ");
      return part.open + (named && inside ? ` ${inside} ` : inside) + part.close;
    })
    .join("")
    .trim();
}

/** The lines of an item: if it does not fit on one line, its last group is opened. */
function layOut(item, indent, tail) {
  const whole = indent + flat(item) + tail;
  const opened = lastGroup(item);
  if (whole.length <= LINE || opened < 0) return [whole];
  const [first, last] = around(item, opened, indent, tail);
  return [first, ...item[opened].items.flatMap(inner => layOut(inner, indent + "  ", ",")), last];
}

/** The index of the last group that is not empty. */
function lastGroup(item) {
  return item.findLastIndex(part => typeof part !== "string" && part.items.length > 0);
}

/** The lines before and after the items of an opened group. */
function around(item, opened, indent, tail) {
  const gap = opened > 0 && String(item[opened - 1]).endsWith(" ") ? " " : "";
  const first = indent + flat([...item.slice(0, opened), ""]) + gap + item[opened].open;
  return [first, indent + item[opened].close + flat(item.slice(opened + 1)) + tail];
}

/** Whether two trees have the same text. */
function sameValue(one, other) {
  return one === other || flat(itemOf(one)) === flat(itemOf(other));
}

/** A short description of the change from one state to the next. */
function changeInWords(before, after) {
  const brief = tree => {
    const text = flat(itemOf(tree));
    return text.length <= 14 ? text : (text.match(/^\w+/)?.[0] ?? text);
  };
  const [old, now] = [before.struct, after.struct];
  const whole = flat(itemOf(after));
  if (!old || !now || old[0] !== now[0]) return brief(after) === whole ? whole : `${brief(after)} …`;
  const known = new Map(old[1].map(([key, value]) => [key, flat(itemOf(value))]));
  return now[1]
    .filter(([key, value]) => known.get(key) !== flat(itemOf(value)))
    .map(([key, value]) => `${key}: ${brief(value)}`)
    .join(", ");
}

/** Shows a value. */
function showValue(item) {
  return html("pre", { class: "value" }, layOut(item, "", "").join("\n"));
}
