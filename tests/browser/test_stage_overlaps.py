"""On a stage nothing lies on another: titles, sizes, names of heads, sliders and buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from attention_lab.notation.formulas import formula
from attention_lab.notation.texts import NOTATIONS
from attention_lab.page_list import page_row, step_of
from attention_lab.scenario import Scenario, trace_of
from attention_lab.sentences import embedding_of
from attention_viz.overview import overview
from attention_viz.payload import JSON, Stage
from attention_viz.scene import coloured_scene
from attention_viz.scene_formats import scene_to_text
from attention_viz.step_scene import mathml, stage_board
from attention_viz.story.cutting import merge_board, split_board
from attention_viz.story.per_head import (
    mask_board,
    mixing_board,
    scale_board,
    scores_board,
    softmax_board,
)
from attention_viz.story.products import inputs_board, output_board, projection_board
from attention_viz.story.stages import row_links

WORDS = "the cat saw the box and it ran to a dog that slept in the warm sun as they went home late"
CELL = (1, 1, 0)
STEPS = {
    "queries": lambda s: projection_board(s, "queries", CELL),
    "query_heads": lambda s: split_board(s, "queries", CELL),
    "scores": lambda s: scores_board(s, CELL),
    "scaled_scores": lambda s: scale_board(s, CELL),
    "masked_scores": lambda s: mask_board(s, CELL),
    "probabilities": lambda s: softmax_board(s, CELL),
    "head_outputs": lambda s: mixing_board(s, CELL),
    "merged": lambda s: merge_board(s, CELL),
    "output": lambda s: output_board(s, 1, 1),
    "": lambda s: overview(s, *CELL),
}
# The size of a window, the place of the board in it, and whether it is that of a lecture.
WINDOWS = (
    (1366, 768, 316, 62, False),
    pytest.param(1280, 720, 16, 4, True, marks=pytest.mark.every_situation),
    pytest.param(1920, 1080, 316, 62, False, marks=pytest.mark.every_situation),
)
LAYERS = ((2, 2), (5, 4), (10, 8), (30, 2), (2, 8), (30, 8))  # tokens and heads

# Shows scenes one after another in one board, and gives what lies on another or beyond its end.
# What canvases write is noted, for the names of heads are no elements.
SHOW = """async ([{left, top, width}, scenes]) => {
  const {Board} = await import('/assets/board/board.js');
  document.body.replaceChildren();
  document.head.innerHTML = '<link rel="stylesheet" href="/assets/board/board.css">';
  await new Promise(done => { document.head.firstChild.onload = done; });
  const root = document.createElement('div');
  root.style.cssText =
    `position: absolute; left: ${left}px; top: ${top}px; width: ${width}px`;
  document.body.append(root);
  const act = () => {};
  const board = new Board(root, {onPin: act, onOpen: act, onEdit: act, onChoose: act});
  const found = [];
  for (const [name, text] of scenes) {
    written.length = 0;
    board.update(JSON.parse(text));
    const section = root.querySelector('.board');
    const frame = section.getBoundingClientRect();
    const parts = [];
    const add = (kind, {x, y, right, bottom}) =>
      right - x > 1 && bottom - y > 1 && parts.push({kind, x, y, right, bottom});
    const cut = element => element.scrollWidth > element.clientWidth + 1;
    const bottom = element => element?.getBoundingClientRect().bottom ?? Infinity;
    // A badge without room wraps out of sight.
    const elements = (kind, selector) => [...section.querySelectorAll(selector)]
      .filter(element => element.checkVisibility()
        && element.getBoundingClientRect().y < bottom(element.closest('.head')))
      .map(element => (add(`${kind} ${element.textContent.slice(0, 30)}`,
        element.getBoundingClientRect()), element));
    const titles = elements('title', '.title');
    for (const sizes of elements('sizes', '.badge .sizes')) {
      const [badge, head] = [sizes, sizes.closest('.head')].map(one => one.getBoundingClientRect());
      if (cut(sizes) || badge.right > head.right + 1 || badge.bottom > head.bottom + 1)
        found.push(`${name}: cut badge ${sizes.textContent}`);
    }
    elements('control', '.controls :is(.window label > span, .window input, .window button,'
      + ' .legend, .player > *, .choice, .chosen > *, .opener)');
    elements('words', '.words > *');
    elements('arithmetic', '.arithmetic');
    const {x: left, y: top} = section.querySelector('.stage').getBoundingClientRect();
    for (const {text, x, y, right, bottom} of written.filter(({text}) => text.startsWith('head')))
      add(`name ${text}`, {x: left + x, y: top + y, right: left + right, bottom: top + bottom});
    for (const title of name.startsWith('Overview') ? [] : titles.filter(cut))
      found.push(`${name}: cut ${title.textContent}`);
    parts.forEach((one, i) => {
      if (one.right > frame.right + 1 || one.bottom > frame.bottom + 1)
        found.push(`${name}: ${one.kind} beyond the board`);
      for (const other of parts.slice(i + 1))
        if (Math.min(one.right, other.right) - Math.max(one.x, other.x) > 1
            && Math.min(one.bottom, other.bottom) - Math.max(one.y, other.y) > 1
            && !(one.kind.startsWith('control') && other.kind.startsWith('control head')))
          found.push(`${name}: ${one.kind} × ${other.kind}`);
    });
  }
  board.destroy();
  return found;
}"""
NOTE = """() => {
window.written = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...room) {
  if (this.canvas.className === 'base') {
    const wide = this.measureText(text).width;
    const size = Number.parseFloat(this.font.match(/([\\d.]+)px/)[1]);
    const from = x - wide * {left: 0, center: 0.5, right: 1}[this.textAlign];
    written.push({text, x: from, right: from + wide, y: y - size / 2, bottom: y + size / 2});
  }
  return write.call(this, text, x, y, ...room);
};
}"""


NO_MORE: JSON = {"choices": [], "notes": [], "hide": False, "lesson": "", "covers": ""}
NO_MORE |= {"guess": None, "reasons": None}


def scenes_of(n_tokens: int, n_heads: int, lecture: bool) -> list[tuple[str, str]]:
    """Every step of a layer as the app shows it, and the overview, by name."""
    text = " ".join((WORDS.split() * 2)[:n_tokens])
    scenario = Scenario(text=text, n_heads=n_heads, d_model=16)
    trace, notation = trace_of(scenario), NOTATIONS["ours"]
    stage = Stage(trace)
    boards = {field: make(stage) for field, make in STEPS.items()}
    boards["inputs"] = inputs_board(stage, embedding_of(scenario), 1, 1)
    found = []
    for field, board in boards.items():
        page = step_of(field) if field else page_row("story").lecture[0]
        words = NO_MORE | {
            "title": page.title,
            "question": page.question,
            "says": trace.sentence(field) if field else "One sentence about the whole layer.",
            "formula": mathml(formula(trace, field, notation) if field else ""),
            "heads": {"count": n_heads, "chosen": 0, "axis": "H"},
            "lecture": lecture,
            **row_links(page_row("story"), page),
        }
        shown: JSON = coloured_scene(stage_board(board, words), "light", 1.35 if lecture else 1)
        name = f"{page.title}, {n_tokens} tokens, {n_heads} heads"
        found.append((name, scene_to_text(shown)))
    return found


@pytest.mark.parametrize(("width", "height", "left", "top", "lecture"), WINDOWS)
def test_nothing_lies_on_another(
    page: Page, files: str, width: int, height: int, left: int, top: int, lecture: bool
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{files}/tests/js/")
    page.evaluate(NOTE)
    place = {"left": left, "top": top, "width": width - left - 16}
    found = []
    for n_tokens, n_heads in LAYERS:
        found += page.evaluate(SHOW, [place, scenes_of(n_tokens, n_heads, lecture)])
    assert not found, "\n".join(found)
