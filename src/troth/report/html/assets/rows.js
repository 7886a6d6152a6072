// The table of rows: searched, filtered, sorted, and opened one by one.
const PAGE = 50;
const SNIPPET = 220;

function rowsSection(state) {
  const { doc } = state;
  const body = el("tbody", {});
  const status = el("p", { class: "found", role: "status" });
  const more = el("button", { type: "button", class: "more", onclick: () => { state.limit += PAGE * 2; draw(); } });
  const draw = () => {
    const list = chosenRows(state);
    body.replaceChildren(...list.slice(0, state.limit).flatMap((row) => rowNodes(state, row)));
    const left = list.length - state.limit;
    status.textContent = list.length === doc.rows.length ? many(list.length, "row") : `${counted(list.length)} of ${many(doc.rows.length, "row")}`;
    more.hidden = left <= 0;
    more.textContent = `Show ${counted(Math.min(left, PAGE * 2))} more of ${counted(left)}`;
    if (!list.length) body.append(el("tr", {}, el("td", { class: "none", colspan: doc.metrics.length + 1 }, "No row fits. Loosen the filters above.")));
    mark(state);
  };
  state.draw = (keep) => { if (!keep) state.limit = PAGE; draw(); };
  body.addEventListener("keydown", (event) => walk(event));
  const table = el("table", { class: "rows" },
    el("caption", { class: "sr" }, "Rows; each opens to its texts, claims and reasons"),
    el("thead", {}, el("tr", {}, head(state, "n", "Row"), doc.metrics.map((m, n) => head(state, n, nice(m.label))))), body);
  return section("rows", "Rows", held(doc), toolbar(state, status), el("div", { class: "wide", role: "region", "aria-label": "Table of rows", tabindex: "0" }, table), more);
}

function held(doc) {
  const shownRows = doc.rows.length;
  if (shownRows === doc.total) return "Open a row to see why. Arrow keys move between rows, Escape closes.";
  return `This page holds ${counted(shownRows)} of ${counted(doc.total)} rows: the lowest, some without a score, and a random sample of the others. All figures above are over all rows.`;
}

function head(state, key, name) {
  return el("th", { scope: "col", "data-key": key, class: key === "n" ? "first" : "metric-col" },
    el("button", { type: "button", onclick: () => {
      state.sort = state.sort.key === key ? { key, down: !state.sort.down } : { key, down: false };
      state.draw();
    } }, name));
}

function mark(state) {
  for (const th of document.querySelectorAll(".rows th[data-key]")) {
    const on = String(state.sort.key) === th.dataset.key || (state.sort.key === "worst" && th.dataset.key === String(state.at));
    if (on) th.setAttribute("aria-sort", state.sort.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
    th.classList.toggle("chosen", th.dataset.key === String(state.at));
  }
  $("sort").value = state.sort.key === "worst" ? (state.sort.down ? "best" : "worst") : state.sort.key === "n" && !state.sort.down ? "n" : "other";
}

function options(select, list) {
  select.replaceChildren(...list.map(([value, text]) => el("option", { value }, text)));
}

function toolbar(state, status) {
  const { doc } = state;
  let timer = 0;
  const field = (label, node) => el("label", {}, el("span", {}, label), node);
  const pick = (props, list) => { const node = el("select", props); options(node, list); return node; };
  const search = el("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", placeholder: "Words in any text", oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => { state.filter.text = search.value; state.draw(); }, 120);
  } });
  const metric = pick({ id: "metric", onchange: () => state.choose(Number(metric.value)) }, doc.metrics.map((m, n) => [n, nice(m.label)]));
  const kind = pick({ id: "status", onchange: () => { state.filter.status = kind.value; state.draw(); } }, []);
  const sort = pick({ id: "sort", onchange: () => { state.sort = { worst: { key: "worst" }, best: { key: "worst", down: true }, n: { key: "n" } }[sort.value] || state.sort; state.draw(); } },
    [["worst", "Worst first"], ["best", "Best first"], ["n", "Order of the data"], ["other", "By a column"]]);
  const slice = pick({ id: "slice", onchange: () => { state.filter.slice = slice.value ? JSON.parse(slice.value) : null; state.draw(); } },
    [["", "All"], ...doc.slices.flatMap((column, n) => column.values.map((v) => [JSON.stringify([n, v.value]), `${column.column}: ${v.value} (${counted(v.rows)})`]))]);
  state.onMetric.push(() => {
    const m = state.metric();
    metric.value = String(state.at);
    const labels = Object.keys(m.labels).sort((a, b) => TONES.indexOf(tone(b)) - TONES.indexOf(tone(a)));
    options(kind, [["", "All"], ["low", `Below ${m.range[1]}`], ...labels.map((name) => [`label:${name}`, `With “${spoken(name)}”`]), ["s", "Scored"], ["u", "Unscorable"], ["f", "Failed"]]);
    if (![...kind.options].some((option) => option.value === state.filter.status)) state.filter.status = "";
    kind.value = state.filter.status;
  });
  state.sliceSelect = slice;
  return el("div", { class: "toolbar", role: "search", "aria-label": "Rows" },
    field("Search", search), field("Metric", metric), field("Show", kind), doc.slices.length ? field("Slice", slice) : null, field("Sort", sort), status);
}

