"""The kinds of masks, and the choices of scores and mask.

A kind knows what it asks for, which keys it allows and what to say of it. A new one is an entry of
`MASKS`, with a field below for what it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from attention_core.checks import Array, whole_number
from attention_core.masks import causal_mask, padding_mask, prefix_mask, window_mask

from .control import Control
from .user_data.matrix_names import MAX_TOKENS
from .user_data.painted_masks import mask_from_text, mask_to_text, painted_mask
from .weight_kinds import WeightChoices


@dataclass(frozen=True, eq=False)
class MaskKind:
    """A kind of mask.

    name: as URLs and files have it. help: which keys it leaves, for the help of the control. says:
    a sentence on it, with choices by their names in braces, and the numbers of `hidden` cells and
    of all `cells` of a head. allows: what it allows, from the choices, the number of tokens, and
    how many of them are real in each sequence; shapes (T, T) bool or (B, 1, 1, T). asks: the
    choices without effect for other kinds. limits_causal: whether it hides anything beside a causal
    mask. follows_tokens: whether it belongs to tokens, not to positions.
    """

    name: str
    help: str
    says: str
    allows: Callable[[MaskChoices, int, Sequence[int]], Array] | None = None
    asks: tuple[str, ...] = ()
    limits_causal: bool = True
    follows_tokens: bool = False

    def told(self, chosen: MaskChoices, hidden: int, cells: int) -> str:
        """The sentence on a layer with this mask. hidden, cells: of one head."""
        return self.says.format(**asdict(chosen), hidden=hidden, cells=cells)


def _window(chosen: MaskChoices, n_tokens: int, _: Sequence[int]) -> Array:
    width = whole_number("window", chosen.window, 0)
    return window_mask(n_tokens, n_tokens, left=width, right=width)


NO_MASK = MaskKind(
    "none",
    "",
    "No mask is chosen: in this layer every query sees every key.",
    limits_causal=False,
)
CAUSAL = MaskKind(
    "causal",
    "no later token",
    "A causal mask hides every later token; a token sees itself and those before it. A language"
    " model predicts the next word and must not see it.",
    lambda _, n_tokens, __: causal_mask(n_tokens),
    limits_causal=False,
)
PADDING = MaskKind(
    "padding",
    "no [pad] token",
    "A padding mask hides the [pad] keys, which only make the sequence longer. It hides keys only:"
    " the shares of [pad] queries are still computed. Who uses the output must skip them.",
    lambda _, n_tokens, n_real: padding_mask(n_real, n_tokens),
    limits_causal=False,
    follows_tokens=True,
)
WINDOW = MaskKind(
    "window",
    "only near tokens",
    "A window of {window} hides every key that is farther away than that, on either side. With 0, a"
    " token sees only itself.",
    _window,
    asks=("window",),
)
PREFIX = MaskKind(
    "prefix",
    "the first tokens see one another, the rest is causal",
    "Every token sees the first {prefix} tokens, also those after it. Of the rest it sees only"
    " itself and what comes before it, as under a causal mask. A prefix language model reads its"
    " input like this, and then writes on.",
    lambda chosen, n_tokens, _: prefix_mask(n_tokens, chosen.prefix),
    asks=("prefix",),
    limits_causal=False,
)
PAINTED = MaskKind(
    "painted",
    "as in the mask workshop",
    "This mask was painted cell by cell in the mask workshop. It hides {hidden} of {cells} cells in"
    " every head.",
    lambda chosen, n_tokens, _: painted_mask(chosen.painted, n_tokens),
    asks=("painted",),
)
MASKS: Mapping[str, MaskKind] = {
    kind.name: kind for kind in (NO_MASK, CAUSAL, PADDING, WINDOW, PREFIX, PAINTED)
}
_of = partial(Control, group="Scores and mask")


@dataclass(frozen=True)
class MaskChoices(WeightChoices):
    """painted: what `mask_to_text` returns for the mask "painted"; "" hides nothing."""

    scaling: str = _of(
        "on", "Scaling", options=("on", "off", "custom"), other="off", caption="scale {scaling}"
    ).explained("on: scores times 1/√d_k; off: as they are; custom: times the number below.")
    scale: float = _of(
        1.0, "Custom scale", (-100.0, 100.0), other=0.5, needs="scaling=custom"
    ).explained("What every score is multiplied by.")
    mask: str = _of(
        NO_MASK.name,
        "Mask",
        options=tuple(MASKS),
        compared=tuple(name for name, kind in MASKS.items() if kind is not PAINTED),
        other=CAUSAL.name,
        told="mask {mask}",
    ).explained(
        "; ".join(f"{kind.name}: {kind.help}" for kind in MASKS.values() if kind.help)
        + ". A language model is always causal, too."
    )
    window: int = _of(
        2, "Window", (0, MAX_TOKENS), other=1, told="{window} to each side"
    ).explained("How many tokens to each side a query sees.")
    prefix: int = _of(
        3, "Prefix", (0, MAX_TOKENS), other=1, told="the first {prefix} both ways"
    ).explained("How many tokens at the start every query sees.")
    painted: str = Control(
        "", "Painted mask", reads=lambda text: mask_to_text(mask_from_text(text))
    ).explained()
    residual: bool = _of(False, "Residual", caption="residual").explained(
        "Add the layer's inputs to its output (skip connection). In GeometricMachineLearning.jl:"
        " add_connection, true by default."
    )
