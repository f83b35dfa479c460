"""The page in a browser: every figure drawn, no error, no request, no sideways scrolling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kcut_bench.figures import all_figures
from kcut_bench.results import load_results

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return headless Chromium, or skip."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield running
        running.close()


@pytest.mark.parametrize("width", [1280, 800])
def test_report_opens_cleanly(
    browser: Any, written: tuple[Path, ...], store_dir: Path, width: int
) -> None:
    """No console error, no request but the page itself, and as many drawings as figures."""
    page_path = written[0]
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems: list[str] = []
    requests: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_path.as_uri())
    expected = [figure.name for figure in all_figures(load_results(store_dir)) if figure.panels]
    page.wait_for_function(
        "n => document.querySelectorAll('.svg-container').length >= n",
        arg=len(expected),
        timeout=20_000,
    )
    assert problems == []
    assert requests == [page_path.as_uri()]
    for name in expected:
        figure = page.locator(f"#figure-{name}")
        assert figure.locator("svg.main-svg:first-of-type").count() == 1, name
        assert figure.locator(".scatterlayer .trace").count() > 0, name
    assert page.locator("svg.main-svg:first-of-type").count() == len(expected)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
