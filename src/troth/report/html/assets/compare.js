// Two runs side by side: what changed, how sure that is, and the rows that changed most.
const TENDENCY = { better: "good", worse: "bad", "cannot tell": "none", equal: "none", "nothing to compare": "none" };
const ARROW = { better: "▲", worse: "▼", "cannot tell": "–", equal: "=", "nothing to compare": "–" };

function comparisonPage(doc) {
  partHeading = "h4";
  const first = Math.max(0, doc.metrics.findIndex((m) => m.label === doc.first));
  const state = { doc, at: first, onMetric: [], metric: () => doc.metrics[state.at], open: new Set(), order: "most" };
  state.choose = (place) => {
    state.at = place;
    for (const tell of state.onMetric) tell();
    for (const button of document.querySelectorAll("[data-metric]")) {
      const on = Number(button.dataset.metric) === place;
      button.setAttribute("aria-pressed", String(on));
      button.closest("tr").classList.toggle("chosen", on);
    }
  };
  masthead(doc, "comparison", said(doc.title, "bdi"), [`${many(doc.paired, "row")} in both runs`, doc.cluster ? ["grouped by ", said(doc.cluster, "bdi")] : null]);
  $("main").replaceChildren(...[
    leadOf(doc), sidesOf(doc), warningsOf(doc), differencesSection(state),
    doc.slices.length ? differingSlices(state) : null, changedSection(state), leftOver(doc)].filter(Boolean));
  state.choose(first);
}

function sidesOf(doc) {
  const side = (name, run, role) => el("div", {},
    el("dt", {}, el("b", {}, name), ` ${role}`),
    el("dd", {}, said(run.id || run.title, "bdi"), el("span", {}, many(run.total, "row"), ", judge ", said(run.judge, "bdi"), run.when ? `, ${run.when}` : "")));
  return el("dl", { class: "two" }, side("A", doc.a, "before"), side("B", doc.b, "after"));
}

function warningsOf(doc) {
  return doc.warnings.length ? el("aside", { class: "warnings tone-soft", "aria-label": "Read with care" },
    el("h2", {}, el("i", { class: "key", "aria-hidden": "true" }), "Read with care"),
    el("ul", {}, doc.warnings.map((warning) => said(warning, "li")))) : null;
}

