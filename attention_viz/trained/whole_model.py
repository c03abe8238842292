"""The picture of a whole model: words as columns, layers as rows upwards, and in each place a chip
with what the model would say there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_lab.trained.decoder import FEED_FORWARD, Head, OffPart
from attention_lab.trained.lens import Said
from attention_lab.trained.whole_model import WholeModel
from attention_lab.words.numbers import Share

from ..payload import JSON, board_json, panel_json, sent_numbers
from ..pieces import label_of

CHIPS, ARCS, PARTS, NEXT = "chips", "arcs", "parts", "next"
# What a chip is: of no answer, the last answer of its column, the answer of the text, a word of the
# text, the same word as the answer; a part of a layer; what comes next.
PLAIN, SETTLED, ANSWER, WORD, FOUND, PART, COMES = range(7)
LEAST_ARC = 0.03  # smaller shares have no arc
TEXT = "text"  # the row of the words


def row_names(rows: Sequence[range]) -> list[str]:
    """The rows from above, the text last."""
    names = [
        f"layer {one[0]}" if len(one) == 1 else f"layers {one[0]}–{one[-1]}" for one in rows[::-1]
    ]
    return [*names, TEXT]


def whose_arcs(layers: range, head: Head | None) -> str:
    """Whose arcs the row of some layers shows: those of a head that is chosen in it."""
    return f"head {head[1]}" if head and [*layers] == [head[0]] else "all heads on average"


def whole_board(
    whole: WholeModel,
    head: Head | None = None,
    opened: int | None = None,
    before: WholeModel | None = None,
    doors: Mapping[str, str] | None = None,
) -> JSON:
    """The board. head: the one whose arcs its layer shows, in the place of the average of all.
    opened: the row of several layers that is opened. before: the same text in the model with all
    parts. doors: what a click opens, by what is clicked. A word that was written is played.
    """
    rows, n_words, opens = whole.rows(opened), len(whole.words), doors or {}
    of_arcs = {"shape": [len(rows) + 1, n_words, n_words], "axes": ["layer", "word", "word"]}
    arrays: JSON = {
        CHIPS: _chips(whole, rows, before),
        ARCS: of_arcs | {"title": ARCS},
        PARTS: _parts(whole, rows, opens),
    }
    chips: JSON = {"chips": True, "arcs": _arcs(whole, rows, head), "bare": True}
    if whole.n_written:
        chips["wave"] = n_words - 1
    panels = [
        _panel(CHIPS, "What the model would say", "result", **chips),
        _panel(PARTS, "Parts of the layers", "operand", chips=True),
        _panel(CHIPS, "All words", "aside", chips=True, strip=True, bare=True) | {"id": "strip"},
    ]
    if whole.run is not None:
        arrays[NEXT] = _next(whole, rows)
        panels.append(_panel(NEXT, "What comes next", "operand", chips=True, rows=None))
    entries: JSON = {
        "whole": {"says": _says(rows, head, opens), "written": whole.n_written},
        "rules": {CHIPS: {"operation": "given", "length": 0}},
        "player": True,
        "fits": True,
    }
    cell = (CHIPS, (0, n_words - 1))
    return board_json(_description(whole), arrays, _axes(whole, rows), panels, cell, **entries)


def _axes(whole: WholeModel, rows: Sequence[range]) -> JSON:
    labels = {
        "layer": row_names(rows),
        "word": [label_of(one) for one in whole.words],
        "next": list(whole.coming[0]),
        "part": None,
        "alone": None,
    }
    return {name: {"word": name, "labels": some, "block": None} for name, some in labels.items()}


def _panel(name: str, title: str, role: str, **about: Any) -> JSON:
    return panel_json(name, title, "", (0, 0), role, **about)


def _chips(whole: WholeModel, rows: Sequence[range], before: WholeModel | None) -> JSON:
    """The chips of all rows from above, then the words of the text."""
    layers, n_words = [one[-1] for one in rows[::-1]], len(whole.words)
    words, tones = [*whole.words], [WORD] * n_words
    shares = np.full((len(rows) + 1, n_words), np.nan)
    entries: JSON = {}
    if whole.run is not None:
        said = [whole.said[layer] for layer in layers]
        shares[:-1] = [[one.share for one in row] for row in said]
        above = [_tone(whole, layer, place) for layer in layers for place in range(n_words)]
        answer = whole.answer.text
        tones = [*above, *(FOUND if word == answer else WORD for word in whole.words)]
        words = [*(_written(one) for row in said for one in row), *words]
        if before is not None:
            was = [before.said[layer] for layer in layers]
            pairs = [
                pair for both in zip(was, said, strict=True) for pair in zip(*both, strict=True)
            ]
            entries["before"] = [_was(*pair) for pair in pairs]
    else:
        words, tones = words * len(shares), [PLAIN] * (len(rows) * n_words) + tones
    return _texts(words, tones) | entries | _numbers(shares, ["layer", "word"], "chips")


def _written(said: Said) -> str:
    return f"{label_of(said.text)}{'…' if said.goes_on else ''}"


def _was(before: Said, now: Said) -> str:
    """What was said before, if it is not what is said now."""
    return "" if before.text == now.text else _written(before)


def _tone(whole: WholeModel, layer: int, place: int) -> int:
    """What the chip of a place is."""
    if whole.said[layer][place].text == whole.answer.text and place == len(whole.words) - 1:
        return ANSWER
    return SETTLED if layer >= whole.since[place] else PLAIN


def _texts(words: Sequence[str], tones: Sequence[int]) -> JSON:
    return {"words": list(words), "tones": list(tones), "role": TEXT, "limit": None}


def _numbers(shares: Array, axes: list[str], title: str) -> JSON:
    return {"axes": axes, "title": title} | sent_numbers(shares, "probability")


def _parts(whole: WholeModel, rows: Sequence[range], opens: Mapping[str, str]) -> JSON:
    """The parts of each layer from above; a row of several layers opens."""
    parts, words, says, doors = whole.parts[::-1], list[str](), list[str](), list[str]()
    for one in rows[::-1]:
        several = len(one) > 1
        open_row = ["open", f"{len(one)} layers", *[""] * len(parts)][: len(parts)]
        fed_off = not several and _is_off(whole, (FEED_FORWARD, one[0]))
        shown = ["FFN off" if fed_off and part == FEED_FORWARD else part for part in parts]
        words += open_row if several else shown
        says += [
            f"layers {one[0]} to {one[-1]}" if several else _part_of(whole, part, one[0])
            for part in parts
        ]
        doors += [opens.get("rows" if several else PARTS, "")] * len(parts)
    shares = np.full((len(words), 1), np.nan)
    entries = {"says": says, "opens": doors} | _numbers(shares, ["part", "alone"], PARTS)
    return _texts(words, [PART] * len(words)) | entries


def _is_off(whole: WholeModel, part: OffPart) -> bool:
    return whole.run is not None and part in whole.run.decoder.off


def _part_of(whole: WholeModel, part: str, layer: int) -> str:
    """A part of a layer, and what of it is switched off."""
    says = f"the {part} of layer {layer}"
    if part == FEED_FORWARD and _is_off(whole, (FEED_FORWARD, layer)):
        return f"{says}, switched off"
    heads = [one for one in range(whole.maps.sizes["H"]) if _is_off(whole, (layer, one))]
    if part != "attention" or not heads:
        return says
    return f"{says}; off: {', '.join(f'head {one}' for one in heads)}"


def _next(whole: WholeModel, rows: Sequence[range]) -> JSON:
    """What comes next, after each row."""
    words, shares_LK = whole.coming
    layers = [one[-1] for one in rows[::-1]]
    shares = np.concatenate([shares_LK[layers], np.zeros((1, len(words)))])
    return _texts([*words] * len(shares), [COMES] * shares.size) | _numbers(
        shares, ["layer", "next"], NEXT
    )


def _arcs(whole: WholeModel, rows: Sequence[range], head: Head | None) -> list[list[Any]]:
    """Arcs [row, word, source, share, what it adds to the answer, whose it is]: of a layer the
    average of its heads, or the head that is chosen; those that add most to the answer in their own
    head.
    """
    arcs = list[list[Any]]()
    for row, layers in enumerate(rows[::-1]):
        chosen = head[1] if head and [*layers] == [head[0]] else None
        read_WV = np.mean([whole.read(layer, chosen) for layer in layers], axis=0)
        thick = {one.at: one for one in whole.thick[::-1] if one.layer in layers}
        for word, source in np.argwhere(read_WV >= LEAST_ARC).tolist():
            arcs.append([row, word, source, round(float(read_WV[word, source]), 4)])
        for source, one in thick.items():
            where = [row, len(read_WV) - 1, source, round(one.read, 4), round(one.added, 4)]
            arcs.append([*where, f"head {one.head}"])
    return arcs


def _says(rows: Sequence[range], head: Head | None, opens: Mapping[str, str]) -> JSON:
    """The words of the board, with places for facts. who: whose arcs each row shows."""
    return {
        "chip": "{row}, {word}:",
        "reads": "Read by {who}: {reads}.",
        "before": "With nothing switched off: {before}.",
        "word": "{word}, a word of the text",
        "arc": "{row}, {word}, read by {who}:",
        "next": "After {row}, this comes next:",
        "who": [whose_arcs(one, head) for one in rows[::-1]],
        "opens": dict(opens),
    }


def _description(whole: WholeModel) -> str:
    what = f"A whole model on {len(whole.words)} words, with {whole.n_layers} layers as rows."
    if whole.run is None:
        return f"{what} Arcs show what each word reads."
    said = whole.answer
    return f"{what} After the last layer it says “{said.text}” with {Share(said.share, 0)}."
