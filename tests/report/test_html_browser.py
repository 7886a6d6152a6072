"""The pages in a real browser, without a network: what a person, and an attacker, can do."""

import os
import shutil

import pytest

from tests.report.pages import RTL, comparison, demo_run, hostile_run
from troth.report.html import comparison_page, run_page

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
playwright = pytest.importorskip(
    "playwright.sync_api", reason="pages are tested in a browser where playwright is installed"
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="pages are tested where chromium is installed")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "demo": run_page(demo_run()),
        "compare": comparison_page(comparison()),
        "hostile": run_page(hostile_run()),
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_bytes(text.encode())
    return folder


@pytest.fixture
def show(browser, files):
    """Open a page of `files`; at the end nothing was requested, logged, asked or thrown."""
    seen, contexts = [], []

    def opened(name, width=1280, **given):
        context = browser.new_context(viewport={"width": width, "height": 900}, **given)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("request", lambda r: seen.append(r.url) if not r.url.endswith(".html") else None)
        page.on("console", lambda m: seen.append(m.text))
        page.on("pageerror", lambda e: seen.append(str(e)))
        page.on("dialog", lambda d: (seen.append(d.message), d.dismiss()))
        page.goto((files / f"{name}.html").as_uri())
        if given.get("java_script_enabled", True):
            page.wait_for_selector(":root[data-ready] main")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert seen == []


def ids(page):
    texts = page.locator(".rows .row .id").all_inner_texts()
    return [text.removesuffix(":").strip() for text in texts]


def values(page, column):
    cells = page.locator(f".rows .row > td:nth-child({column + 2})").all_inner_texts()
    return [float(cell) if cell.strip()[0].isdigit() else None for cell in cells]


def axe(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page)
    return [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found.response["violations"]]


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_headline_says_how_many_rows_are_bad_and_every_metric_its_account(show):
    page = show("demo")
    lead = page.locator(".lead").inner_text()
    summary = demo_run().summary()["faithfulness"]
    low = sum((s.value or 0) < 1 for s in demo_run().scores("faithfulness")) - 3
    assert f"{low} of {summary.scored} judged answers" in lead
    line = page.locator("tr.metric", has_text="Faithfulness")
    for said in (f"{summary.mean:.2f}", "45 of 48 scored", "3 unscorable", "0 failed"):
        assert said in line.inner_text()
    words = line.locator("svg").get_attribute("aria-label")
    assert f"mean {summary.mean:.2f}" in words
    assert "95% interval" in words


def test_without_scripts_the_headline_is_there(show):
    page = show("demo", java_script_enabled=False)
    assert "45 scored, 3 unscorable, 0 failed of 48" in page.locator("noscript").inner_text()


def test_rows_come_worst_first_and_sort_by_any_column(show):
    page = show("demo")
    run = demo_run()
    column = run.metrics.index("faithfulness")
    first = values(page, column)
    scored = [v for v in first if v is not None]
    assert scored == sorted(scored)
    assert first[len(scored) :] == [None] * 3  # what has no value comes last
    ranked = sorted(
        (s.value, s.support, n)
        for n, s in enumerate(run.scores("faithfulness"))
        if s.value is not None
    )
    assert ids(page)[: len(ranked)] == [run[n].sample.id for *_, n in ranked]
    head = page.locator(".rows th", has_text="Token F1").locator("button")
    head.click()
    assert values(page, 1) == sorted(values(page, 1))
    head.click()
    assert values(page, 1) == sorted(values(page, 1), reverse=True)
    assert page.locator(".rows th[aria-sort=descending]").inner_text().startswith("Token F1")
    page.locator(".rows th.first button").click()
    assert ids(page) == [row.sample.id for row in run]


def test_rows_are_found_by_text_status_verdict_metric_and_slice(show):
    page = show("demo")
    run, found = demo_run(), page.get_by_role("status")
    page.get_by_label("Search").fill("DOGS tower")
    playwright.expect(found).to_contain_text(" of ")
    assert "visits-03" in ids(page)
    assert len(ids(page)) == int(found.inner_text().split()[0]) < 10
    page.get_by_label("Search").fill("")
    playwright.expect(found).to_have_text("48 rows")
    page.get_by_label("Show").select_option("Unscorable")
    assert set(ids(page)) == {
        r.sample.id for r in run if r.scores["faithfulness"].status == "unscorable"
    }
    page.get_by_label("Show").select_option("With “contradicted”")
    contradicted = {
        r.sample.id
        for r in run
        if any(v.label == "contradicted" for v in r.scores["faithfulness"].verdicts)
    }
    assert set(ids(page)) == contradicted
    page.locator("#metric").select_option("Exact match")
    assert page.get_by_label("Show").input_value() == ""  # it has no such verdict
    assert len(ids(page)) == 48
    page.locator(".slices button", has_text="ferry").click()
    assert {r.sample.meta["topic"] for r in run if r.sample.id in ids(page)} == {"ferry"}
    page.get_by_label("Search").fill("no such words anywhere")
    page.wait_for_selector("text=No row fits")


