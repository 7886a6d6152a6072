// Small plots, drawn by hand: a scale, bars, and a mean with its interval.
function scale(range, width, pad) {
  const [low, high] = range;
  return (value) => pad + (Math.min(high, Math.max(low, value)) - low) / (high - low || 1) * (width - 2 * pad);
}

// A dot on its whisker at height `y`; dashed where the interval is not to be trusted.
function whisker(x, mean, interval, y, cls = "") {
  if (mean === null || mean === undefined) return null;
  return svg("g", { class: `whisker ${cls} ${interval && !interval.trusted ? "unsure" : ""}` },
    interval ? [
      svg("line", { class: "reach", x1: x(interval.low), x2: x(interval.high), y1: y, y2: y }),
      svg("line", { x1: x(interval.low), x2: x(interval.low), y1: y - 4, y2: y + 4 }),
      svg("line", { x1: x(interval.high), x2: x(interval.high), y1: y - 4, y2: y + 4 }),
    ] : null,
    svg("circle", { cx: x(mean), cy: y, r: 4 }));
}

function bars(counts, x, range, base, height, titles) {
  const top = Math.max(...counts, 1);
  const step = (range[1] - range[0]) / counts.length;
  return counts.map((count, place) => {
    if (!count) return null;
    const from = range[0] + place * step;
    const tall = Math.max(1.5, count / top * height);
    return svg("rect", { class: "bar", x: x(from) + 0.75, width: Math.max(1, x(from + step) - x(from) - 1.5), y: base - tall, height: tall, rx: 1 },
      titles ? svg("title", {}, `${shown(from)} to ${shown(from + step)}: ${many(count, "row")}`) : null);
  });
}

function inWords(metric) {
  const parts = metric.mean === null ? ["no row is scored"] : [`mean ${shown(metric.mean)}`, between(metric.interval)];
  if (metric.interval && !metric.interval.trusted) parts.push(metric.interval.note);
  return parts.filter(Boolean).join(", ");
}

// The mean over its distribution, in one line of the table of metrics.
function strip(metric) {
  const width = 280, height = 46, x = scale(metric.range, width, 6);
  return svg("svg", { class: "strip", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${nice(metric.label)}: ${inWords(metric)}` },
    svg("line", { class: "axis", x1: 6, x2: width - 6, y1: 45, y2: 45 }),
    bars(metric.bins, x, metric.range, 45, 26, false),
    whisker(x, metric.mean, metric.interval, 9));
}

// The distribution of one metric, with its counts.
function histogram(metric) {
  const width = 560, height = 210, base = 168, x = scale(metric.range, width, 14);
  const [low, high] = metric.range;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * (high - low));
  const top = Math.max(...metric.bins, 1);
  return svg("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `How many rows have which ${nice(metric.label)}: ${histogramInWords(metric)}` },
    [0.5, 1].map((part) => svg("line", { class: "grid", x1: 14, x2: width - 14, y1: base - part * 124, y2: base - part * 124 })),
    svg("text", { class: "tick", x: 14, y: base - 128 }, many(top, "row")),
    bars(metric.bins, x, metric.range, base, 124, true),
    svg("line", { class: "axis", x1: 14, x2: width - 14, y1: base + 0.5, y2: base + 0.5 }),
    ticks.map((tick, n) => svg("text", { class: "tick", x: x(tick), y: base + 17, "text-anchor": ["start", "middle", "middle", "middle", "end"][n] }, tick % 1 ? tick.toFixed(2) : String(tick))),
    whisker(x, metric.mean, metric.interval, 16));
}

function histogramInWords(metric) {
  const step = (metric.range[1] - metric.range[0]) / metric.bins.length;
  const parts = metric.bins.map((count, n) => count ? `${shown(metric.range[0] + n * step)} to ${shown(metric.range[0] + (n + 1) * step)}: ${count}` : "").filter(Boolean);
  return parts.join(", ") || "no row is scored";
}

// One mean with its interval on a line of its own; `at` is where the others' mean stands.
function dot(range, mean, interval, at, words) {
  const width = 220, x = scale(range, width, 7);
  return svg("svg", { class: "dot", viewBox: `0 0 ${width} 20`, role: "img", "aria-label": words },
    svg("line", { class: "grid", x1: 7, x2: width - 7, y1: 10, y2: 10 }),
    at === null || at === undefined ? null : svg("line", { class: "at", x1: x(at), x2: x(at), y1: 0, y2: 20 }),
    whisker(x, mean, interval, 10));
}

// Shares of one whole, side by side, each with its word beside its colour.
function shares(parts, total) {
  const there = parts.filter((part) => part.count);
  return el("div", { class: "shares" },
    el("div", { class: "bar-of-shares", "aria-hidden": "true" },
      there.map((part) => { const piece = el("span", { class: `tone-${part.tone}` }); piece.style.flexGrow = part.count / total; return piece; })),
    el("ul", {}, there.map((part) => el("li", { class: `tone-${part.tone}` },
      el("i", { class: "key", "aria-hidden": "true" }), el("b", {}, counted(part.count)), " ", said(part.name, "bdi")))));
}
