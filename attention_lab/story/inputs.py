"""The facts of the overview and of the tokens."""

from dataclasses import dataclass
from typing import Literal

from attention_core.projections import BIASES
from attention_core.trace import Trace

from ..choices import Run, edits_of, resolve
from ..focus import Focus
from ..heads.keys_read import ReadRow, read_row
from ..scenario import Scenario
from ..sentences import embedding_of
from ..words.embeddings import is_sum_of_words


@dataclass(frozen=True)
class OverviewFacts:
    """The layer in five sentences.

    row: what the query in focus reads. score: of the pair in focus. n_hidden: cells of the head
    that the mask hides, of n_cells. biases: the names of those that are added to queries, keys and
    values.
    """

    row: ReadRow
    score: float
    scale: float
    n_hidden: int
    n_cells: int
    biases: tuple[str, ...]


def overview_facts(trace: Trace, focus: Focus) -> OverviewFacts:
    """The facts of a layer at the cell in focus."""
    added = (name for name in BIASES[:3] if getattr(trace.projections, name) is not None)
    return OverviewFacts(
        read_row(trace, focus.head, focus.query, count=1),
        float(trace.scores[0, focus.head, focus.query, focus.key]),
        trace.scale,
        int(trace.hidden_keys[0, focus.head].sum()),
        trace.sizes["T"] * trace.sizes["S"],
        tuple(added),
    )


Origin = Literal["own", "encoder", "stream", "start", "by hand", "words"]


@dataclass(frozen=True)
class TokenFacts:
    """How a sentence became numbers.

    pieces_of: the model that cuts the sentence; "" for words. piece: the most letters of a piece; 0
    for whole words. origin: of the numbers: the user's own, a layer of the encoder or of the
    language model, the first layer of the latter ("start"), made by hand, or word vectors. layer:
    which one. positions: whether codes of positions are added. is_edited: whether cells hold other
    numbers. is_sum: whether the number in focus is that of its word plus that of its position.
    """

    pieces_of: str
    piece: int
    origin: Origin
    layer: int
    positions: bool
    is_edited: bool
    is_sum: bool


def token_facts(
    scenario: Scenario, trace: Trace, unedited: Trace, query: int, feature: int
) -> TokenFacts:
    """The facts of the inputs of a scenario, and of one number of a token. unedited: the layer
    before cells were edited. Raises: AttentionError.
    """
    run = resolve(scenario)
    scenario, embedding = run.chosen, embedding_of(run.chosen)
    is_made = is_sum_of_words(trace, embedding)
    is_edited = not is_made and any(one.matrix == "x" for one in edits_of(scenario).items)
    is_untouched = bool(embedding.inputs[query, feature] == trace.inputs[0][query, feature])
    return TokenFacts(
        run.model.name if run.model else "",
        scenario.piece,
        "own" if run.own.x is not None and not is_made else _origin(run),
        scenario.layer,
        scenario.positions,
        is_edited,
        is_sum_of_words(unedited, embedding) and is_untouched,
    )


def _origin(run: Run) -> Origin:
    if run.model and run.model.writes:
        return "stream" if run.chosen.layer else "start"
    if run.model:
        return "encoder"
    return "by hand" if run.handmade else "words"
