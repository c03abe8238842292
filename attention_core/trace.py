"""The record of an attention call that also tells about itself: rules, code, sentences, tables."""

from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from . import wording
from .display import array_type, html_table, text_table
from .record import Record
from .record import head_columns as head_columns
from .record import head_of as head_of
from .rules import RULES, Rule
from .steps import OPTIONAL as OPTIONAL
from .steps import STEPS as STEPS
from .steps import USUAL_STEPS as USUAL_STEPS

# What other libraries call a field.
OTHER_NAMES = {
    "probabilities": "attention attentions attn attn_weights attention_weights weights probs p a",
    "queries": "q query",
    "keys": "k key",
    "values": "v value",
    "head_outputs": "z context heads",
    "output": "y out outputs result",
    "inputs": "x input",
    "scores": "logits energy",
}


class Trace(Record):
    """Everything that happened in one call of `attend`: the intermediates, which are read-only,
    and the arguments of the call; `empty_rows_as` is its empty_rows.

    Shapes: as `axes(name)` says; mask and bias broadcast to (B, H, T, S); sink (H,).
    """

    def rule(self, name: str) -> Rule:
        """How every cell of a field is computed. Raises: SettingsError.

        >>> from attention_core import Projections, attend
        >>> attend([[1.0], [2.0]], Projections.weightless(1)).rule("scores").operation
        'sum'
        """
        return RULES[self.step(name).name](self)

    def code(self, name: str) -> str:
        """The NumPy statements that compute a field from those before it. Raises: SettingsError."""
        return wording.fill_template(self.step(name).numpy, self)

    def sentence(self, name: str, layout: wording.Layout = wording.ROWS) -> str:
        """What a step did, in one sentence for the options of this call. layout: the words for
        rows and columns. Raises: SettingsError.
        """
        return wording.sentence(self, self.step(name), layout)

    def addition(self, name: str) -> str:
        """What is added to the product of a step, in words: its bias, the inputs, or nothing."""
        return wording.addition(self, name)

    def __repr__(self) -> str:
        rows = [
            (name, array_type(getattr(self, name)), " ".join(step.letters))
            for name, step in self.steps.items()
        ]
        return text_table(self._title, rows)

    def _repr_html_(self) -> str:
        rows = [
            (name, array_type(getattr(self, name)), self.code(name), self.sentence(name))
            for name in self.steps
        ]
        return html_table(self._title, ("step", "array", "in NumPy", "in words"), rows)

    @property
    def _title(self) -> str:
        sizes = self.sizes
        batch = f"{sizes['B']} sequences, " if sizes["B"] > 1 else ""
        keys = f", {sizes['S']} keys" if self.memory is not self.inputs else ""
        title = (
            f"Trace: {batch}{sizes['T']} tokens{keys}, {sizes['H']} heads, scale {self.scale:.4g}"
        )
        # A causal mask in PyTorch's sense leaves the last query without a key.
        if self.mask is not None and (empty := int(self.empty_rows.sum())):
            title += f"; rows without a key: {empty} (where True hides in a mask, pass mask=~mask)"
        return title

    if not TYPE_CHECKING:  # or each misspelt name would have a type

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(name_error(name, self.steps), name=name, obj=self)


def one_sequence(trace: Trace, place: int) -> Trace:
    """One sequence of a batch, as views of the same numbers."""
    if trace.sizes["B"] == 1:
        return trace
    part = slice(place, place + 1)
    arrays = {name: getattr(trace, name)[part] for name in trace.steps}
    if trace.memory is trace.inputs:
        arrays["memory"] = arrays["inputs"]  # the same array, because this is self-attention
    for name in ("mask", "bias"):
        given = getattr(trace, name)
        if given is not None and given.ndim == 4 and len(given) > 1:
            arrays[name] = given[part]
    return replace(trace, **arrays)


def name_error(name: str, fields: Iterable[str]) -> str:
    """What an unknown field of a trace may mean.

    >>> name_error("attn_weights", ["scores", "probabilities"])
    "a Trace has no field 'attn_weights'; did you mean 'probabilities'?"
    """
    lowered, known = name.lower(), list(fields)
    meant = [one for one, others in OTHER_NAMES.items() if lowered in others.split()]
    meant = [one for one in meant if one in known] or get_close_matches(lowered, known, n=1)
    question = f"; did you mean {meant[0]!r}?" if meant else f"; it has {', '.join(known)}"
    return f"a Trace has no field {name!r}{question}"
