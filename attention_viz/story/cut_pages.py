"""What the steps say below their stages that multiply with weights, cut heads and join them."""

from attention_core.derivation import Derivation
from attention_lab.notation.formulas import output_without_w_o
from attention_lab.notation.notation import axis_name, axis_names
from attention_lab.page_list import page_of
from attention_lab.story.cuts import (
    HEAD_FIELDS,
    PROJECTION_FACTORS,
    MergeFacts,
    OutputFacts,
    ProjectionFacts,
    SplitFacts,
    merge_facts,
    output_facts,
    projection_facts,
    split_facts,
)
from attention_lab.words.numbers import format_agreement, format_span

from .. import blocks as b
from .products import MAX_COLUMNS_SENT, head_window, output_window
from .step_page import derivation_line, step_page, swap_note, token
from .story_view import StoryView

# Of queries, keys and values: the colour, and the name of one row.
ONE_OF_THREE = {"queries": ("blue", "query"), "keys": ("red", "key"), "values": ("green", "value")}


def _projections(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    field, trace, words = view.which, view.trace, view.layout
    facts, (colour, one) = projection_facts(trace, field, view.focus), ONE_OF_THREE[field]
    source, matrix = PROJECTION_FACTORS[field]
    made, turned = view.symbol(field), view.symbol(matrix, on_board=True)
    width, sent = getattr(trace, field).shape[2], head_window(trace, field, view.focus.head)
    shown = list[b.Block]()
    if view.whole and sent != (0, width):
        span = format_span(slice(*sent), words.column)
        says = f"Width of {made}: {width} numbers. Shown: {span}, with those of head"
        shown = [b.caption(f"{says} {view.focus.head}.")]
    biased = ""
    if facts.has_bias:
        biased = f", plus number {facts.column} of {view.symbol(matrix.replace('w', 'b'))}"
    axis = trace.axes(field)[1]
    title = (
        f"**Head {view.focus.head}:** number {facts.feature} of the :{colour}[{one} of"
        f" {token(view, axis, facts.row)}] = the dot product of {words.row} {facts.row} of"
        f" {view.symbol(source)} and {words.column} {facts.column} of {turned}{biased}"
    )
    line = derivation_line(derivation, title)
    return [*shown, b.Text(_what_a_head_reads(view, facts)), line]


def _what_a_head_reads(view: StoryView, facts: ProjectionFacts) -> str:
    field, words, head = view.which, view.layout, view.focus.head
    (source, matrix), (colour, _) = PROJECTION_FACTORS[field], ONE_OF_THREE[field]
    made, turned = view.symbol(field), view.symbol(matrix, on_board=True)
    block = f":{colour}[{format_span(facts.block, words.column)}]"
    divided = (
        f"what the heads divide is not the *embedding* but the {words.column}s of :{colour}[{made}]"
    )
    if facts.copies:
        copied = f":{colour}[{format_span(facts.block, 'feature')}] of {facts.n_features}"
        return (
            f"**Here {view.symbol(matrix)} is the identity,** so {made} = {view.symbol(source)},"
            f" and head {head} gets a plain copy of {copied}. Only then is the embedding itself cut"
            " into heads; with other weights a head can read all of it."
        )
    if facts.n_read == facts.n_features:
        return (
            f"**Every number of head {head} reads the whole embedding.** Its block of {turned} has"
            f" {block}, but **every {words.row}** ({facts.n_read} of {facts.n_features}). So the"
            f" whole vector of a token goes into it: {divided}."
        )
    return (
        f"**Here head {head} reads {facts.n_read} of {facts.n_features} features.** Its block of"
        f" {turned} has {block}; in the {words.row}s of the other features all its weights are 0. A"
        f" head can read every feature: {divided}."
    )


PROJECTIONS = step_page("projections", _projections)


def _split(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    facts = split_facts(view.batch, view.which, view.focus, view.sequence)
    (colour, one), axis = ONE_OF_THREE[view.which], view.trace.axes(derivation.field)[2]
    row, feature = derivation.index[2:]
    title = (
        f"**Head {view.focus.head}:** number {feature} of the :{colour}[{one} of"
        f" {token(view, axis, row)}] is moved, not computed"
    )
    return [
        *swap_note(view),
        *_shapes(view, facts),
        b.Folded(
            "Do more heads mean more weights, and why not a head for every feature?",
            [b.Text(_widths(facts, view.layout.row))],
        ),
        derivation_line(derivation, title),
    ]


def _shapes(view: StoryView, facts: SplitFacts) -> list[b.Block]:
    """The shapes on the way, where the number in focus is, and what a forgotten swap does."""
    field, (colour, _) = HEAD_FIELDS[view.which], ONE_OF_THREE[view.which]
    axes, names = view.trace.axes(field), axis_names(view.trace, view.notation)
    n_batch, n_heads, n_tokens, width = facts.shape
    batch, h, t, k = (names[axis] for axis in axes)
    wide = axis_name(f"{axes[1]}·{axes[3]}", names)
    apart, places = f"({batch}, {h}, {t}, {k})", facts.places
    rows = [
        (
            f"**1** fused :{colour}[{view.which}]",
            f"({batch}, {t}, {wide}) = ({n_batch}, {n_tokens}, {n_heads * width})",
            places.fused,
        ),
        (
            f"**2** reshape: cut each token's numbers into {n_heads}",
            f"({batch}, {t}, {h}, {k}) = ({n_batch}, {n_tokens}, {n_heads}, {width})",
            places.reshaped,
        ),
        ("**3** swap: the head comes before the token", f"{apart} = {facts.shape}", places.swapped),
        ("**✗** reshape straight to the shape of 3", f"{apart} = {facts.shape}", places.unswapped),
    ]
    lines = [(stage, shape, str(list(place))) for stage, shape, place in rows]
    head = ("stage", "shape in NumPy", "the pinned number is at")
    if facts.n_foreign:
        wrong = (
            f"**The classic mistake** is to reshape straight to {apart}. The shape is right and no"
            " error is raised, but a reshape keeps the numbers in their old order. Cells that then"
            f" hold a number of another token: **{facts.n_foreign} of {facts.n_cells}**. Each"
            " “head” is then a mixture of heads."
        )
        return [b.Table(head, lines, words=True), b.Note(wrong, "wrong")]
    none = "With one head, or one token, there is nothing to swap: here the reshape alone is right."
    return [b.Table(head, lines, words=True), b.Note(none)]


def _widths(facts: SplitFacts, row: str) -> str:
    can = "So a head of this layer could make every pattern."
    if facts.is_narrow:
        can = "A head of this layer is narrower."
    return (
        "**Heads that divide the embedding size share the same matrices:** more heads cut them into"
        f" narrower blocks and add no weights. Weights of this layer: {facts.n_weights:,}. Only if"
        " you set the head width yourself do more heads bring more weights.\n\n**But narrow heads"
        f" can do less.** A head’s queries and keys have {facts.width} features here, so the rank"
        f" of its scores is at most {facts.rank}. For n keys a width of n − 1 is enough to make"
        f" every pattern of shares, because a number added to a whole {row} of scores changes no"
        f" share: here {facts.enough}. {can} A head that is narrower than that cannot make every"
        " pattern (the *low-rank bottleneck*, Bhojanapalli et al. 2020). With a single feature, a"
        " score is the product of two numbers: every query ranks the keys in the same order or in"
        " its reverse."
    )


SPLIT = step_page("split", _split)


def _merge(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    trace, words, focus = view.trace, view.layout, view.focus
    facts, n_heads = merge_facts(trace, focus), trace.sizes["H"]
    (row, column), d_v = facts.place, trace.sizes["V"]
    right = (
        "**✓ Right: swap, then reshape.** The numbers of head"
        f" {focus.head} become a **block of {words.column}s**. The pinned number moves from [head,"
        f" token, feature] = [{focus.head}, {focus.query}, {facts.feature}] to {words.row} {row},"
        f" {words.column} {focus.head} · {d_v} + {facts.feature} = **{column}**: it stays with"
        f" :blue[{token(view, 'T', focus.query)}]."
    )
    title = f"Number {column} of the merged {words.row} {row}, copied"
    return [
        *swap_note(view),
        b.Beside(([b.Text(right)], [b.Text(_reshaped(view, facts))]), (1, 1)),
        *_cut(facts.is_cut, "a head’s vector", d_v, focus.feature, facts.feature),
        _swap_matters(facts),
        *([b.Text(_mixes_nothing(view))] if n_heads > 1 else []),
        derivation_line(derivation, title),
    ]


def _cut(is_cut: bool, what: str, width: int, asked: int, shown: int) -> list[b.Block]:
    """That a feature does not exist, if it does not."""
    says = f"Features of {what}: {width}. Feature {asked} does not exist here, so feature {shown}"
    return [b.caption(f"{says} is shown.")] if is_cut else []


def _reshaped(view: StoryView, facts: MergeFacts) -> str:
    words, (row, column) = view.layout, facts.wrong_place
    lands = {
        "right": (
            "That happens to be its right place. For the first and the last number it always is."
        ),
        "other head": f"The {words.row} is right, but the {words.column}s belong to another head.",
        "other token": f"That is the {words.row} of {token(view, 'T', row)}.",
    }[facts.lands]
    return (
        f"**✗ Wrong: reshape alone.** The numbers of head {view.focus.head} fill the matrix **one"
        f" after the other**, {words.row} by {words.row}. The pinned number lands in {words.row}"
        f" {row}, {words.column} {column}. {lands}"
    )


def _swap_matters(facts: MergeFacts) -> b.Block:
    if facts.n_wrong:
        return b.Text(
            f"Without the swap, **{facts.n_wrong:,} of {facts.n_cells:,}** cells hold a wrong"
            " number. The shape is right and no error is raised: that is why this mistake is so"
            " common. A reshape reads the numbers in the order of the axes: head, token, feature."
            " The swap makes it token, head, feature, so that one token’s numbers of all heads"
            " follow each other."
        )
    if facts.has_swap:
        same = "each number in a wrong cell equals the right number, so you see no difference"
        return b.Note(f"Here {same}.")
    return b.Note(
        "With one head or one token there is nothing to swap: both ways give the same matrix."
    )


def _mixes_nothing(view: StoryView) -> str:
    w_o = view.symbol("w_o")
    mixes = f"In the next step {w_o} mixes them."
    if view.trace.projections.w_o is None:
        mixes = f"In the next step {w_o} would mix them, but this layer has no {w_o}."
    return (
        "**Merging mixes nothing.** Every number of the merged matrix is a copy of one number of"
        f" one head. {mixes}"
    )


MERGE = step_page("merge", _merge, beside=("head_outputs",))


def _output(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    trace, query = view.trace, view.focus.query
    column = view.focus.within(trace, "output").feature
    facts, sizes = output_facts(trace, view.focus.head, column), trace.sizes
    title = f"Number {column} of the :violet[output] of :blue[{token(view, 'T', query)}]"
    widths = (
        f"Numbers for each token: {sizes['D']} in the input, {sizes['O']} in the output. The sizes"
        " differ, so the input cannot be added to the output."
    )
    span = format_span(slice(*output_window(trace, column)), view.layout.column)
    is_cut = view.whole and sizes["O"] > MAX_COLUMNS_SENT
    agree = format_agreement(facts.gap, facts.rounding)
    practice = page_of("practice")
    return [
        _made_of(view, facts, column),
        *([] if facts.fits else [b.Text(widths)]),
        *([b.caption(f"Shown: {span} of {sizes['O']}.")] if is_cut else []),
        derivation_line(derivation, title),
        b.Heading("The same output, head by head"),
        b.Text(_head_by_head(view, facts)),
        b.Note(f"Checked for all numbers of all tokens: the two ways {agree}.", "right"),
        *([b.Folded("Could heads simply be added?", _added(view, facts))] if facts.has_w_o else []),
        b.Link(practice.question, practice.url_path),
    ]


def _made_of(view: StoryView, facts: OutputFacts, column: int) -> b.Block:
    """What a number of the output is made of."""
    words, turned = view.layout, view.symbol("w_o", on_board=True)
    more = [view.symbol("b_o")] if facts.has_bias else []
    more += ["the layer’s input (residual)"] if facts.residual else []
    added = "".join(f" Then {part} is added." for part in more)
    if not facts.has_w_o:
        return b.Note(
            f"This layer has no {view.symbol('w_o')}: its output is made of the merged"
            f" heads.{added} Each head keeps its {words.column}s, and numbers of different heads"
            " are not mixed."
        )
    zeros = ""
    if facts.n_mixed < facts.n_heads:
        zeros = (
            f" In the {words.row}s of the other heads, this {words.column} of {turned} holds only"
            " 0."
        )
    return b.Text(
        "Before this step the heads have not met. Each number of the output is the dot product of a"
        f" token’s whole merged {words.row}, with the numbers of **all heads**, and one"
        f" {words.column} of {turned}. Heads that take part in number {column}: **{facts.n_mixed}"
        f" of {facts.n_heads}**.{zeros}{added}"
    )


def _head_by_head(view: StoryView, facts: OutputFacts) -> str:
    words, turned = view.layout, view.symbol("w_o", on_board=True)
    if not facts.has_w_o:
        return f"Each head fills its own {words.column}s and adds 0 to the others."
    return (
        f"There are two ways with the same result. Either the heads are laid {words.side_by_side}"
        " and multiplied once; or each head is multiplied by its own block of"
        f" {view.symbol('w_o')}, and the results are added. The block of head {view.focus.head}:"
        f" {format_span(facts.block, words.row)} of {turned}. So the output is a sum over the"
        " heads. The last matrix of the board shows what each head adds to the"
        f" {words.row} you point at."
    )


# What the layer without W_O stores, compared with W_V and W_O.
STORES = {
    "more": "more numbers, though",
    "as many": "as many numbers",
    "fewer": "even fewer numbers",
}


def _added(view: StoryView, facts: OutputFacts) -> list[b.Block]:
    """The layer that adds its heads and has no W_O of its own."""
    h, d_in, n_out, d_v = (view.trace.sizes[letter] for letter in "HMOV")
    w_o, stored = view.symbol("w_o"), facts.stored
    agree = format_agreement(facts.absorbed_gap, facts.rounding)
    return [
        b.Text(
            f"Yes: multiply each head’s value matrix by its own block of {w_o} first. Then every"
            f" value is as wide as the output ({n_out}), nothing is joined, and no separate {w_o}"
            " is left:"
        ),
        b.Formula(output_without_w_o(view.trace, view.notation)),
        b.Text(
            "So code that adds its heads and has no output matrix can be right: computed in both"
            f" ways, the outputs {agree}. It stores {STORES[stored.compared]}: {h} · {d_in} ·"
            f" {n_out} = **{stored.products:,}** in the value matrices, against"
            f" **{stored.apart:,}** in {view.symbol('w_v')} and {w_o} together. The rank of each"
            f" does not grow: it is at most {view.symbol('d_v')} = {d_v}."
        ),
    ]


OUTPUT = step_page("output", _output, beside=("merged",))
