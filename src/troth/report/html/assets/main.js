// Unpack the data, then draw.
async function unpack() {
  const packed = atob($("data").textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function runPage(doc) {
  const first = Math.max(0, doc.metrics.findIndex((m) => m.label === doc.first));
  const state = {
    doc, at: first, sort: { key: "worst" }, limit: PAGE, open: new Set(), onMetric: [],
    filter: { text: "", status: "", slice: null },
    metric: () => doc.metrics[state.at],
    choose: (place) => { state.at = place; if (state.sort.key !== "n") state.sort = { key: "worst" }; told(); },
    slice: (column, value) => {
      state.filter.slice = [column, value];
      state.sliceSelect.value = JSON.stringify([column, value]);
      state.draw();
      $("rows").scrollIntoView({ behavior: "smooth" });
      state.sliceSelect.focus({ preventScroll: true });
    },
  };
  const told = () => {
    for (const tell of state.onMetric) tell();
    for (const button of document.querySelectorAll("[data-metric]")) {
      const on = Number(button.dataset.metric) === state.at;
      button.setAttribute("aria-pressed", String(on));
      button.closest("tr").classList.toggle("chosen", on);
    }
    state.draw();
  };
  runHead(doc);
  $("main").replaceChildren(...[
    leadOf(doc), metricsTable(state), whereSection(state), rowsSection(state),
    unscoredSection(doc), costSection(doc), repeatSection(doc)].filter(Boolean));
  told();
}

addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details")) each.open = true; });

unpack().then((doc) => {
  (doc.kind === "comparison" ? comparisonPage : runPage)(doc);
  foot();
  document.documentElement.dataset.ready = "";
}).catch((error) => {
  console.error(error);
  $("main").replaceChildren(el("p", { class: "lead" }, `This page cannot be read: ${error.message}. It needs a browser of 2023 or newer.`));
});
