"""How other programs name the matrices of an attention layer, and whether they transpose them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Naming:
    """One way to name the parts of a layer; all names have the same prefix.

    parts: the file's name for each argument of `Projections`, or for w_qkv and b_qkv, the three
    side by side. transposed: a matrix has one row for each output feature, as PyTorch's do; None if
    a file decides it by the longer side of its joint matrix of queries, keys and values.
    differences: keys of `OTHER_ARCHITECTURES`, for what the weights alone do not say. heads: the
    file's name for the number of heads, "" if it has none.
    """

    title: str
    parts: Mapping[str, str]
    transposed: bool | None = True
    differences: tuple[str, ...] = ()
    heads: str = ""

    @property
    def note(self) -> str:
        """What the weights alone do not say, in sentences."""
        return " ".join(OTHER_ARCHITECTURES[key] for key in self.differences)

    @property
    def anchor(self) -> str:
        """The name by which a layer is recognised."""
        return next(iter(self.parts.values()))

    @property
    def required(self) -> tuple[str, ...]:
        """The parts without which a layer cannot be built: its matrices."""
        return tuple(part for part in self.parts if part.startswith("w_"))

    def oriented(self, anchor: tuple[int, ...]) -> Naming:
        """This naming with `transposed` decided. anchor: the shape of the array by which the layer
        is recognised.
        """
        if self.transposed is not None:
            return self
        return replace(self, transposed=len(anchor) == 2 and anchor[0] > anchor[1])


def _matrices_and_biases(**stems: str) -> dict[str, str]:
    """w_x and b_x for each letter, as `.weight` and `.bias` of a stem."""
    weights = {f"w_{letter}": f"{stem}.weight" for letter, stem in stems.items()}
    return weights | {f"b_{letter}": f"{stem}.bias" for letter, stem in stems.items()}


# What some layers have besides their matrices and this app does not use, by the name of its array.
UNUSED_TENSORS = {
    "bias_k": "Its bias_k and bias_v, one more key for every query, are not used.",
    "q_norm.weight": (
        "Its q_norm and k_norm, which change the length of queries and keys, are not used."
    ),
    "sinks": "Its sinks, one more score for every query, are not used.",
}
# What a model does that its attention weights do not say.
OTHER_ARCHITECTURES = {
    "causal": "In this model no query sees a later key: switch the causal mask on.",
    "rotary": (
        "This model rotates queries and keys by their position before it compares them; these pages"
        " do not."
    ),
    "norm": ("It normalises the inputs of the layer (LayerNorm or RMSNorm); these pages do not."),
}
_OUT = _matrices_and_biases(o="out_proj")

NAMINGS = (
    Naming(
        "torch.nn.MultiheadAttention", {"w_qkv": "in_proj_weight", "b_qkv": "in_proj_bias"} | _OUT
    ),
    Naming(
        "torch.nn.MultiheadAttention with separate projections",
        {f"w_{letter}": f"{letter}_proj_weight" for letter in "qkv"}
        | {"b_qkv": "in_proj_bias"}
        | _OUT,
    ),
    Naming(
        "BERT", _matrices_and_biases(q="self.query", k="self.key", v="self.value", o="output.dense")
    ),
    Naming(
        "GPT-2 or nanoGPT",
        _matrices_and_biases(qkv="attn.c_attn", o="attn.c_proj"),
        transposed=None,
        differences=("causal", "norm"),
    ),
    Naming(
        "Llama",
        _matrices_and_biases(q="q_proj", k="k_proj", v="v_proj", o="o_proj"),
        differences=("causal", "rotary", "norm"),
    ),
    Naming(
        "a download from this app",
        {f"{kind}_{letter}": f"{kind}_{letter}" for kind in "wb" for letter in "qkvo"},
        transposed=False,
        heads="n_heads",
    ),
)
