// The foot of a run's page: what has no score, what it cost, and how to make it again.
function unscoredSection(doc) {
  if (!doc.unscored.length && !doc.skipped.count) return null;
  const lines = doc.unscored.map((u) => el("tr", {},
    el("th", { scope: "row" }, nice(u.metric)),
    el("td", { class: u.status === "failed" ? "tone-bad" : "tone-soft" }, `${counted(u.count)} ${u.status}`),
    el("td", {}, said(beginning(u.reason, 600)), " ", el("span", { class: "ids" }, u.ids.map((id, n) => [n ? ", " : "", said(beginning(id, 60), "bdi")]), u.count > u.ids.length ? ", …" : ""))));
  return section("unscored", "Not scored", "No row is left out of the account: total = scored + unscorable + failed.",
    lines.length ? el("table", { class: "plain" }, el("caption", { class: "sr" }, "Why rows have no score"),
      el("thead", {}, el("tr", {}, ["Metric", "Rows", "Why, and which"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, lines)) : null,
    doc.skipped.count ? [el("h3", {}, many(doc.skipped.count, "bad row"), " left out"), el("ul", { class: "skipped" }, doc.skipped.first.map((line) => said(beginning(line, 600), "li")))] : null);
}

function costSection(doc) {
  const any = doc.usage[0] || doc.saved[0];
  const line = (name, [calls, given, made, cost], saved, tag) => el("tr", { class: tag },
    el("th", { scope: "row" }, name), [calls, given, made].map((n) => el("td", { class: "figure" }, counted(n))),
    el("td", { class: "figure" }, cost === null ? "–" : cost.toFixed(4)), el("td", { class: "figure" }, counted(saved[0])));
  if (!any) return section("cost", "Cost", "", el("p", {}, "Nothing was paid: no call left the machine."));
  return section("cost", "Cost", doc.usage[3] === null ? "No price was given, so the cost is not known." : "",
    el("table", { class: "plain" }, el("caption", { class: "sr" }, "Calls, tokens and cost per metric"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Metric"), ["Calls", "Tokens in", "Tokens out", "Cost", "Calls saved by the journal"].map((name) => el("th", { scope: "col", class: "figure" }, name)))),
      el("tbody", {}, doc.metrics.filter((m) => m.usage[0] || m.saved[0]).map((m) => line(nice(m.label), m.usage, m.saved)), line("All", doc.usage, doc.saved, "sum"))));
}

function repeatSection(doc) {
  return section("repeat", "To repeat this run", "",
    doc.repeat.command ? el("pre", { tabindex: "0", "aria-label": "The command" }, doc.repeat.command) : null,
    el("dl", { class: "known" }, doc.repeat.facts.map(([name, value]) => el("div", {}, el("dt", {}, name), said(value, "dd")))));
}

function foot() {
  $("foot").replaceChildren(el("p", {}, "Made by Troth. This file holds all of its data and makes no request."));
}
