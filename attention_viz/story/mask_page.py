"""What the step *Mask* says below its stage: what the mask hides, other masks to try, queries that
are fewer than keys, and how far a window reaches over layers.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from attention_core.checks import Array
from attention_core.derivation import Derivation
from attention_lab.choices import resolve
from attention_lab.mask_kinds import MASKS, NO_MASK, PADDING, PAINTED
from attention_lab.masks.reach import (
    FULL_EVERY,
    MOST_LAYERS,
    layer_masks,
    layers_until,
    n_reached,
    reach,
)
from attention_lab.notation.notation import OURS, Notation
from attention_lab.sentences import weights_in_force
from attention_lab.story.scores import MaskFacts, mask_facts
from attention_lab.words.numbers import format_number

from .. import blocks as b
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Number, Switch
from ..payload import JSON
from .step_page import derivation_line, pair, step_page, token
from .story_view import StoryView

WINDOW = Number("reach_window", "Window of tokens w", 3, 1, 16, look="scale")
LAYERS = Number("reach_layers", "Layers L", 3, 1, MOST_LAYERS, look="scale")
MIXED = Switch(
    "reach_mixed",
    "Every sixth layer sees all",
    False,
    help="Five layers with a window, then one without, as in Gemma 3.",
)


def _mask(view: StoryView, values: b.Values, derivation: Derivation) -> list[b.Block]:
    trace, focus, chosen = view.trace, view.focus, view.chosen or view.scenario
    chosen = replace(chosen, mask=resolve(weights_in_force(chosen)).chosen.mask)
    facts = mask_facts(chosen, view.scenario, trace, focus, len(view.sentences))
    under = f"Under the {view.scenario.mask} mask of the picture: keys" * facts.is_example
    seen = f"{under or 'Keys'} that {token(view, 'T', focus.query)} sees in head {focus.head}:"
    hatched = "Hatched cells are masked: their score is −∞, which the softmax turns into 0."
    return [
        b.Text(f"{_what_it_hides(view, facts)} Try a mask:"),
        _masks(facts),
        *_room_for_padding(facts),
        b.caption(f"{seen} {facts.seen.n_seen} of {facts.seen.n_keys}."),
        *([] if facts.is_empty else [b.caption(hatched)]),
        derivation_line(derivation, pair(view)),
        b.Folded("What if there are fewer queries than keys?", [b.Text(_corners(facts))]),
        b.Folded("How far does a window reach over several layers?", partial(_reach, view, values)),
    ]


def _what_it_hides(view: StoryView, facts: MaskFacts) -> str:
    says = MASKS[facts.chosen].told(view.scenario, facts.seen.n_hidden, facts.seen.n_cells)
    if facts.is_example:
        says += " The picture shows what another would hide."
    if not facts.in_batch or facts.chosen == PADDING.name:
        return says
    says = "No mask is chosen." if facts.chosen == NO_MASK.name else says
    return f"{says} In a batch the padding mask is always added: no query sees a [pad]."


def _masks(facts: MaskFacts) -> b.Row:
    """A button for each mask. All of them, always: a button that goes away would take the place of
    the keyboard with it.
    """
    more: Mapping[str, Mapping[str, Any]] = {
        NO_MASK.name: {"unmasked": "true"},
        PADDING.name: {"n_tokens": str(facts.longer)} if facts.longer else {},
    }
    buttons = [
        b.Button(
            "✓ " * (kind == facts.chosen) + kind, {"mask": kind, **more.get(kind, {})}, name=kind
        )
        for kind in MASKS
    ]
    paint = [b.Link("Paint it", "mask-workshop")] if facts.chosen == PAINTED.name else []
    return b.Row((*buttons, *paint))


def _room_for_padding(facts: MaskFacts) -> list[b.Block]:
    """That a padding mask hides nothing, and a length where it would."""
    if facts.chosen != PADDING.name or not facts.is_empty:
        return []
    says = "This sequence has no [pad], so the mask hides nothing."
    if not facts.longer:
        return [b.Note(says)]
    label, sets = f"Sequence length {facts.longer}", {"n_tokens": str(facts.longer)}
    return [
        b.Note(f"{says} Make the sequence longer than the sentence:"),
        b.Button(label, sets, name="longer"),
    ]


def _corners(facts: MaskFacts) -> str:
    wrong, right = (
        format_number(one, among=1.0) for one in (facts.alone.top_left, facts.alone.bottom_right)
    )
    return (
        "Then a causal mask can start from two corners. **Top left:** query t sees the keys 0 to t."
        " This app does it so, and so do ONNX 1.23 and is_causal=True in PyTorch 2.13. **Bottom"
        " right:** the last query sees all keys. FlashAttention since 2.1 and PyTorch’s"
        " causal_lower_right do it so. Where queries and keys have the same number, the two masks"
        " are equal.\n\nA model that writes word by word keeps the keys and values of earlier"
        " tokens (KV cache) and asks with the newest token alone, which keeps its position. Top"
        f" left hides {facts.alone.hidden_top_left} of {facts.seen.n_keys} keys from it: its output"
        f" in this layer is then off by up to **{wrong}**. Bottom right hides no key, and differs"
        f" from a causal run of the whole sequence by {right}."
    )


def _reach(view: StoryView, values: b.Values) -> list[b.Block]:
    """The window over several layers: what is chosen, and the board of who reaches whom."""
    window, n_layers, mixed = (values[one.key] for one in (WINDOW, LAYERS, MIXED))
    labels = view.trace.labels("T")
    needed = layers_until(layer_masks(len(labels), window, n_layers, mixed))
    rule = (
        f"Without a layer that sees all, that is L · (w − 1) + 1 = {reach(window, n_layers)}, or"
        f" all {len(labels)} tokens if they are fewer."
    )
    if mixed and n_layers >= FULL_EVERY:
        rule = "A layer that sees all brings every earlier token at once."
    return [
        b.row(values, WINDOW, LAYERS, MIXED),
        b.Board(reach_board(needed, labels, view.focus.query, view.notation), "reach", fits=True),
        b.caption(
            "A cell says after how many layers its query can hold something of its key: what one"
            " token has read, the next layer reads on from it. Hatched: not within these layers. It"
            f" is the product of the masks. The last token reaches {n_reached(needed, -1)} tokens."
            f" {rule}"
        ),
    ]


MASK = step_page("mask", _mask, WINDOW, LAYERS, MIXED)


def reach_board(
    needed: Array, labels: tuple[str, ...], query: int, notation: Notation = OURS
) -> JSON:
    """How many layers it takes from every token to every other. needed: see `layers_until`.

    query: the row in focus.
    """
    matrix = Matrix(
        "layers",
        needed,
        Side("query position", labels, "T"),
        Side("key position", labels, "S"),
        (0, 0),
        "layers until a token is reached",
        hidden=needed == 0,
        says="The number of layers is",
    )
    description = (
        "After how many layers a query can hold something of a key. Tokens that the query in focus"
        f" reaches: {n_reached(needed, query)}."
    )
    return matrix_board([matrix], ("layers", query, query), description, notation)
