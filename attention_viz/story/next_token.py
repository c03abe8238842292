"""The step after the layer: what each part of the language model adds to the logits of the most
probable pieces, and their shares.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from attention_core.checks import Array
from attention_core.rules import RUNNING, Position, Rule, axis, read
from attention_lab.next_token import NextToken
from attention_lab.trained.language_text import limits_of
from attention_lab.words.numbers import format_number

from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON
from ..pieces import label_of

ADDED, LOGIT, SHARE, BEFORE = "added", "logits", "share", "share before"
SHARE_SIDE = Side("share", ("share",))
MOST_LOGITS = 4096  # that a board is sent
BAR_CELLS = 3.2  # the width of a bar, in cells of a number


def next_token_board(next_token: NextToken, head: int) -> JSON:
    """A row for each piece: what each part adds to its logit, the logit, and its share as a bar; of
    a layer that was changed the share before, too.
    """
    shown = list(next_token.shown)
    pieces, parts = Side("piece", next_token.pieces), Side("part", next_token.part_names)
    embedding_PD = next_token.run.decoder.unembedding[shown]
    features, parts_ND = Side("feature"), next_token.parts
    logits_X = next_token.run.logits[next_token.position]
    added = Rule("sum", (read("embedding", 0, RUNNING), read("parts", 1, RUNNING)), len(parts_ND.T))
    summed = Rule("sum", (read(ADDED, 0, RUNNING),), len(parts_ND))
    logit = partial(Matrix, rows=pieces, kind="logit")
    title, column = "what each part adds to the logit", Side("sum", ("logit",))
    products, sums = embedding_PD @ parts_ND.T, logits_X[shown, np.newaxis]
    matrices = [
        Matrix("embedding", embedding_PD, pieces, features, None, "embedding"),
        Matrix("parts", parts_ND, parts, features, None, "part"),
        logit(ADDED, products, columns=parts, place=(0, 0), title=title, rule=added),
        logit(LOGIT, sums, columns=column, place=(1, 0), title="logit", rule=summed),
        *_shares(next_token, pieces, logits_X),
    ]
    place = (
        next_token.part_names.index(name)
        if (name := f"head {head}") in next_token.part_names
        else 0
    )
    description = (
        f"What may follow: {len(shown)} pieces, each with what each part of the model adds to its"
        f" logit, the logit, and its share of all {len(logits_X):,}."
    )
    board = matrix_board(matrices, (ADDED, 0, place), description)
    roles = {ADDED: "operand", LOGIT: "result", SHARE: "total", BEFORE: "total"}
    for panel in board["panels"]:
        panel["role"] = roles[panel["array"]]
        if panel["array"] in (SHARE, BEFORE):
            panel["bars"] = BAR_CELLS
    return board


def _shares(next_token: NextToken, pieces: Side, logits_X: Array) -> list[Matrix]:
    """The shares as columns of bars."""
    shown, shares_X = list(next_token.shown), next_token.shares(next_token.run)
    if not next_token.is_touched:
        return share_matrices(SHARE, logits_X, shares_X, pieces, shown, 2, "share")
    shares, sides = next_token.shares(next_token.plain)[shown, np.newaxis], (pieces, SHARE_SIDE)
    says, kind = "Without your changes this piece gets the share", "probability"
    before = Matrix(BEFORE, shares, *sides, (2, 0), "share before", kind=kind, says=says)
    return [before, *share_matrices(SHARE, logits_X, shares_X, pieces, shown, 3, "share now")]


def share_matrices(
    name: str,
    logits_X: Array,
    shares_X: Array,
    pieces: Side,
    shown: list[int],
    place: int | None,
    title: str,
    logits: str = "all logits",
) -> list[Matrix]:
    """A column with the shares of some pieces, the softmax of all logits; and these logits, those
    of the shown pieces first, which are not drawn and of a large vocabulary left out. place: of the
    column, None if it is not drawn either. logits: the name of the array of all logits.
    """
    at = None if place is None else (place, 0)
    column = Matrix(
        name, shares_X[shown, np.newaxis], pieces, SHARE_SIDE, at, title, kind="probability"
    )
    if len(logits_X) > MOST_LOGITS:
        return [column]
    others = np.setdiff1d(np.arange(len(logits_X)), shown)
    every = np.concatenate([logits_X[shown], logits_X[others]])[np.newaxis]
    rule = Rule("softmax", (read(logits, Position(), RUNNING),), len(logits_X), own=axis(0))
    return [
        Matrix(logits, every, Side("all"), Side("logit"), None, logits, kind="logit"),
        replace(column, rule=rule),
    ]


# By whether the last norm takes off the mean first.
NORMS = {
    False: "its root mean square",
    True: "its standard deviation, after its mean is taken off",
}


def next_token_sentences(next_token: NextToken) -> tuple[tuple[str, str], ...]:
    """What follows the layer, part by part, each with a name and with the numbers of now."""
    decoder = next_token.run.decoder
    divisor = float(next_token.run.divisors[next_token.position])
    logit = format_number(float(next_token.run.logits[next_token.position, next_token.shown[0]]))
    layer = decoder.layers[next_token.layer]
    offset = "; an offset is added" * decoder.centred
    return (
        (
            "Residual",
            f"What the heads of layer {next_token.layer} give is added to the vector of the last"
            " token, which keeps all that was there before.",
        ),
        (
            "Feed-forward",
            "Then a network looks at each token alone, and adds its result, too. It holds"
            f" {layer.feed_forward.n_weights:,} of the numbers in the layer’s matrices, the"
            f" attention {layer.attention.n_weights:,}. So the vector at the end is a sum of parts;"
            " the picture shows what each of them adds.",
        ),
        (
            "Norm",
            f"The sum is divided by {NORMS[decoder.centred]}, here {format_number(divisor)}, and"
            f" multiplied by a gain for each feature{offset}.",
        ),
        (
            "Logits",
            f"Its dot product with the vector of each of the {len(decoder.unembedding)} pieces is"
            f" the logit of that piece: {logit} for “{label_of(next_token.pieces[0])}”. A softmax"
            " over all of them gives the shares.",
        ),
        (
            "How far to trust it",
            f"{limits_of(next_token.model)} A head that adds much is not “the” reason: the rest of"
            " the model answers when it is missing. A head that adds little can cost much when it"
            " is missing, because later parts read what it writes.",
        ),
    )
