"""The page *One matrix or many*: four ways to compute the scores of all heads, counted and
measured; two designs, what can run at once, and the projections as convolutions.
"""

from collections.abc import Sequence

from attention_core import STEPS
from attention_lab.cache import cached
from attention_lab.heads.counts import LayerSize, layer_size
from attention_lab.heads.matrix_facts import MatrixFacts, matrix_facts
from attention_lab.heads.score_schemes import SCHEMES, measure_schemes

from .. import blocks as b
from ..block_page import page_of_facts
from ..markdown import escape_markdown
from ..page_choices import Select, Words, by_name
from ..story.per_head import pair_board, value_pair_board
from ..story.story_view import StoryView
from .count_figures import SIZE_TITLES, scheme_counts, scheme_memory, scheme_times

COUNT_NAMES = {
    "multiplications": "multiplications",
    "additions": "additions",
    "extra numbers": "extra",
}
NAMES_OF_COUNTS = ("objects", "calls", "numbers copied", "multiplications")  # `DESIGN_COUNTS`
SIZE_LETTERS = [letter for letter in SIZE_TITLES if letter != "G"]
LETTER = Select("ways_letter", "Growing size", "h", by_name(SIZE_LETTERS), "buttons")
COUNT = Select("ways_count", "Count", "multiplications", by_name(COUNT_NAMES), "buttons")
MEASURED = Words("ways_measured", "Sizes that are measured", "", most=60)
measured_schemes = cached(measure_schemes)


def _facts(view: StoryView, _: b.Values) -> MatrixFacts:
    return matrix_facts(view.trace, view.focus.head)


def _blocks(view: StoryView, values: b.Values, facts: MatrixFacts) -> Sequence[b.Block]:
    """A pair of tokens in all heads, four ways to its scores, then designs, order and sizes."""
    return [
        b.Text(
            "One pair of tokens in all heads at once. The matrix product multiplies **every head"
            " with every head**, but only the framed diagonal is needed. The Hadamard product"
            " (**number by number**, ⊙), summed for each head, gives these scores and nothing"
            " else."
        ),
        b.Board(pair_board(view.stage, view.focus.cell("query", "key")), "ways pair", fits=True),
        b.Heading("Four ways, the same numbers"),
        *_four_ways(view, facts),
        b.Heading("An object for each head, or one for all"),
        *_designs(facts),
        b.Heading("What can run at once, and what must wait"),
        *_schedule(view, facts),
        b.Heading("The values, number by number"),
        *_value_of_pair(view, facts),
        b.Heading("One head, and all heads in one array"),
        *_array_sizes(view, facts),
        b.Heading("The projections as convolutions"),
        *_convolutions(view, facts),
        b.Heading("As the layer grows"),
        *_growth(layer_size(view.trace), values),
    ]


def _four_ways(view: StoryView, facts: MatrixFacts) -> list[b.Block]:
    """What each way takes, and how far its scores are from those of the layer."""
    size, rows = layer_size(view.trace), []
    for way, of_way in zip(SCHEMES, facts.ways, strict=True):
        formulas = [one.formula for one in (way.multiplications, way.additions, way.extra)]
        cells = [f"${one}$ = {n}" for one, n in zip(formulas, of_way.counts, strict=True)]
        rows.append([f"**{of_way.name}**", *cells, str(of_way.difference or 0)])
    return [
        b.Table(["way", "multiplications", "additions", "extra numbers", "difference"], rows),
        b.caption(
            f"{view.own_letters}Sizes: tokens n = {size.n_tokens}, heads h = {size.n_heads}, d_k ="
            f" {size.d_k}. Extra numbers are in memory besides the result, which has h · n²"
            " numbers. Difference: the largest one from the scores of this layer, divided by the"
            " largest score, 0 up to rounding. Tokens compared:"
            f" {facts.compared} of {facts.tokens}."
        ),
        b.Note(
            f"{facts.wasted} of the full product is not needed"
            " (1 − 1/h). The Hadamard product wastes no multiplication, but holds every product"
            " before it is summed. This app uses the second way: one call with the head as one"
            " more axis."
        ),
        b.Folded(
            "What each way does",
            [
                b.Text("\n".join(f"- **{way.name}:** {way.description}" for way in SCHEMES)),
                b.caption(
                    "The full product and the Hadamard product: MQL5 book, chapter on multi-head"
                    " self-attention."
                ),
            ],
        ),
    ]


