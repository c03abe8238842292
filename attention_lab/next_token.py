"""What the language model says after the sentence of a scenario: with the layer as the choices make
it, and all later layers computed again, beside the model as it is.

T token, D model feature, N part, P piece of those that are shown, X piece of the vocabulary.
"""

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array

from .cache import cached
from .choices import resolve
from .scenario import Scenario, trace_of
from .sentences import in_batch, tokens_of
from .trained.allowed_models import writing_model
from .trained.decoder import BIAS, FEED_FORWARD, HEAD
from .trained.generation import next_probabilities
from .trained.language_text import language_run
from .trained.model_run import LanguageModelRun
from .weight_kinds import LANGUAGE_MODEL

N_SHOWN = 10  # pieces


@dataclass(frozen=True, eq=False)
class NextToken:
    """The next token of one sentence.

    run: with the layer as it was chosen; plain: the model as it is. position: of the last piece.
    layer: the one that is shown. shown: the ids of the pieces with the largest shares before or
    now, the most probable one first. model: the name of the one that speaks.
    """

    run: LanguageModelRun
    plain: LanguageModelRun
    position: int
    layer: int
    shown: tuple[int, ...]
    model: str

    @property
    def is_touched(self) -> bool:
        """Whether the choices change what the model says."""
        return self.run is not self.plain

    @property
    def pieces(self) -> tuple[str, ...]:
        """The pieces that are shown."""
        return tuple(self.run.vocabulary[one] for one in self.shown)

    def shares(self, run: LanguageModelRun) -> Array:
        """The share of every piece to come next. Shapes: (X,)."""
        return next_probabilities(run.logits[self.position])

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of the sum: all before this layer, its heads, its feed-forward part, the bias
        of its attention if it has one, all later layers, and the offset of the last norm.
        """
        n_heads = self.run.traces[self.layer].sizes["H"]
        decoder, is_last = self.run.decoder, self.layer == len(self.run.traces) - 1
        parts = {
            "bias": decoder.layers[self.layer].output_bias is not None,
            "later layers": not is_last,
            "offset": decoder.centred,
        }
        heads = (f"head {head}" for head in range(n_heads))
        return ("before", *heads, "feed-forward", *(name for name, has in parts.items() if has))

    @property
    def parts(self) -> Array:
        """The vectors of the parts, times the gain of the last norm and divided by its divisor: a
        logit is the dot product of their sum with the embedding of its piece. Shapes: (N, D).
        """
        names, parts_ND = self.run.parts(self.position)
        norm = self.run.decoder.last_norm
        first, last = names.index((HEAD, self.layer, 0)), names.index((FEED_FORWARD, self.layer))
        last += (BIAS, self.layer) in names
        before_ND, own_ND, later_ND = np.split(parts_ND, [first, last + 1])
        grouped = [before_ND.sum(axis=0), *own_ND]
        if len(later_ND):
            grouped.append(later_ND.sum(axis=0))
        divisor = self.run.divisors[self.position]
        summed_ND = np.array(grouped)
        if norm.offset is not None:
            summed_ND -= summed_ND.mean(axis=1, keepdims=True)
        scaled_ND: Array = summed_ND * (norm.gain / divisor)
        if norm.offset is not None:
            scaled_ND = np.concatenate([scaled_ND, norm.offset[np.newaxis]])
        return scaled_ND


@cached
def next_token_of(scenario: Scenario) -> NextToken:
    """What the language model says after the first sentence of a scenario. Raises: AttentionError.

    >>> frog = "One day, a little frog was very sad. The"
    >>> next_token_of(Scenario(frog, weights="language model", layer=4)).pieces[:2]
    (' f', ' s')
    """
    one = resolve(in_batch(replace(scenario, weights=LANGUAGE_MODEL.name), 0)).chosen
    plain = run = language_run(one.text, one.n_tokens, one.model)
    trace = trace_of(one)
    if not np.array_equal(trace.output, plain.traces[one.layer].output):
        run = writing_model(one.model).rerun(plain, replaced=(one.layer, trace))
    position = tokens_of(one).n_real - 1
    shares_X = [next_probabilities(made.logits[position]) for made in (plain, run)]
    shown = np.argsort(-np.maximum(*shares_X), kind="stable")[:N_SHOWN]
    return NextToken(run, plain, position, one.layer, tuple(map(int, shown)), one.model)
