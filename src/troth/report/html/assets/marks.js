// Verdicts in the text: which words they are about, and what in the contexts they point to.
const LONG = 6000; // characters of a text that are shown before one asks for more

// Verdicts of one score as objects. `kind` and `place` name the text that an id points into.
function verdictsOf(score, row, texts) {
  return score[4].map(([id, label, support, reason, sources, text, span], index) => {
    const found = /^([arc])(\d*)/.exec(id);
    const kind = found ? found[1] : "";
    const place = found && kind !== "a" ? Number(found[2]) - 1 : 0;
    const words = () => texts[kind === "a" ? row.a : row[kind][place]].slice(span[0], span[1]);
    return {
      id, index, support, sources, span, kind, place,
      label: texts[label], reason: texts[reason], tone: tone(texts[label]),
      text: text < 0 ? words() : texts[text],
      whole: Boolean(found) && !span,
    };
  });
}

// The marks of one text: claims with the same place share one, which has the worst one's tone.
function marksIn(verdicts, kind, place) {
  const marks = new Map();
  for (const v of verdicts) {
    if (v.kind !== kind || v.place !== place || !v.span) continue;
    const key = v.span.join();
    const mark = marks.get(key) || { start: v.span[0], end: v.span[1], tone: "none", labels: [], indexes: [], reasons: [] };
    if (TONES.indexOf(v.tone) >= TONES.indexOf(mark.tone)) mark.tone = v.tone;
    mark.labels.push(v.label);
    mark.indexes.push(v.index);
    mark.reasons.push(`${spoken(v.label)}${v.reason ? `: ${v.reason}` : ""}`);
    marks.set(key, mark);
  }
  return [...marks.values()];
}

// What reasons quote from a context, to be lit up with the claim that it supports or denies.
function quotesIn(verdicts, place, text) {
  const quotes = new Map();
  for (const v of verdicts) {
    if (!v.sources.includes(`c${place + 1}`)) continue;
    for (const [, quoted] of v.reason.matchAll(/“([^”]{6,})”/g)) {
      const wanted = quoted.replace(/…$/, "");
      const start = text.indexOf(wanted);
      if (start < 0) continue;
      const key = `${start},${wanted.length}`;
      const quote = quotes.get(key) || { start, end: start + wanted.length, quote: true, indexes: [] };
      quote.indexes.push(v.index);
      quotes.set(key, quote);
    }
  }
  return [...quotes.values()];
}

// `text` with its marks, as nodes. Marks that overlap an earlier one are left to the list.
function marked(text, marks, limit) {
  const nodes = [];
  let at = 0;
  const end = limit ? Math.min(limit, text.length) : text.length;
  for (const mark of marks.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (mark.start < at || mark.start >= end) continue;
    nodes.push(text.slice(at, mark.start));
    nodes.push(markNode(text.slice(mark.start, Math.min(mark.end, end)), mark));
    at = Math.min(mark.end, end);
  }
  nodes.push(text.slice(at, end));
  return nodes;
}

function markNode(words, mark) {
  if (mark.quote) return el("span", { class: "quote", "data-v": mark.indexes.join(" ") }, words);
  return el("span", { class: `mark tone-${mark.tone}`, role: "button", tabindex: "0", "aria-pressed": "false", title: mark.reasons.join("\n").slice(0, 600), "data-v": mark.indexes.join(" ") },
    words, hidden(` (${[...new Set(mark.labels)].map(spoken).join(", ")})`));
}

// A text of the data with its marks; a long one shows its beginning, and the rest on request.
function passage(text, marks, cls) {
  const box = said("", "div", `passage ${cls || ""}`);
  const draw = (limit) => box.replaceChildren(...marked(text, marks, limit));
  if (text.length <= LONG) {
    draw(0);
    return text ? box : el("p", { class: "absent" }, "empty");
  }
  draw(LONG);
  const more = el("button", { class: "more", type: "button", onclick: () => { draw(0); more.remove(); } },
    `Show all ${counted(text.length)} characters`);
  return el("div", {}, box, more);
}