def _designs(facts: MatrixFacts) -> list[b.Block]:
    """An attention object for each head beside one for all heads, counted as the book counts."""
    designs = (f"an object for each head: {facts.heads}", "one object for all heads")
    rows = [
        [f"**{name}**", *map(str, counts)]
        for name, counts in zip(designs, facts.designs, strict=True)
    ]
    names = zip(facts.more, NAMES_OF_COUNTS, strict=True)
    compared = ", ".join(f"**{more}** {name}" for more, name in names)
    return [
        b.Text(
            "The naive design has an attention object for each head. They run one after the other,"
            " and their outputs are copied into one array. One object for all heads has arrays for"
            " all of them, and each head writes its part. An object for each head takes"
            f" {compared}."
        ),
        b.Table(["design", *NAMES_OF_COUNTS], rows),
        b.caption(
            "Objects, as the MQL5 book has them: layers of queries, keys and values, the weights,"
            " the result; then the array that joins the heads, and the output matrix. Calls: three"
            " projections, scores, their division, softmax, mixing; then joining and output."
            " Counted without masks, positions and biases. Separate heads cannot share keys and"
            " values. Fewer calls do not mean less work: compare the multiplications."
        ),
    ]


def _schedule(view: StoryView, facts: MatrixFacts) -> list[b.Block]:
    """The steps by the moment in which they can run, and the longest chain."""
    rows = []
    for box in facts.boxes:
        counts = (box.moment, box.parts, box.multiplications, box.exponentials)
        name = f"**{_symbol(view, box.field)}** {STEPS[box.field].title}"
        rows.append([name, *map(str, counts)])
    head = ["step", "moment", "boxes at once"]
    return [
        b.Text(
            "Every step runs as early as the steps allow whose numbers it reads. The boxes of one"
            " step, one for each head, can run at the same time. Heads never wait for each other;"
            " the merge waits for all of them."
        ),
        b.Table([*head, "multiplications of each", "exponentials of each"], rows),
        b.caption(
            f"Moments: {facts.depth}; more heads do not add any. Multiplications of all boxes:"
            f" {facts.all}; of the longest chain of boxes that wait for each other:"
            f" {facts.chain}. If each box runs on one worker, more workers cannot be"
            " faster than this chain. A split, or a mask that hides nothing, takes no moment."
        ),
        b.Text(
            "**Tokens:** in training all tokens are known and go through these moments together. In"
            " generation a token is known only after the one before it went through all moments."
            f" With n = {facts.tokens} tokens, moments in training: {facts.depth}; in generation:"
            f" {facts.tokens} × {facts.depth} = {facts.generated}."
        ),
    ]


def _value_of_pair(view: StoryView, facts: MatrixFacts) -> list[b.Block]:
    """The value of one token in all heads times its weights for one query."""
    feature = view.focus.within(view.trace, "head_outputs").feature
    board = value_pair_board(view.stage, view.focus.cell("query", "key"), feature)
    return [
        b.Text(
            "The values need no matrix product either. The value of one token has a part for each"
            " head; each part is multiplied by the weight of its head (⊙). The sum over all keys is"
            " what the query gets, again a part for each head. Heads:"
            f" {facts.heads}."
        ),
        b.Board(board, "ways value"),
    ]


