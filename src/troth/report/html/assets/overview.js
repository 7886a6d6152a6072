// The top of a run's page: what it is, the first thing to know, and every metric.
function masthead(doc, kicker, title, facts) {
  const choose = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const each of group.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each.value === theme));
  };
  const group = el("div", { class: "themes", role: "group", "aria-label": "Colours" },
    ["auto", "light", "dark"].map((theme) => el("button", { type: "button", value: theme, "aria-pressed": String(theme === "auto"), onclick: () => choose(theme) }, nice(theme))));
  $("head").replaceChildren(
    el("div", { class: "bar-top" }, el("p", { class: "wordmark" }, "Troth", el("span", {}, kicker)), group),
    el("h1", {}, title),
    el("p", { class: "facts" }, facts.filter(Boolean).map((fact) => el("span", {}, fact))));
}

function leadOf(doc) {
  const rows = doc.kind === "run" ? "The lowest rows, and why" : "The rows that changed most";
  return el("div", { class: "lead" }, said(doc.lead, "p"), el("a", { href: "#rows" }, rows));
}

function runHead(doc) {
  const judge = doc.judge === "none" ? "no judge" : ["judge ", said(doc.judge, "bdi")];
  masthead(doc, "evaluation", said(doc.title, "bdi"), [
    many(doc.total, "row"), judge, doc.when, `${counted(doc.seconds)} s`]);
}

function counts(m) {
  const part = (n, word, tone) => el("span", { class: n ? `tone-${tone}` : "zero" }, `${counted(n)} ${word}`);
  return el("div", { class: "counts" },
    el("p", {}, el("b", {}, counted(m.scored)), ` of ${counted(m.total)} scored`),
    el("p", {}, part(m.unscorable, "unscorable", "soft"), ", ", part(m.failed, "failed", "bad")));
}

function meanOf(m) {
  if (m.mean === null) return [el("b", { class: "mean" }, "–"), el("span", { class: "reach" }, "no scored row")];
  return [
    el("b", { class: "mean" }, shown(m.mean)),
    m.interval ? el("span", { class: "reach" }, `${shown(m.interval.low)} – ${shown(m.interval.high)}`) : null,
    m.interval && !m.interval.trusted ? el("span", { class: "unsure" }, m.interval.note) : null,
  ];
}

function metricsTable(state) {
  const { doc } = state;
  const confidence = doc.metrics.map((m) => m.interval).find(Boolean)?.confidence || 0.95;
  const rows = doc.metrics.map((m, place) => el("tr", { class: "metric" },
    el("th", { scope: "row" },
      el("button", { type: "button", "aria-pressed": "false", "data-metric": place, onclick: () => state.choose(place) }, nice(m.label)),
      m.about ? el("p", {}, m.about.charAt(0).toUpperCase() + m.about.slice(1)) : null),
    el("td", { class: "figure" }, meanOf(m)),
    el("td", { class: "plot" }, strip(m)),
    el("td", {}, counts(m))));
  const table = el("table", { class: "metrics" },
    el("caption", { class: "sr" }, "Every metric: mean, interval, distribution, and how many rows it rests on"),
    el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, "Metric"),
      el("th", { scope: "col" }, "Mean", el("span", {}, `${Math.round(confidence * 100)}% interval`)),
      el("th", { scope: "col", class: "plot" }, "Distribution", ends(doc.metrics)),
      el("th", { scope: "col" }, "Rows"))),
    el("tbody", {}, rows));
  const unsure = doc.metrics.some((m) => m.interval && !m.interval.trusted);
  return section("scores", "Scores", "Choose a metric to see where it is low.", table,
    unsure ? el("p", { class: "note small" }, "A dashed line: too few rows for an interval that can be relied on.") : null);
}

function ends(metrics) {
  const same = metrics.every((m) => m.range[0] === 0 && m.range[1] === 1);
  return el("span", { class: "ends" }, same ? [el("i", {}, "0"), el("i", {}, "1")] : "each on its own scale");
}