// One scale for all differences of a page, so that their lengths can be compared.
function reachOf(list) {
  const ends = list.flatMap((d) => d.paired ? [d.paired.interval.low, d.paired.interval.high, d.paired.difference].map(Math.abs) : []);
  const most = Math.max(0.01, ...ends);
  return [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((step) => step >= most) || Math.ceil(most);
}

function differencePlot(reach, d, name) {
  const width = 260, x = scale([-reach, reach], width, 7), p = d.paired;
  const words = p ? `${name}: difference ${signed(p.difference)}, ${between(p.interval)}` : `${name}: ${d.outcome}`;
  return svg("svg", { class: `dot tone-${TENDENCY[d.outcome]}`, viewBox: `0 0 ${width} 22`, role: "img", "aria-label": words },
    svg("line", { class: "grid", x1: 7, x2: width - 7, y1: 11, y2: 11 }),
    svg("line", { class: "zero-line", x1: x(0), x2: x(0), y1: 0, y2: 22 }),
    p ? whisker(x, p.difference, p.interval, 11, "toned") : null);
}

function outcome(d) {
  const word = el("span", { class: `outcome tone-${TENDENCY[d.outcome]}` }, el("i", { "aria-hidden": "true" }, ARROW[d.outcome]), d.outcome);
  const why = d.words.slice(d.outcome.length).replace(/^: /, "");
  const p = d.paired && d.paired.p !== null ? `p ${d.paired.p < 0.001 ? "< 0.001" : `= ${d.paired.p.toFixed(3)}`}` : "";
  return [word, el("span", { class: "fine" }, [p, why].filter(Boolean).join("; "))];
}

function differenceOf(d) {
  if (!d.paired) return "–";
  const { interval } = d.paired;
  return [el("b", { class: "mean" }, signed(d.paired.difference)),
    el("span", { class: "reach" }, `${signed(interval.low)} to ${signed(interval.high)}`),
    interval.trusted ? null : el("span", { class: "unsure" }, interval.note)];
}

function differencesSection(state) {
  const { doc } = state;
  const reach = reachOf(doc.metrics);
  const rows = doc.metrics.map((d, place) => el("tr", { class: "metric" },
    el("th", { scope: "row" },
      el("button", { type: "button", "aria-pressed": "false", "data-metric": place, onclick: () => state.choose(place) }, nice(d.label)),
      d.paired ? el("p", {}, `${many(d.paired.n, "row")}: ${counted(d.paired.counts[0])} better, ${counted(d.paired.counts[1])} worse, ${counted(d.paired.counts[2])} equal`) : null),
    el("td", { class: "pair" }, d.paired ? [el("span", {}, shown(d.paired.a)), el("i", { "aria-label": "to" }, " → "), el("b", {}, shown(d.paired.b))] : "–"),
    el("td", { class: "figure" }, differenceOf(d)),
    el("td", { class: "plot" }, differencePlot(reach, d, nice(d.label))),
    el("td", { class: "says" }, outcome(d))));
  const head = (name, cls, more) => el("th", { scope: "col", class: cls }, name, more);
  return section("scores", "Differences", "Rows that both runs scored, paired by id. p is corrected for the number of metrics (Holm).",
    el("table", { class: "metrics differences" }, el("caption", { class: "sr" }, "Every metric in both runs, with the difference and what may be said of it"),
      el("thead", {}, el("tr", {}, head("Metric"), head("A → B"), head("B − A", "", el("span", {}, "95% interval")),
        head("", "plot", el("span", { class: "ends" }, el("i", {}, signed(-reach)), el("i", {}, "0"), el("i", {}, signed(reach)))), head("Outcome"))),
      el("tbody", {}, rows)));
}

function differingSlices(state) {
  const { doc } = state;
  const body = el("div", { class: "where" });
  state.onMetric.push(() => {
    const all = doc.slices.flatMap((column) => column.values.map((value) => value.metrics[state.at]));
    const reach = reachOf(all);
    $("where-title").replaceChildren("Where it changed: ", el("span", {}, nice(state.metric().label)));
    body.replaceChildren(...doc.slices.map((column) => el("div", {}, el("h3", {}, "By ", said(column.column, "bdi")),
      el("ul", { class: "slices differing" }, column.values.map((value) => {
        const d = value.metrics[state.at];
        return el("li", {}, said(value.value, "bdi"), el("span", { class: "n" }, `n ${d.paired ? d.paired.n : 0}`),
          differencePlot(reach, d, value.value), el("b", {}, d.paired ? signed(d.paired.difference) : "–"),
          el("span", { class: `outcome tone-${TENDENCY[d.outcome]}`, title: d.words }, el("i", { "aria-hidden": "true" }, ARROW[d.outcome]), hidden(d.outcome)));
      })))));
  });
  return section("where", "Where it changed", "Corrected for all slices and metrics together. Dashed: too few rows for an interval that can be relied on.", body);
}

function changedSection(state) {
  const { doc } = state;
  const list = el("ul", { class: "changed" });
  const draw = (only) => list.replaceChildren(...doc.changed.filter((row) => !only || (only === "worse") === row.change < 0).map((row) => changedRow(state, row)));
  const choice = el("select", { id: "status", onchange: () => draw(choice.value) });
  options(choice, [["", "Worse and better"], ["worse", "Worse"], ["better", "Better"]]);
  draw("");
  return section("rows", "Rows that changed most", "", doc.changed.length
    ? [el("div", { class: "toolbar" }, el("label", {}, el("span", {}, "Show"), choice)), list]
    : el("p", { class: "absent" }, "No row changed."));
}

function changedRow(state, row) {
  const { doc } = state;
  const inner = el("div", { class: "inner", hidden: true });
  const button = el("button", { type: "button", class: "open", "aria-expanded": "false", onclick: () => {
    const open = inner.hidden;
    if (open && !inner.firstChild) inner.append(...bothSides(state, row));
    inner.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  } },
    el("span", { class: "id" }, said(row.id.slice(0, 80), "bdi"), hidden(":")),
    row.b.q === undefined ? null : said(beginning(doc.texts[row.b.q], SNIPPET), "span", "asked"));
  const moved = doc.metrics.map((m, n) => row.by[n] ? el("span", { class: `moved tone-${row.by[n] > 0 ? "good" : "bad"}` }, el("b", {}, signed(row.by[n])), ` ${nice(m.label)}`) : null);
  return el("li", {}, button, el("p", { class: "moves" }, moved), inner);
}

function bothSides(state, row) {
  const { doc } = state;
  const moved = doc.metrics.map((_, n) => n).filter((n) => row.by[n]);
  const same = JSON.stringify(row.a.c) === JSON.stringify(row.b.c);
  const one = (name, side) => {
    const judged = [state.at, ...moved, ...doc.metrics.keys()].filter((n) => side.s[n][4].length);
    const at = judged.find((n) => doc.ranking.includes(doc.metrics[n].label)) ?? judged[0] ?? -1;
    const verdicts = at < 0 ? [] : verdictsOf(side.s[at], side, doc.texts);
    const box = el("div", { class: "detail" }, el("h3", {}, name),
      side.a === undefined ? null : part("Answer", passage(doc.texts[side.a], marksIn(verdicts, "a", 0), "answer")),
      at < 0 ? null : verdictList(verdicts.filter(ofText), `Verdicts: ${nice(doc.metrics[at].label)}`), scoresPart(doc, side, moved),
      side.c && !same ? contextsPart(side, (n) => doc.texts[n], verdicts) : null);
    lightUp(box);
    return box;
  };
  const shared = row.b.r && row.b.r.length ? part(row.b.r.length === 1 ? "Reference" : "References", el("ol", { class: "texts" }, row.b.r.map((n) => el("li", {}, passage(doc.texts[n], []))))) : null;
  return [el("div", { class: "sides even" }, one("A", row.a), one("B", row.b)), shared,
    same && row.b.c ? contextsPart(row.b, (n) => doc.texts[n], []) : null].flat().filter(Boolean);
}

function leftOver(doc) {
  const only = ["A", "B"].filter((side) => doc.only[side].count).map((side) => el("li", {},
    el("b", {}, many(doc.only[side].count, "row")), ` in ${side} alone: `, doc.only[side].ids.map((id, n) => [n ? ", " : "", said(id, "bdi")]), doc.only[side].count > doc.only[side].ids.length ? ", …" : ""));
  const unpaired = doc.metrics.flatMap((m) => m.unpaired.map((u) => el("li", {},
    el("b", {}, many(u.count, "row")), ` ${u.status} in ${u.run} for ${nice(m.label)}: `, said(u.reason.slice(0, 400)), " (", u.ids.map((id, n) => [n ? ", " : "", said(id, "bdi")]), u.count > u.ids.length ? ", …)" : ")")));
  return only.length + unpaired.length ? section("unscored", "Not compared", "", el("ul", { class: "skipped" }, only, unpaired)) : null;
}
