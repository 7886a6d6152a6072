// Nodes are made from text only: nothing here, or anywhere, reads a string as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, kids) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...kids.flat(Infinity).filter((kid) => kid !== null && kid !== undefined && kid !== false));
  return node;
}
const el = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
const svg = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);
const $ = (id) => document.getElementById(id);
const hidden = (text) => el("span", { class: "sr" }, text);

// Text of the data: its own direction, and no way to turn the page's.
const said = (text, tag = "span", cls = "") => el(tag, { dir: "auto", class: `said ${cls}` }, text);

const shown = (value, digits = 2) =>
  value === null || value === undefined ? "–" : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
const signed = (value, digits = 2) => (value > 0 ? "+" : value < 0 ? "−" : "±") + Math.abs(value).toFixed(digits);
const counted = (n) => n.toLocaleString("en");
const many = (n, one, more) => `${counted(n)} ${n === 1 ? one : more || `${one}s`}`;

const beginning = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text);

// `token_f1:squad` reads “Token F1, squad”.
function nice(label) {
  const [name, ...choices] = label.replace(/@(?=\d+$)/, " at ").split(/[:@]/);
  const words = name.replaceAll("_", " ").replace(/\bf1\b/, "F1").replace(/^ndcg$/, "nDCG");
  return [words.charAt(0).toUpperCase() + words.slice(1), ...choices].join(", ");
}

const GOOD = new Set(["supported", "relevant", "useful", "matched", "covered", "correct", "yes"]);
const BAD = new Set(["contradicted", "wrong", "no"]);
const SOFT = new Set(["unmentioned", "irrelevant", "useless", "unmatched", "missing"]);
const tone = (label) => (GOOD.has(label) ? "good" : BAD.has(label) ? "bad" : SOFT.has(label) ? "soft" : "none");
const TONES = ["none", "good", "soft", "bad"]; // the worst one last
const spoken = (label) => label.replaceAll("_", " ");

function between(interval) {
  if (!interval) return "";
  const percent = Math.round(interval.confidence * 100);
  return `${percent}% interval ${shown(interval.low)} to ${shown(interval.high)}`;
}

function section(id, title, note, ...kids) {
  return el("section", { id, "aria-labelledby": `${id}-title` },
    el("div", { class: "heading" },
      el("h2", { id: `${id}-title` }, title), note ? el("p", { class: "note" }, note) : null),
    ...kids);
}