function chosenRows(state) {
  const { doc, filter, at } = state;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const label = filter.status.startsWith("label:") ? doc.texts.indexOf(filter.status.slice(6)) : null;
  const list = doc.rows.filter((row) => {
    const [value, status, , , verdicts] = row.s[at];
    if (label !== null) { if (!verdicts.some((v) => v[1] === label)) return false; }
    else if (filter.status === "low") { if (value === null || value >= state.metric().range[1]) return false; }
    else if (filter.status && status !== filter.status) return false;
    if (filter.slice && sliceOf(doc, row, filter.slice[0]) !== filter.slice[1]) return false;
    return words.every((word) => wordsOf(doc, row).includes(word));
  });
  return list.sort(order(state));
}

const sliceOf = (doc, row, column) => doc.slices[column].of[row.k[column]];

function wordsOf(doc, row) {
  row.words ??= [row.id, ...[row.q, row.a, ...(row.r || []), ...(row.c || []), ...Object.values(row.m)].filter((n) => n !== undefined).map((n) => doc.texts[n])].join("\n").toLowerCase();
  return row.words;
}

// Rows without a value come last, whichever way; among equals the lower support comes first.
function order(state) {
  const { key, down } = state.sort;
  const way = down ? -1 : 1;
  if (key === "n") return (a, b) => way * (a.n - b.n);
  const at = key === "worst" ? state.at : key;
  return (a, b) => {
    const [x, , p] = a.s[at];
    const [y, , q] = b.s[at];
    if (x === null || y === null) return (x === null) - (y === null) || a.n - b.n;
    return way * (x - y || (p ?? 0) - (q ?? 0)) || a.n - b.n;
  };
}

function rowNodes(state, row) {
  const { doc } = state;
  const open = state.open.has(row.n);
  const title = row.q === undefined ? row.a : row.q;
  const text = (n) => beginning(doc.texts[n], SNIPPET);
  const button = el("button", { type: "button", class: "open", "aria-expanded": String(open), onclick: (event) => { event.stopPropagation(); toggle(state, row, line); } },
    el("span", { class: "id" }, said(row.id.slice(0, 80), "bdi"), hidden(":")), title === undefined ? null : said(text(title), "span", "asked"));
  const line = el("tr", { class: open ? "row opened" : "row", onclick: (event) => { if (!String(getSelection())) toggle(state, row, line); } },
    el("th", { scope: "row" }, button, row.a === undefined || title === row.a ? null : said(text(row.a) || "(empty answer)", "div", "answered")),
    doc.metrics.map((m, n) => el("td", { class: n === state.at ? "chosen" : "other" }, cell(doc, m, row.s[n]))));
  return open ? [line, openRow(state, row)] : [line];
}

function cell(doc, m, [value, status, , , verdicts]) {
  if (value === null) return el("span", { class: status === "f" ? "tone-bad word" : "word" }, status === "f" ? "failed" : "unscorable");
  const part = (value - m.range[0]) / (m.range[1] - m.range[0]);
  const level = el("i", { class: "level", "aria-hidden": "true" }, el("i", {}));
  level.firstChild.style.width = `${Math.round(100 * Math.min(1, Math.max(0, part)))}%`;
  return [el("span", { class: part >= 1 ? "full" : "less" }, shown(value)), level];
}

function openRow(state, row) {
  return el("tr", { class: "inside" }, el("td", { colspan: state.doc.metrics.length + 1 }, detail(state, row)));
}

function toggle(state, row, line) {
  const open = !state.open.delete(row.n);
  if (open) { state.open.add(row.n); line.after(openRow(state, row)); } else line.nextElementSibling.remove();
  line.classList.toggle("opened", open);
  line.querySelector(".open").setAttribute("aria-expanded", String(open));
}

function walk(event) {
  const inside = event.target.closest(".inside");
  if (event.key === "Escape") {
    const line = inside ? inside.previousElementSibling : event.target.closest(".opened");
    if (!line) return;
    line.querySelector(".open").focus();
    line.querySelector(".open").click();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.matches(".open")) {
    const all = [...document.querySelectorAll(".open")];
    const next = all[all.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
  }
}
