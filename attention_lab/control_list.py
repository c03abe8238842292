"""The controls in the order of the sidebar, and which of them have an effect beside the others. At
the end: the switches that change only how things look, and heads that cannot share the
features of an embedding evenly: what to say, and what to choose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from attention_core.projection_checks import nearest_divisors

from .by_hand import HANDMADE_LAYERS
from .choices import DECLARED, Scenario, kind_of
from .control import Control
from .mask_kinds import MASKS
from .notation.notation import OURS
from .sentences import weights_in_force
from .user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH
from .weight_kinds import BY_HAND, LANGUAGE_MODEL, RANDOM, WEIGHTS, WeightKind

CONTROL_GROUPS = ("Sizes", "Weights", "Scores and mask", "Tokens and widths", "Modern attention")
CONTROLS = tuple(one for group in CONTROL_GROUPS for one in DECLARED.values() if one.group == group)
_ASKED_OF_WEIGHTS = {name for kind in WEIGHTS.values() for name in kind.asks}
_ASKED_OF_MASKS = {name for kind in MASKS.values() for name in kind.asks}
# Where weights by hand find nothing, its last layer stands in their place.
_IN_THEIR_PLACE = replace(LANGUAGE_MODEL, asks=())


@dataclass(frozen=True)
class Effects:
    """What choices decide for one another. weights: the kind that is run."""

    chosen: Any  # a scenario, or its values as they are run
    weights: WeightKind

    @property
    def decided(self) -> Mapping[str, Any]:
        """The values that the weights decide in the place of the controls."""
        return self.weights.decides

    def has(self, control: Control) -> bool:
        """Whether a control has an effect."""
        return control.name not in self.decided and self.asks_for(control)

    def asks_for(self, control: Control) -> bool:
        """Whether the weights, the mask and the other choices ask for a choice."""
        name = control.name
        if name in _ASKED_OF_WEIGHTS:
            return name in self.weights.asks
        if name in _ASKED_OF_MASKS:
            return name in MASKS[self.chosen.mask].asks
        return control.is_needed(self.chosen)


def effects_of(chosen: Scenario) -> Effects:
    """What choices decide. Weights by hand need their own sizes and known words."""
    kind = kind_of(chosen)
    if kind is BY_HAND and not BY_HAND.fits(chosen):
        kind = RANDOM
    elif kind is BY_HAND and weights_in_force(chosen) != chosen:
        kind = _IN_THEIR_PLACE
    return Effects(chosen, kind)


def readable_at(name: str, chosen: Scenario) -> str:
    """Where weights by hand are chosen: at which sizes they can be read, for the control of a size;
    else "".

    >>> readable_at("n_heads", Scenario(weights="by hand"))
    'Readable: 2 (size 8), 3 (size 12)'
    """
    if chosen.weights != BY_HAND.name or name not in ("d_model", "n_heads"):
        return ""
    if name == "d_model":
        marks = [f"{width} (heads {count})" for width, count in HANDMADE_LAYERS]
    else:
        marks = [f"{count} (size {width})" for width, count in HANDMADE_LAYERS]
    return f"Readable: {', '.join(marks)}"


# The switches that change only how things look: label, name, help.
VIEW_SWITCHES = (
    ("Each head its own colours", "own_scale", "Otherwise all heads share one scale."),
    (
        "Lecture mode",
        "present",
        "The step alone in the window, in large type; a clicker goes forward and back.",
    ),
    ("Hide the result", "hide", "Cells are covered until you ask for a cell or a row."),
    (
        "Ask me first",
        "guess",
        "Each step covers one number and asks you for it. Otherwise it only offers a question.",
    ),
    (
        "Whole matrices",
        "whole",
        "Steps show the columns of all heads, not only those of the head in focus.",
    ),
    (
        "Pieces, not words",
        "pieces",
        "Trained models read pieces of words. Otherwise the sentence shows words, and an arc to a"
        " word is the sum of its pieces' shares.",
    ),
)
VIEW_DEFAULTS = {"notation": OURS.key} | {name: False for _, name, _ in VIEW_SWITCHES}


@dataclass(frozen=True)
class WayOut:
    """Choices that make a layer again. changes: fields of a scenario."""

    label: str
    changes: Mapping[str, int]
    help: str = ""


def uneven_heads(scenario: Scenario) -> tuple[str, str]:
    """What is wrong, and why it matters."""
    width, heads = scenario.d_model, scenario.n_heads
    return (
        f"{heads} heads cannot share {width} features evenly",
        f"{width} / {heads} is not a whole number. Each head takes its own block of features of Q,"
        " K and V. In the usual layer all blocks together are as wide as the embedding, so that the"
        " joined heads fit the next layer. Choose one:",
    )


def ways_out(scenario: Scenario) -> list[WayOut]:
    """The nearest divisors and multiples and, if the weights allow it, a width of its own.

    >>> [way.label for way in ways_out(Scenario(d_model=8, n_heads=3))][:3]
    ['Heads: 2', 'Heads: 4', 'Embedding size: 6']
    """
    width, heads = scenario.d_model, scenario.n_heads
    below = width // heads * heads
    counts = [one for one in nearest_divisors(width, heads) if one <= MAX_HEADS]
    sizes = [one for one in (below, below + heads) if 1 <= one <= MAX_MATRIX_WIDTH]
    ways = [WayOut(f"Heads: {count}", {"n_heads": count}) for count in counts]
    ways += [WayOut(f"Embedding size: {size}", {"d_model": size}) for size in sizes]
    if kind_of(scenario).leaves_widths:
        free = max(1, round(width / heads))
        about = (
            "d_k and d_v need not be embedding / heads: W_O maps the joined heads back to the"
            " embedding size."
        )
        ways.append(WayOut(f"Heads: {heads}, each {free} wide", {"d_k": free, "d_v": free}, about))
    return ways