def _array_sizes(view: StoryView, facts: MatrixFacts) -> list[b.Block]:
    """The arrays of one head, and those of all heads in one array."""
    turn = {"row": 1, "column": -1}[view.notation.convention]
    rows = []
    for array in facts.arrays:
        one, all_of_them = (f"{m} × {n}" for m, n in (array.one[::turn], array.fused[::turn]))
        cells = [one, str(array.numbers_of_one), all_of_them, str(array.numbers_of_all)]
        rows.append([f"**{_symbol(view, array.name)}**", *cells])
    all_heads = f"all heads: {facts.heads}"
    return [
        b.Table(["", "one head", "numbers", all_heads, "numbers"], rows),
        b.caption(
            "Weights and results of all heads are one array: every head adds features. The inputs"
            f" are the same array for all heads. Sets of keys and values: {facts.groups}."
        ),
    ]


def _convolutions(view: StoryView, facts: MatrixFacts) -> list[b.Block]:
    """Each projection as a convolution whose window is one token, compared with the layer."""
    w_o, head, (queries, *_) = _symbol(view, "w_o"), facts.head, facts.convolutions
    rows = [
        [f"**{_symbol(view, one.field)}**", *map(str, one.sizes), str(one.difference or 0)]
        for one in facts.convolutions
    ]
    names = ["", "window, one head", "filters", "window, all heads", "filters", "difference"]
    return [
        b.Text(
            "A projection does the same to every token. So it is a convolution whose window is one"
            " token; each output feature is a filter. More heads are **more filters** in the same"
            f" layer, not more layers. The product with {w_o} is a convolution, too. It reads the"
            " joined heads: more heads are a **wider window**, and its filters stay as many as the"
            " output has features."
        ),
        b.Table(names, rows),
        b.caption(
            "The buffer holds all tokens one after the other:"
            f" {facts.tokens} × {queries.sizes[2]} numbers; for {w_o}, the joined"
            " heads. A step is as wide as the window. A loop over the windows computes the"
            f" convolution, for head {head} and for all heads. Difference: the largest one from the"
            " projection of this layer, 0 up to rounding. With one head, the product with"
            f" {w_o} is compared with what this head adds to the output."
        ),
    ]


def _growth(size: LayerSize, values: b.Values) -> list[b.Block]:
    """A count of the four ways as a size grows, and their time and memory, once measured."""
    letter = values[LETTER.key]
    figure = scheme_counts(size, letter, COUNT_NAMES[values[COUNT.key]])
    now = ".".join([letter, *map(str, vars(size).values())])
    is_measured = values[MEASURED.key] == now
    runs = measured_schemes(size, letter) if is_measured else ()
    told = "Nothing has been measured yet, or other sizes have: it takes at most a few seconds."
    if is_measured:
        told = (
            "Measured where this page is computed, with random queries and keys: the fastest of"
            " three runs, and the most memory used at once, with the result. Sizes beyond 32 MB or"
            " about a tenth of a second are left out. Counts are not time: compare ways with equal"
            " counts."
        )
    times, memory = (
        [b.Chart(figure_of(runs, letter), name)]
        for figure_of, name in ((scheme_times, "ways times"), (scheme_memory, "ways memory"))
    )
    return [
        b.row(values, LETTER, COUNT),
        b.Chart(figure, "ways counts", wide=True),
        b.caption(
            "Both axes are logarithmic; the rings are this layer. As C or h grows, d_k = C/h. Lines"
            " of equal counts lie on each other. A count of 0 cannot be drawn on a logarithmic"
            " axis."
        ),
        b.Button("Measure time and memory here", {MEASURED.key: now}, is_off=is_measured),
        *([b.Beside((times, memory), (1, 1))] if runs else []),
        b.caption(told),
    ]


def _symbol(view: StoryView, name: str) -> str:
    """A matrix in the chosen notation, as Markdown."""
    return escape_markdown(view.written(name))


ONE_MATRIX = page_of_facts(
    "one-matrix-or-many", lambda _: (LETTER, COUNT, MEASURED), _facts, _blocks
)