def test_an_open_row_marks_the_claims_in_the_answer_and_lights_their_source(show):
    page = show("demo")
    row = page.locator(".row", has_text="visits-03")
    row.locator("button").click()
    inside = page.locator(".inside")
    mark = inside.locator(".answer .mark")
    assert mark.inner_text().startswith("Yes, dogs are admitted to the tower.")
    assert "contradicted" in mark.inner_text()
    assert "tone-bad" in mark.get_attribute("class")
    assert inside.locator("[data-c].on").count() == 0
    mark.hover()
    lit = inside.locator("[data-c].on")
    assert lit.get_attribute("data-c") == "c1"
    assert lit.locator(".quote.on").inner_text().startswith("Dogs are not admitted")
    page.mouse.move(0, 0)
    assert inside.locator("[data-c].on").count() == 0
    mark.click()
    page.mouse.move(0, 0)
    assert mark.get_attribute("aria-pressed") == "true"
    assert inside.locator("[data-c].on").count() == 1
    inside.get_by_role("button", name="Contextual relevancy").click()
    assert inside.locator("[data-c] .mark").count() == 9
    assert inside.locator("[data-c] .mark.tone-good").count() == 1


def test_everything_can_be_done_by_keyboard_alone(show):
    page = show("demo")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "open":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".row").nth(1).locator("button").get_attribute("aria-expanded") == "true"
    for _ in range(20):
        page.keyboard.press("Tab")
        if "mark" in page.evaluate("document.activeElement.className").split():
            break
    assert page.locator(".mark.on").count() == 1  # the focus lights it up, too
    page.keyboard.press("Enter")
    assert page.locator(".mark[aria-pressed=true]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".inside").count() == 0
    assert page.evaluate("document.activeElement.className") == "open"


def test_it_is_dark_where_the_reader_is_and_can_be_told_otherwise(show):
    page = show("demo", color_scheme="dark")
    dark = background(page)
    page.get_by_role("button", name="Light", exact=True).click()
    light = background(page)
    page.get_by_role("button", name="Dark", exact=True).click()
    assert (background(page), light) == (dark, "rgb(255, 255, 255)")
    assert background(show("demo")) == light


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["demo", "compare"])
def test_axe_finds_nothing(show, name, scheme):
    page = show(name, color_scheme=scheme)
    for n in range(2):
        page.locator(".open").nth(n).click()
    page.locator(".claim").first.click()
    assert axe(page) == []
    page.set_viewport_size({"width": 390, "height": 900})
    assert fits(page)
    assert scheme == "dark" or axe(page) == []


def test_a_comparison_shows_both_answers_and_the_difference(show):
    page = show("compare")
    c = comparison()
    line = page.locator("tr.metric", has_text="Token F1")
    found = c["token_f1:squad"].paired
    assert f"{abs(found.difference):.2f}" in line.locator(".mean").inner_text()
    assert "95% interval" in line.locator("svg").get_attribute("aria-label")
    page.locator(".open").first.click()
    sides = page.locator(".inner .detail")
    assert (
        sides.nth(0).locator(".answer").inner_text().startswith(c.changed[0].a.sample.answer[:20])
    )
    assert (
        sides.nth(1).locator(".answer").inner_text().startswith(c.changed[0].b.sample.answer[:20])
    )
    page.get_by_label("Show").select_option("Better")
    assert page.locator(".changed > li").count() == sum(r.change > 0 for r in c.changed)


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_data_run_nothing_and_break_no_layout(show, width):
    page = show("hostile", width)
    for button in page.locator(".open").all():
        button.click()
    more = page.locator("button.more:visible")
    while more.count():
        more.first.click()
    assert page.locator(".inside").count() == page.locator(".open").count() == 16
    assert page.evaluate("window.hacked") is None
    assert page.locator("script").count() == 2
    assert (
        page.locator("img, iframe, object, embed, form, base, [href]:not([href='#rows'])").count()
        == 0
    )
    attributes = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
        ".filter(a => a.name.startsWith('on') || /^javascript:/i.test(a.value)).length"
    )
    assert attributes == 0
    assert fits(page)
    lengths = page.evaluate(
        "[...document.querySelectorAll('.inside .answer')].map(e => e.textContent.length)"
    )
    assert max(lengths) > 100_000


def test_text_from_right_to_left_keeps_to_itself(show):
    page = show("hostile")
    page.get_by_label("Search").fill("שלום")
    playwright.expect(page.locator(".rows .row")).to_have_count(1)
    page.locator(".open").click()
    assert RTL in (answer := page.locator(".inside .answer")).inner_text()
    assert answer.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_on_paper_there_are_no_controls(show):
    page = show("demo", color_scheme="dark")
    page.locator(".open").first.click()
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == "rgb(255, 255, 255)"
    for gone in (".toolbar", ".themes", ".lenses"):
        assert not page.locator(gone).first.is_visible()
    assert page.locator(".inside .answer").is_visible()
