"""Claims that are often made about language models, each tried on the one that comes with the app:
260 thousand numbers that write children's stories in English. What fails in it is not true in
general; what holds in it need not hold in a large model.
"""

from collections.abc import Sequence

from ...trained.decoder import Head
from ...trained.generation import KeyValueCache, draw
from ...trained.language_model import language_model
from ...trained.model_run import LanguageModelRun
from .record import Measured, max_difference

LAYER, NEEDED_HEAD, LOOKING_HEADS = 4, 4, (2, 3, 4)
F_PLACE = 6  # where the "f" of the frog stands
N_DRAWS = 1000
FROG = "One day, a little frog was very sad. The"


def _run(without: Sequence[Head] = ()) -> LanguageModelRun:
    model = language_model()
    return model.run(model.encode(FROG), without)


def a_large_share_is_the_reason() -> Measured:
    """The share of the next piece without each of three heads that look mostly at one piece."""
    run = _run()
    piece = run.ids[F_PLACE]
    looks = [run.traces[LAYER].probabilities[0, head, -1, F_PLACE] for head in LOOKING_HEADS]
    without = {head: _run([(LAYER, head)]).probabilities()[piece] for head in LOOKING_HEADS}
    whole, least = run.probabilities()[piece], min(looks)
    shares = ", ".join(f"{share:.0%} without head {head}" for head, share in without.items())
    kept = [abs(share - whole) < 0.05 for share in without.values()]
    one_is_needed = without[NEEDED_HEAD] < whole / 5
    return Measured(
        not any(kept), bool(least > 0.5 and any(kept) and one_is_needed), FROG, whole, least, shares
    )


def added_is_lost() -> Measured:
    """What one head adds to the logit of the next piece, and how far the logit falls without it."""
    run, head = _run(), (LAYER, NEEDED_HEAD)
    piece = run.ids[F_PLACE]
    parts, logit = run.contributions(piece, against=None), run.logits[-1, piece]
    added, lost = parts["head", LAYER, NEEDED_HEAD], logit - _run([head]).logits[-1, piece]
    _, response, norm = run.loss(head, piece, against=None)
    gap = max_difference(sum(parts.values()), logit)
    falls_less = bool(added > lost + 1 > 2)
    claimed, corrected = bool(abs(added - lost) < 1e-9), gap < 1e-9 and falls_less
    return Measured(claimed, corrected, added, logit, lost, -response, -norm, len(parts), gap)


def the_most_probable_word() -> Measured:
    """How often the most probable piece is drawn, at the temperatures 1 and 0."""
    run, place = _run(), len(_run().ids)
    best = int(run.logits[-1].argmax())
    warm, cold = (
        sum(draw(run.probabilities(temperature), seed, place) == best for seed in range(N_DRAWS))
        for temperature in (1.0, 0.0)
    )
    share = run.probabilities()[best]
    is_by_share = abs(warm / N_DRAWS - share) < 0.05
    is_right = is_by_share and cold == N_DRAWS
    return Measured(warm == N_DRAWS, is_right, share, N_DRAWS, warm, cold)


def a_cache_is_not_exact() -> Measured:
    """The logits of a run against those of one token after the other, with the cache; also where
    the positions of each step begin at 0.
    """
    run = _run()
    right, wrong = (
        KeyValueCache(language_model().decoder, len(run.ids), restarts=restarts)
        for restarts in (False, True)
    )
    gaps = [
        max_difference([kept.extend([one]).logits[0] for one in run.ids], run.logits)
        for kept in (right, wrong)
    ]
    return Measured(gaps[0] > 1e-9, gaps[0] < 1e-9 and gaps[1] > 0.1, len(run.ids), gaps)
