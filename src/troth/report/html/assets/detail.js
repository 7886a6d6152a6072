// One row, opened: its texts with the verdicts of one metric marked in them, and all its scores.
function detail(state, row) {
  const { doc } = state;
  const judged = doc.metrics.map((_, n) => n).filter((n) => row.s[n][4].length);
  const box = el("div", { class: "detail" });
  let lens = judged.includes(state.at) ? state.at : judged.find((n) => doc.ranking.includes(doc.metrics[n].label)) ?? judged[0];
  const draw = () => box.replaceChildren(...opened(state, row, judged, lens, (n) => { lens = n; draw(); box.querySelector(`[data-lens="${n}"]`)?.focus(); }));
  draw();
  lightUp(box);
  return box;
}

function opened(state, row, judged, lens, choose) {
  const { doc } = state;
  const text = (n) => doc.texts[n];
  const verdicts = lens === undefined ? [] : verdictsOf(row.s[lens], row, doc.texts);
  const answer = row.a === undefined ? null : part("Answer", passage(text(row.a), marksIn(verdicts, "a", 0), "answer"), badge(verdicts, "a", 0));
  const references = row.r && part(row.r.length === 1 ? "Reference" : "References",
    row.r.length ? el("ol", { class: "texts" }, row.r.map((n, place) => el("li", {}, passage(text(n), marksIn(verdicts, "r", place)), badge(verdicts, "r", place)))) : el("p", { class: "absent" }, "none"));
  const left = el("div", {},
    row.q === undefined ? null : part("Question", passage(text(row.q), [], "question")),
    answer, verdictList(verdicts.filter(ofText), "Verdicts"), references, retrieval(row, text));
  const right = row.c && el("div", {}, contextsPart(row, text, verdicts));
  return [
    lenses(doc, row, judged, lens, choose),
    el("div", { class: right ? "sides" : "sides single" }, left, right),
    scoresPart(doc, row), metaPart(doc, row),
  ].filter(Boolean);
}

// One level below the heading that they stand under.
let partHeading = "h3";
const part = (title, ...kids) => el("div", { class: "part" }, el(partHeading, {}, title), ...kids);

function lenses(doc, row, judged, lens, choose) {
  if (!judged.length) return null;
  return el("div", { class: "lenses", role: "group", "aria-label": "Whose verdicts are marked in the texts" },
    judged.map((n) => el("button", { type: "button", "data-lens": n, "aria-pressed": String(n === lens), onclick: () => choose(n) },
      nice(doc.metrics[n].label), " ", el("b", {}, shown(row.s[n][0])))));
}

function chip(v) {
  return el("span", { class: `chip tone-${v.tone}` }, el("i", { class: "key", "aria-hidden": "true" }), spoken(v.label));
}

// What was judged as a whole bears its verdict beside it.
function badge(verdicts, kind, place) {
  const whole = verdicts.filter((v) => v.whole && v.kind === kind && v.place === place && !v.id.includes("."));
  return kind === "a" && whole.some((v) => v.id !== "a") ? null : whole.map(chip);
}

// Verdicts worst first; what is well, and what is too much to read, is folded away.
const UNFOLDED = 6;

function verdictList(verdicts, title) {
  if (!verdicts.length) return null;
  const sorted = verdicts.slice().sort((a, b) => TONES.indexOf(b.tone) - TONES.indexOf(a.tone));
  const amiss = sorted.filter((v) => v.tone === "bad" || v.tone === "soft").length;
  const open = sorted.slice(0, Math.min(amiss || 3, UNFOLDED));
  const folded = sorted.slice(open.length);
  return part(title, el("ul", { class: "claims" }, open.map(claim)), folded.length ? el("details", {},
    el("summary", {}, `${counted(folded.length)} more: ${tally(folded)}`), el("ul", { class: "claims" }, folded.map(claim))) : null);
}

function tally(verdicts) {
  const found = new Map();
  for (const v of verdicts) found.set(v.label, (found.get(v.label) || 0) + 1);
  return [...found].map(([label, n]) => `${n} ${spoken(label)}`).join(", ");
}

function claim(v) {
  return el("li", {}, el("button", { type: "button", class: `claim tone-${v.tone}`, "aria-pressed": "false", "data-v": v.index },
    el("span", { class: "line" }, chip(v), v.sources.length ? el("span", { class: "sources" }, v.sources.join(", ")) : null),
    said(beginning(v.text, 400), "span", "words"),
    v.reason ? said(v.reason, "span", "why") : null));
}

const ofText = (v) => v.kind !== "c"; // about the answer or a reference, not about a context

