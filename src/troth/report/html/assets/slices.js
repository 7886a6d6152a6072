// Where a metric is low: how its values lie, what its verdicts say, and its slices.
function whereSection(state) {
  const body = el("div", {});
  state.onMetric.push(() => {
    const m = state.metric();
    $("where-title").replaceChildren("Where it fails: ", el("span", {}, nice(m.label).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase())));
    body.replaceChildren(...where(state, m));
  });
  return section("where", "Where it fails", "", body);
}

function where(state, m) {
  const labels = Object.entries(m.labels).map(([name, count]) => ({ name: spoken(name), count, tone: tone(name) }))
    .sort((a, b) => TONES.indexOf(b.tone) - TONES.indexOf(a.tone) || b.count - a.count);
  const total = labels.reduce((sum, part) => sum + part.count, 0);
  const left = el("div", {},
    el("h3", {}, "Distribution"), histogram(m),
    el("p", { class: "note" }, m.mean === null ? "No row is scored." : `${many(m.below, "row")} of ${counted(m.scored)} below ${m.range[1]}.`),
    total ? [el("h3", {}, "Verdicts"), shares(labels, total)] : null);
  return [el("div", { class: "where" }, left, el("div", {}, slicesOf(state, m)))];
}

function slicesOf(state, m) {
  const place = state.doc.metrics.indexOf(m);
  const columns = state.doc.slices;
  if (!columns.length) {
    return [el("h3", {}, "Slices"), el("p", { class: "note" }, "No column of the data has few enough values to make slices.")];
  }
  const dashed = columns.some((column) => column.values.some((v) => v.metrics[place][2] && !v.metrics[place][2].trusted));
  const count = columns.reduce((sum, column) => sum + column.values.length, 0);
  return [
    ...columns.map((column, n) => {
      const values = column.values.map((value) => ({ ...value, figures: value.metrics[place] }))
        .sort((a, b) => (a.figures[0] ?? 2) - (b.figures[0] ?? 2));
      return [el("h3", {}, "By ", said(column.column, "bdi")), el("ul", { class: "slices" }, values.map((value) => slice(state, m, n, value)))];
    }),
    el("p", { class: "note small" }, `The vertical line is the mean over all rows (${shown(m.mean)}). `,
      dashed ? "Dashed: too few rows for an interval that can be relied on. " : "",
      count > 5 ? `Of ${count} intervals like these, about one in twenty misses the true mean by chance.` : ""),
  ];
}

function slice(state, m, column, value) {
  const [mean, n, interval] = value.figures;
  const words = mean === null ? "no scored row" : `mean ${shown(mean)}, ${between(interval)}, ${many(n, "scored row")}`;
  const unsure = interval && !interval.trusted;
  return el("li", {},
    el("button", { type: "button", title: "Show these rows", onclick: () => state.slice(column, value.value) }, said(value.value, "bdi")),
    el("span", { class: "n" }, unsure ? el("abbr", { title: interval.note }, `n ${n}`) : `n ${n}`),
    dot(m.range, mean, interval, m.mean, words),
    el("b", {}, shown(mean)));
}
