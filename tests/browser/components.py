"""Draws the picture of the design's document: ``python -m tests.browser.components docs``."""

import asyncio
import sys
from pathlib import Path
from typing import Final

from playwright.async_api import Browser

from tests.support.browsers import chromium, phone
from tests.support.servers import serving

THEMES: Final = ("dark", "light", "contrast", "four colours")
SIZE: Final = {"width": 1640, "height": 1180}
QUALITY: Final = 80
BUILD: Final = """async (themes) => {
  const base = document.querySelector("link[href*='style.css']").href.replace("style.css", "");
  const { makeCard } = await import(`${base}table/board_view.js`);
  const { token } = await import(`${base}dom.js`);
  for (const sheet of ["later.css", "panels.css"]) {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: base + sheet });
    document.head.append(link);
    await new Promise((loaded) => { link.onload = loaded; });
  }
  const names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"];
  const tokens = names.map((name, seat) => token(seat, name).outerHTML).join(" ");
  const colors = ["ground", "table", "raised", "raised-2", "line", "edge", "ink", "soft", "go", "good"];
  const card = (number, style) => {
    const node = makeCard(number);
    node.style.cssText = `--card: 62px; width: 62px; height: 87px; position: relative; ${style}`;
    return node.outerHTML;
  };
  const sheet = `
    <h1>Racing Demon</h1><p class="lead">Hero, title, body and small.</p><h2>A title</h2>
    <div style="display: flex; gap: 6px; flex-wrap: wrap">${colors.map((each) =>
      `<small style="width: 68px"><i style="display: block; height: 28px; border-radius: 6px; ` +
      `box-shadow: 0 0 0 1px var(--edge); background: var(--${each})"></i>${each}</small>`).join("")}</div>
    <p style="display: flex; gap: 6px">${tokens}</p>
    <div style="display: flex; gap: 8px; position: relative; height: 96px">
      ${card(0, "")}${card(24, "")}${card(50, "")}
      ${card(-1, "")}${card(30, "outline: 3px solid var(--go-line)")}
      <button class="slot tableau empty" style="position: relative; width: 62px; height: 87px"></button></div>
    <p class="code" style="--c: 2rem"><i>W</i><i>J</i><i>N</i><i>H</i></p>
    <div class="row"><button class="primary">One large button</button><button>Another</button></div>
    <p><span class="rule">reserve of 10 <s>13</s></span> <span class="badge">out</span></p>
    <ul class="players"><li class="player p1">${token(0, "Ann").outerHTML}<span class="who">
      <bdi class="name">Ann</bdi><span class="state">host</span><span class="tick">ready</span></span></li>
      <li class="player me p2">${token(1, "Bob").outerHTML}<span class="who"><bdi class="name">Bob</bdi>
      <span class="state">you</span><span class="wait">not yet</span></span></li></ul>
    <ul class="chips" style="--across: 2; display: grid; margin: 8px 0">
      <li class="chip p5 near" style="--left: 15%">${token(4, "Eve").outerHTML}<bdi class="name">Eve</bdi>
      <span class="out">74</span><span class="heap"></span></li>
      <li class="chip p6" style="--left: 80%">${token(5, "Fay").outerHTML}<bdi class="name">Fay</bdi>
      <span class="out">12</span><span class="heap"></span></li></ul>
    <div class="bar-way p3" style="margin: 12px 0"><i class="old" style="left: 0; width: 40%"></i>
      <i class="new" style="left: 40%; width: 22%"></i></div>
    <div class="group"><button>A row</button><button class="toggle" aria-pressed="true">On</button>
      <button class="toggle" aria-pressed="false">Off</button></div>
    <p><input value="A field" aria-label="A field"></p>
    <p style="position: relative; height: 2rem">
      <span id="toast" class="shown" style="position: static; opacity: 1">A notice</span></p>`;
  document.body.dataset.screen = "components";
  document.body.style.cssText = "display: flex; height: auto; overflow: visible";
  document.body.replaceChildren(document.querySelector(".sprite"), ...themes.map((theme) => {
    const frame = document.createElement("iframe");
    frame.dataset.theme = theme;
    frame.style.cssText = "flex: 1; height: 1180px; border: 0";
    frame.srcdoc = `<!doctype html><html data-theme="${theme === "four colours" ? "dark" : theme}"
      class="${theme === "four colours" ? "four-color" : ""}">
      ${[...document.querySelectorAll("link[rel=stylesheet]")].map((each) => each.outerHTML).join("")}
      <body style="padding: 16px; overflow: hidden">${document.querySelector(".sprite")?.outerHTML ?? ""}
      <p style="color: var(--soft)">${theme}</p>${sheet}</body></html>`;
    return frame;
  }));
}"""


async def draw(browser: Browser, path: Path) -> None:
    """Draw all components in all themes, side by side."""
    async with (
        serving() as served,
        phone(browser, served.origin, viewport=SIZE, is_mobile=False, bypass_csp=True) as page,
    ):
        await page.page.evaluate(BUILD, list(THEMES))
        for theme in THEMES:
            inside = page.page.frame_locator(f"iframe[data-theme='{theme}']")
            await inside.locator(".player .tick").wait_for()
        await page.page.screenshot(path=path, type="jpeg", quality=QUALITY)
        assert page.complaints == []


async def main(folder: Path) -> None:
    """Draw the picture into a folder."""
    async with chromium() as browser:
        await draw(browser, folder / "components.jpg")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
