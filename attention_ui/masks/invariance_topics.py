"""The topics of the page about what the layer cannot see: an experiment each, with what it
shows in numbers.
"""

from __future__ import annotations

from .invariances import constants
from .score_variants import additive_scores, one_softmax_for_all
from .shuffles import shuffled
from .temperature import temperature, why_scale

TOPICS = {
    "shuffle": shuffled,
    "constants": constants,
    "temperature": temperature,
    "scale": why_scale,
    "additive scores": additive_scores,
    "one softmax": one_softmax_for_all,
}
