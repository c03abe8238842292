"""How other programs name the matrices of an attention layer, and how they lay them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Naming:
    """One way to name the parts of a layer; every name stands behind the same prefix.

    parts: an argument of `Projections`, or w_qkv and b_qkv for the three side by side -> the file's
    name for it. transposed: matrices stand left of a column vector, as PyTorch's do, with one row
    for each feature that comes out; None where only a file tells, by the longer side of its joint
    matrix of queries, keys and values. unlike: what the weights alone do not say, of
    `OTHER_ARCHITECTURES`. heads: the file's name for the number of heads, if it has one.
    """

    title: str
    parts: Mapping[str, str]
    transposed: bool | None = True
    unlike: tuple[str, ...] = ()
    heads: str = ""

    @property
    def note(self) -> str:
        """What the weights alone do not say, in sentences."""
        return " ".join(OTHER_ARCHITECTURES[key] for key in self.unlike)

    @property
    def anchor(self) -> str:
        """The name by which a layer is recognised."""
        return next(iter(self.parts.values()))

    @property
    def required(self) -> tuple[str, ...]:
        """The parts without which a layer cannot be built: its matrices."""
        return tuple(part for part in self.parts if part.startswith("w_"))

    def lying(self, anchor: tuple[int, ...]) -> Naming:
        """This naming, told which way matrices lie. anchor: the shape of the array by which the
        layer is recognised.
        """
        upright = len(anchor) == 2 and anchor[0] > anchor[1]
        return self if self.transposed is not None else replace(self, transposed=upright)


def _matrices_and_biases(**stems: str) -> dict[str, str]:
    """w_x and b_x for each letter, as `.weight` and `.bias` of a stem."""
    weights = {f"w_{letter}": f"{stem}.weight" for letter, stem in stems.items()}
    return weights | {f"b_{letter}": f"{stem}.bias" for letter, stem in stems.items()}


# What some layers have beside their matrices and is not done here, by the name of its array.
UNUSED_TENSORS = {
    "bias_k": "Its bias_k and bias_v, one more key for every query, are left out.",
    "q_norm.weight": (
        "Its q_norm and k_norm, which give queries and keys another length, are left out."
    ),
    "sinks": "Its sinks, one more score for every query, are left out.",
}
# What a model does beside its attention layer, which its weights do not say.
OTHER_ARCHITECTURES = {
    "causal": "In this model no query sees a later key: switch the causal mask on.",
    "rotary": (
        "This model turns queries and keys by their position before it compares them; that is not"
        " done here."
    ),
    "norm": (
        "It normalises what the layer reads beforehand (LayerNorm, RMSNorm); that is not done here."
    ),
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
        unlike=("causal", "norm"),
    ),
    Naming(
        "Llama",
        _matrices_and_biases(q="q_proj", k="k_proj", v="v_proj", o="o_proj"),
        unlike=("causal", "rotary", "norm"),
    ),
    Naming(
        "a download from this app",
        {f"{kind}_{letter}": f"{kind}_{letter}" for kind in "wb" for letter in "qkvo"},
        transposed=False,
        heads="n_heads",
    ),
)