function contextsPart(row, text, verdicts) {
  const title = row.c.length === 1 ? "Context" : `Contexts (${row.c.length})`;
  if (!row.c.length) return part("Contexts", el("p", { class: "absent" }, "Retrieval found nothing."));
  const cut = verdicts.filter((v) => v.kind === "c" && v.span);
  const list = el("ol", { class: "contexts" }, row.c.map((n, place) => {
    const marks = [...marksIn(verdicts, "c", place), ...quotesIn(verdicts, place, text(n))];
    const whole = verdicts.filter((v) => v.kind === "c" && v.place === place && v.whole && v.reason);
    return el("li", { "data-c": `c${place + 1}` }, el("div", { class: "line" }, el("span", { class: "no" }, `c${place + 1}`), badge(verdicts, "c", place)),
      passage(text(n), marks), whole.map((v) => said(v.reason, "p", "why")));
  }));
  return [part(title, list), verdictList(cut, "Verdicts on the contexts")];
}

function retrieval(row, text) {
  const wanted = new Set(row.wanted || []);
  return [
    row.w && part("Relevant contexts", el("ol", { class: "texts" }, row.w.map((n) => el("li", {}, passage(text(n), []))))),
    row.found && part("Retrieved, best first", el("ol", { class: "ids" }, row.found.slice(0, 50).map((id) => el("li", { class: wanted.has(id) ? "hit" : "" }, said(id, "bdi"), wanted.has(id) ? hidden(" (relevant)") : null)))),
    row.wanted && part("Relevant", el("p", {}, row.wanted.slice(0, 50).map((id, n) => [n ? ", " : "", said(id, "bdi")]))),
  ];
}

function scoresPart(doc, row, only) {
  const line = (m, n) => {
    const [value, status, , reason] = row.s[n];
    const word = { s: "", u: "unscorable", f: "failed" }[status];
    return only && !only.includes(n) ? null : el("tr", {}, el("th", { scope: "row" }, nice(m.label)), el("td", { class: `value ${word}` }, word || shown(value)), el("td", {}, said(doc.texts[reason])));
  };
  return part(only ? "Scores that changed" : "All scores of this row", el("table", { class: "row-scores" },
    el("caption", { class: "sr" }, "All scores of this row, with the reasons"),
    el("thead", { class: "sr" }, el("tr", {}, ["Metric", "Score", "Reason"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, doc.metrics.map(line))));
}

function metaPart(doc, row) {
  const columns = Object.entries(row.m || {});
  return columns.length ? part("Other columns", el("dl", { class: "meta" }, columns.map(([name, n]) => el("div", {}, said(name, "dt"), said(beginning(doc.texts[n], 2000), "dd"))))) : null;
}

// A claim under the pointer, the focus or pinned by a click lights up with its source.
function lightUp(box) {
  let pinned = "";
  const light = (indexes) => {
    const on = new Set((indexes || pinned).split(" ").filter(Boolean));
    const shares = (node) => node.dataset.v.split(" ").some((v) => on.has(v));
    for (const node of box.querySelectorAll("[data-v]")) node.classList.toggle("on", on.size > 0 && shares(node));
    const sources = new Set([...box.querySelectorAll(".claim.on .sources")].flatMap((node) => node.textContent.split(", ")));
    for (const node of box.querySelectorAll("[data-c]")) node.classList.toggle("on", sources.has(node.dataset.c) || [...sources].some((s) => s.startsWith(`${node.dataset.c}.`)));
  };
  const pin = (node) => {
    pinned = pinned === node.dataset.v ? "" : node.dataset.v;
    for (const each of box.querySelectorAll("[aria-pressed][data-v]")) each.setAttribute("aria-pressed", String(pinned !== "" && each.dataset.v === pinned));
    light(pinned);
    if (pinned) for (const each of box.querySelectorAll("details .claim.on")) each.closest("details").open = true;
    if (pinned) (box.querySelector("[data-c] .quote.on") || box.querySelector("[data-c].on"))?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  };
  const of = (event) => event.target.closest("[data-v][aria-pressed]");
  for (const kind of ["mouseover", "focusin"]) box.addEventListener(kind, (event) => { const node = of(event); if (node) light(node.dataset.v); });
  for (const kind of ["mouseout", "focusout"]) box.addEventListener(kind, (event) => { if (of(event)) light(""); });
  box.addEventListener("click", (event) => { const node = of(event); if (node) pin(node); });
  box.addEventListener("keydown", (event) => {
    const node = of(event);
    if (node?.getAttribute("role") === "button" && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); pin(node); }
  });
}
