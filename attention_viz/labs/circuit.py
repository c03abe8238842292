"""Pictures of the small model of two layers: its letters with the arcs of both layers, every array
from a letter's vector to the next letter, and how training went.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.formulas import softmax
from attention_core.rules import RUNNING, Position, Rule, read
from attention_lab.heads.weight_blocks import output_rows
from attention_lab.labs.circuit import LetterModel, LetterRun
from attention_lab.labs.circuit_settings import LETTERS
from attention_lab.labs.training_runs import KeptRun
from attention_lab.words.numbers import format_percent

from ..curves import WITH_LEGEND, chart_axis, line_series
from ..matrices import Matrix, Side, mask_rule, matrix_board, softmax_rule
from ..parts import Part, dashed_line, layout
from ..payload import JSON
from ..theme import Figure

NEXT = "next"
SHOWN_ARC = 0.02  # smaller shares have no arc


def circuit_board(model: LetterModel, run: LetterRun, place: int, heads: Sequence[int]) -> JSON:
    """The letters with arcs, the shares of one head of each layer, and the next letter after each
    place. heads: the one to look at in each layer. place: the letter in focus.

    What is not drawn is there to be opened: each number of the picture leads back to the vectors
    of letters and places.
    """
    arrays = _Arrays(model, run, heads)
    n_layers = len(run.traces)
    last = f"shares {n_layers - 1}"
    key = int(run.traces[-1].probabilities[0, heads[-1], place].argmax())
    says = "Which place each letter looks at, in each layer, and the next letter after each place."
    board = matrix_board(arrays.matrices(), (last, place, key), says)
    for panel in board["panels"]:
        panel["role"] = "result" if panel["array"] == NEXT else "operand"
    return board | {"sentence": _arcs(run, heads)}


def _arcs(run: LetterRun, heads: Sequence[int]) -> JSON:
    """The letters in one line. Above them the arcs of the last layer from the letter in focus;
    below them those of the first layer from the place that the last one reads most.
    """
    letters, places = [LETTERS[one] for one in run.ids], range(len(run.ids))
    reads = run.traces[-1].probabilities[0, heads[-1]].argmax(axis=1).tolist()
    parts = []
    for layer in reversed(range(len(run.traces))):
        shares = run.traces[layer].probabilities[0, heads[layer]]
        starts = list(places) if layer == len(run.traces) - 1 else reads
        part: JSON = {
            "head": layer,
            "title": f"layer {layer}, head {heads[layer]}",
            "arcs": [_read(shares[start]) for start in starts],
            "asks": [
                [[[_told(shares, start, letters, layer < len(run.traces) - 1), ""]]]
                for start in starts
            ],
        }
        parts.append(part if starts == list(places) else part | {"from": starts})
    says = {"most": "", "even": "", "none": "", "last": "", "piece": ""}
    about: JSON = {"size": "large", "words": letters, "array": f"shares {len(parts) - 1}"}
    return about | {"query": len(letters) - 1, "says": says, "heads": parts}


def _read(row_S: Array) -> list[list[float]]:
    return [[int(key), round(float(row_S[key]), 4)] for key in np.flatnonzero(row_S >= SHOWN_ARC)]


def _told(shares_TS: Array, start: int, letters: Sequence[str], looks_back: bool) -> str:
    """What a place reads: the place before, which a head of the first layer is there for, or the
    one that it reads most.
    """
    key = max(0, start - 1) if looks_back else int(shares_TS[start].argmax())
    share = format_percent(float(shares_TS[start, key]))
    return f"“{letters[start]}” at {start} reads “{letters[key]}” at {key}: {share}."


class _Arrays:
    """All arrays of a run as matrices of one board, each with the rule that computes it."""

    def __init__(self, model: LetterModel, run: LetterRun, heads: Sequence[int]) -> None:
        self.model, self.run, self.heads = model, run, heads
        labels = tuple(LETTERS[one] for one in run.ids)
        self.asking = Side("query position", labels, "T")
        self.asked = Side("key position", labels, "S")
        self.features, self.letters = Side("feature"), Side("next letter", tuple(LETTERS))
        self.found: list[Matrix] = []

    def matrices(self) -> list[Matrix]:
        """From the vectors of letters and places to the next letter."""
        ids, weights = list(self.run.ids), self.model.weights
        self._add("letter vectors", weights.embedding[ids], self.asking, self.features)
        self._add("place vectors", weights.positions[: len(ids)], self.asking, self.features)
        for layer in range(len(self.run.traces)):
            self._layer(layer)
        self._stream(len(self.run.traces), self.run.traces[-1].output[0])
        self._add("unembedding", weights.unembedding, self.features, self.letters)
        stream, logits = f"stream {len(self.run.traces)}", self.run.logits
        rule = _product(stream, "unembedding", len(weights.unembedding))
        self._add("logits", logits, self.asking, self.letters, rule, kind="logit")
        drawn = {"place": (len(self.run.traces), 0), "kind": "probability", "role": "output"}
        rule = softmax_rule("logits", logits.shape[1])
        self._add(NEXT, softmax(logits), self.asking, self.letters, rule, **drawn)
        return self.found

    def _layer(self, layer: int) -> None:
        trace = self.run.traces[layer]
        p = trace.projections
        self._stream(layer, trace.inputs[0])
        arrays = {"q": trace.queries, "k": trace.keys, "v": trace.values}
        for name, array in arrays.items():
            weights = f"W_{name.upper()} {layer}"
            self._add(weights, getattr(p, f"w_{name}"), self.features, Side("column"))
            rule = _product(f"stream {layer}", weights, len(p.w_q))
            self._add(f"{name} {layer}", array[0], self.asking, self.features, rule)
        self._add(f"W_O {layer}", np.asarray(p.w_o), Side("column"), self.features)
        scale = np.array([[trace.scale]])
        self._add(f"scale {layer}", scale, Side("scale"), Side("scale"))
        for head in range(trace.sizes["H"]):
            self._head(layer, head)

    def _head(self, layer: int, head: int) -> None:
        trace, width = self.run.traces[layer], self.run.traces[layer].sizes["K"]
        name, at = f"{layer} {head}", (0, head)
        column = Position(((RUNNING, 1),), plus=head * width)
        sum_of = Rule("sum", (read(f"q {layer}", 0, column), read(f"k {layer}", 1, column)), width)
        scaled = Rule(
            "product", (read(f"score {name}", 0, 1), read(f"scale {layer}", Position(), Position()))
        )
        keys, features = trace.sizes["S"], Side("feature of the head")
        pair, chosen = (self.asking, self.asked), head == self.heads[layer]
        self._add(f"score {name}", trace.scores[at], *pair, sum_of, kind="logit")
        self._add(f"scaled {name}", trace.scaled_scores[at], *pair, scaled, kind="logit")
        masked = mask_rule(f"scaled {name}")
        self._add(f"masked {name}", trace.masked_scores[at], *pair, masked, kind="logit")
        shares = f"shares {layer}" if chosen else f"shares {name}"
        drawn = {"kind": "probability", "hidden": trace.hidden[at]}
        if chosen:
            drawn |= {"place": (len(self.run.traces) - 1 - layer, 0)}
        self._add(
            shares,
            trace.probabilities[at],
            *pair,
            softmax_rule(f"masked {name}", keys),
            title=f"layer {layer}, head {head}",
            **drawn,
        )
        value = Position(((1, 1),), plus=head * width)
        mixed = Rule("sum", (read(shares, 0, RUNNING), read(f"v {layer}", RUNNING, value)), keys)
        self._add(f"out {name}", trace.head_outputs[at], self.asking, features, mixed)
        row = Position(((RUNNING, 1),), plus=head * width)
        added = Rule("sum", (read(f"out {name}", 0, RUNNING), read(f"W_O {layer}", row, 1)), width)
        block = output_rows(trace.projections)[head]
        self._add(
            f"added {name}", trace.head_outputs[at] @ block, self.asking, self.features, added
        )

    def _stream(self, layer: int, numbers: Array) -> None:
        """What goes into a layer: the vectors, and what the heads before have added."""
        parts = [f"added {layer - 1} {head}" for head in range(self.model.n_heads) if layer > 0]
        before = f"stream {layer - 1}" if layer else "place vectors"
        reads = [*(parts or ["letter vectors"]), before]
        first, *others = (read(one, 0, 1) for one in reads)
        rule = Rule("sum", (first,), adds=tuple(others))
        self._add(f"stream {layer}", numbers, self.asking, self.features, rule)

    def _add(
        self,
        name: str,
        numbers: Array,
        rows: Side,
        columns: Side,
        rule: Rule | None = None,
        **more: Any,
    ) -> None:
        about = {"title": name, "place": None} | more
        self.found.append(Matrix(name, numbers, rows, columns, rule=rule, **about))


def _product(source: str, weights: str, length: int) -> Rule:
    return Rule("sum", (read(source, 0, RUNNING), read(weights, RUNNING, 1)), length)


def progress_figure(
    run: KeptRun, marked: int, scores: Mapping[str, Sequence[tuple[int, float]]]
) -> Figure:
    """The loss, in parts of the largest, and the scores against the step. marked: the step that is
    shown.
    """
    most = max(loss for _, loss in run.losses)
    curves = {"loss, of the largest": [(step, loss / most) for step, loss in run.losses]} | dict(
        scores
    )
    data = []
    for place, (name, points) in enumerate(curves.items()):
        steps, values = zip(*points, strict=True)
        color = f"@head {place - 1}" if place else "@muted"
        mode = "lines" if len(steps) > 1 else "markers"
        data.append(line_series(steps, values, name, color, mode=mode))
    last = run.settings.last_step
    parts: Part = WITH_LEGEND | {
        "shapes": [dashed_line(marked, 0, marked, 1.05, "@muted", 1, "dot")],
        "xaxis": chart_axis("step", range=[-0.01 * last, 1.01 * last]),
        "yaxis": chart_axis("share", range=[-0.02, 1.05]),
    }
    ends = ", ".join(f"{name} {format_percent(points[-1][1])}" for name, points in curves.items())
    says = f"Line chart: the loss and three measures against the step. At the end: {ends}."
    return {"data": data, "layout": layout(280, says, **parts)}
