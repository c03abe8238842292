"""How often a head matters: the same question over forty sentences of one form, in which a thing is
named and may be named again.

The names have as many pieces as “frog”, so that every token keeps its position and nothing but the
name changes. They were chosen before any was tried; the forms are three of six that were tried, in
which the model mostly says the name again.

N sentence, T token, X piece of the vocabulary.
"""

from dataclasses import dataclass

import numpy as np

from attention_core.checks import Array

from ..cache import cached
from .decoder import Decoder, Head, run_batch
from .generation import next_probabilities
from .language_model import ZERO, language_model
from .model_run import fillings
from .next_words import pieces_of

NAMES = (
    *("frog", "bunny", "wolf", "spider", "snake", "monkey", "puppy", "chick"),
    *("crab", "whale", "shark", "seal", "panda", "snail", "robin", "lizard"),
    *("camel", "donkey", "parrot", "eagle", "otter", "badger", "hamster", "rooster"),
    *("fairy", "prince", "baby", "robot", "teddy", "truck", "train", "clown"),
    *("pirate", "farmer", "doctor", "ghost", "monster", "giant", "cloud", "flower"),
)
FORMS = (
    "One day, a little {} was very sad. The",
    "Once there was a {} in the park. The",
    "Lily met a {}. The {} was fast. Lily and the",
)
HALF = 0.5  # a head matters where it is worth more than this part of the probability


@dataclass(frozen=True, eq=False)
class Evidence:
    """The probability that each name comes next, spelled as the text spells it, with a head and
    without it. Shapes: both (N,), in the order of NAMES.
    """

    form: int
    head: Head
    before: Array
    after: Array

    @property
    def left(self) -> Array:
        """What is left of each probability without the head; 1 if nothing changes. Shapes: (N,)."""
        left: Array = self.after / self.before
        return left

    @property
    def n_mattering(self) -> int:
        """In how many sentences less than half is left."""
        return int(np.count_nonzero(self.left < HALF))

    @property
    def median(self) -> float:
        """What is left in the sentence in the middle."""
        return float(np.median(self.left))

    @property
    def extremes(self) -> tuple[str, str]:
        """The names of which least and most is left."""
        return NAMES[int(self.left.argmin())], NAMES[int(self.left.argmax())]

    def rank(self, name: str) -> int:
        """How many names lose a larger part than this one."""
        return int(np.count_nonzero(self.left < self.left[NAMES.index(name)]))


@cached
def evidence_of(head: Head, form: int = 0, replaced_by: str = ZERO) -> Evidence:
    """The forty sentences of a form with a head and without it, in the model that comes with the
    app: another model cuts the names into other pieces. Raises: SettingsError.
    """
    model = language_model()
    means = model.head_means if replaced_by != ZERO else None
    without = model.decoder.without(fillings(model.decoder, means, [head]))
    before, after = (_shares(decoder, FORMS[form]) for decoder in (model.decoder, without))
    return Evidence(form, head, before, after)


def _shares(decoder: Decoder, form: str) -> Array:
    """The probability of each name after its sentence. Shapes: (N,)."""
    model = language_model()
    texts = [model.encode(form.format(*[name] * form.count("{}"))) for name in NAMES]
    names = np.array([model.encode(name)[1:] for name in NAMES])
    n_text, n_name = len(texts[0]), names.shape[1]
    ids_NT = np.concatenate([np.array(texts), names], axis=1)
    _, stream_NTD = run_batch(decoder, ids_NT)
    logits_NTX = decoder.logits(stream_NTD[:, n_text - 1 :])
    letters, shares = pieces_of(model.tokenizer.pieces).letters, []
    for logits_TX, name in zip(logits_NTX, names, strict=True):
        shares_TX = np.array([next_probabilities(one) for one in logits_TX])
        spelled = shares_TX[np.arange(n_name), name].prod()
        shares.append(spelled * (1 - shares_TX[-1, letters].sum()))
    return np.array(shares)
