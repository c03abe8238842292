"""What the steps *Softmax* and *Mixing* say below their stages."""

from functools import partial

from attention_core.derivation import Derivation
from attention_lab.masks.mistakes import DROPOUT_RATE
from attention_lab.notation.element_wise import output_of_element, weights_of_element
from attention_lab.notation.texts import NOTE
from attention_lab.story.scores import (
    MixingFacts,
    SoftmaxFacts,
    mixing_facts,
    softmax_facts,
    temperature_facts,
)
from attention_lab.words.numbers import format_number, format_percent

from .. import blocks as b
from ..masks import temperature as figures
from ..page_choices import Select, by_name
from .step_page import derivation_line, pair, step_page, token
from .story_view import StoryView

TEMPERATURE = Select(
    "inv_temperature",
    "Temperature",
    "0.5",
    by_name(("0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20")),
    "scale",
)


def _softmax(view: StoryView, values: b.Values, derivation: Derivation) -> list[b.Block]:
    trace, focus = view.trace, view.focus
    facts = softmax_facts(trace, focus.head, focus.query)
    query = token(view, "T", focus.query)
    elements = weights_of_element(trace, *focus.cell("query", "key"))
    about = (
        f"The weights of :blue[{query}] in head {focus.head}: one number for each element, counted"
        " from 1 as in the note. The note’s element-wise formula lacks the softmax; it is added"
        " here."
    )
    return [
        _reads(view, facts, query),
        b.caption(_how(view, facts)),
        *_element_wise(view, elements, about),
        derivation_line(derivation, pair(view)),
        b.Folded("What happens if every key of a query is masked?", [b.Text(_empty(view, facts))]),
        b.Folded(
            "Why do the weights that I plot not sum to 1?", [b.Text(_dropout(view, facts, query))]
        ),
        b.Folded("What if a token needs nothing from the others?", _giving(facts, query)),
        b.Folded(
            "Sharper or flatter: move the temperature", partial(_temperature, view, values, query)
        ),
    ]


def _reads(view: StoryView, facts: SoftmaxFacts, query: str) -> b.Block:
    row, line = facts.row, view.layout.row
    if not row.strongest:
        says = f"sees no key, so its {line} is all 0 and sums to 0."
        return b.Note(f"In head {view.focus.head}, {query} {says}", "wrong")
    reads = [
        f"**{format_percent(share)}** from {token(view, 'S', key)}" for key, share in row.strongest
    ]
    rest = f" Other keys it reads: {row.others}." * bool(row.others)
    sink = " The sink takes the rest." * facts.has_sink
    return b.Text(
        f"In head {view.focus.head}, :blue[{query}] reads {', '.join(reads)}.{rest} The shares of"
        f" its {line} sum to {format_number(row.total, 6)}.{sink}"
    )


def _how(view: StoryView, facts: SoftmaxFacts) -> str:
    hidden = ""
    if facts.row.hidden:
        hidden = (
            f" Masked keys in this {view.layout.row}: {facts.row.hidden}. Their score is −∞, and"
            " its exponential is exactly 0."
        )
    return (
        f"The maximum of the {view.layout.row} is subtracted first. This changes no share, because"
        " numerator and denominator get the same factor; it only keeps the exponential from"
        f" overflowing.{hidden}"
    )


def _element_wise(view: StoryView, lines: tuple[str, ...], says: str) -> list[b.Block]:
    """The formula of one element with its numbers, in the notation of the lecture note only."""
    if not lines or view.notation is not NOTE:
        return []
    return [b.Heading("Element by element"), b.Text(says), *map(b.Formula, lines)]


def _empty(view: StoryView, facts: SoftmaxFacts) -> str:
    row = view.layout.row
    return (
        "Then the sum of the exponentials is 0, and the fraction would be 0 / 0. This app sets such"
        f" a {row} to zeros, so the token receives nothing from this head. PyTorch’s"
        " scaled_dot_product_attention does the same since version 2.5 (2024; before, it gave NaN,"
        " “not a number”). In version 2.13, torch.softmax gives NaN, and so does"
        " nn.MultiheadAttention with need_weights=True, its default. A NaN spreads to everything"
        f" that is computed from it. Such {row}s in this layer: {facts.n_empty}."
    )


def _dropout(view: StoryView, facts: SoftmaxFacts, query: str) -> str:
    row = view.layout.row
    sink = f"In this layer the sink takes a part of each {row}. In others, most" * facts.has_sink
    return (
        f"{sink or 'Most'} likely **dropout** is on. In training, nn.MultiheadAttention (PyTorch"
        " 2.13) sets each share to 0 with probability p, divides the others by 1 − p, and returns"
        " these weights."
        f" The mean of a share stays, but the {row} no longer sums to 1. In one draw with p ="
        f" {DROPOUT_RATE}, the {row} of {query} sums to **{format_number(facts.thinned, 3)}**."
        " After eval(), dropout is off. Or every key is masked: see above."
    )


def _giving(facts: SoftmaxFacts, query: str) -> list[b.Block]:
    """What a row gives that has nothing to take: softmax alone, a sink, a gate."""
    head = (
        *("all scores lowered by", "softmax alone gives", "with a sink of logit 0", "gate"),
        "length of the output",
    )
    rows = [
        (
            f"{one.lowered:g}",
            *(format_number(share, 3) for share in (one.alone, one.with_sink)),
            f"{one.gate:g}",
            format_number(one.gated, 3),
        )
        for one in facts.given
    ]
    return [
        b.Text(
            "**Softmax alone** must give: its shares sum to 1, however low all scores are. Trained"
            " heads then often give to the first token. **A sink** is one more logit of every query"
            " with no value behind it (gpt-oss; *Modern attention* in the sidebar): low scores"
            " leave the tokens little. **An output gate** multiplies the head's output by a number"
            " from 0 to 1 that the layer computes from the token (Qwen3-Next). With the scores of"
            f" {query}:"
        ),
        b.Table(head, rows),
    ]


def _temperature(view: StoryView, values: b.Values, query: str) -> list[b.Block]:
    """Every score divided by the same number: shares get sharper or flatter; their order stays."""
    temperature, trace, focus = float(values[TEMPERATURE.key]), view.trace, view.focus
    sink = " or the sink" * (trace.sink is not None)
    facts, wide = temperature_facts(trace, focus, temperature), view.symbol("d_k")
    (share, shared), (tokens, tokens_then) = facts.share, facts.tokens
    board = figures.temperature_board(
        trace, facts.shares, temperature, focus.cell("query", "key"), view.notation
    )
    return [
        b.row(values, TEMPERATURE),
        b.Text(
            rf"$\operatorname{{softmax}}(s / {temperature:g})$: in head {focus.head},"
            f" :blue[{query}] reads {format_percent(shared)} from"
            f" :red[{token(view, 'S', focus.key)}] instead of {format_percent(share)}. Effective"
            f" tokens: **{format_number(tokens_then, 2)}** instead of {format_number(tokens, 2)}."
        ),
        b.Board(board, "temperature", fits=True),
        b.Chart(figures.temperature_figure(trace, focus, temperature), "temperatures"),
        b.caption(
            f"The shares of {query} for each temperature, which divides all that enters the"
            f" softmax. Towards 0 the key{sink} with the largest score gets everything, or several"
            " with equal scores share it. Towards infinity all visible keys get the same share."
            " The curves never cross: at every temperature the shares have the order of the scores."
            f" Dividing by √{wide} is a temperature of √{wide} for the raw scores. Effective"
            " tokens: e to the [entropy](glossary?glossary_words=entropy) of the shares, from 1 to"
            " the number of keys."
        ),
    ]


SOFTMAX = step_page("softmax", _softmax, TEMPERATURE)


def _mixing(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    trace, focus = view.trace, view.focus
    facts, asks = mixing_facts(trace, focus), token(view, "T", focus.query)
    key = facts.row.strongest[0][0] if facts.row.strongest else focus.key
    title = f"**Head {focus.head}:** feature {facts.feature} of the output of :blue[{asks}]"
    about = (
        f"The output of :blue[{asks}] in head {focus.head}, counted from 1 as the note does. The"
        " note drops the sum and writes x_i; the values are those of all elements j."
    )
    elements = output_of_element(trace, focus.head, focus.query, key, facts.feature)
    return [
        _receives(view, facts, asks),
        b.caption(_notes(view, facts)),
        *_element_wise(view, elements, about),
        derivation_line(derivation, title),
    ]


def _receives(view: StoryView, facts: MixingFacts, asks: str) -> b.Block:
    head, row = view.focus.head, facts.row
    if not row.strongest:
        says = f"In head {head}, {asks} sees no key: all its weights are 0, and so is its output."
        return b.Note(says, "wrong")
    key, share = row.strongest[0]
    largest = f":green[the value of {token(view, 'S', key)}]"
    if row.tied > 1:
        largest = f"each of :green[the values of {row.tied} tokens]"
    return b.Text(
        f"In head {head}, the largest weight of :blue[{asks}] is {format_percent(share)}, for"
        f" {largest}. Every value vector is multiplied by its weight; the sum is the output of the"
        " head."
    )


def _notes(view: StoryView, facts: MixingFacts) -> str:
    sizes = view.trace.sizes
    average = "An average never leaves the range of its parts."
    if not facts.is_average:
        average = (
            f"The weights sum to {format_number(facts.row.total)} here, so a number of the output"
            " can lie nearer to 0 than all of its parts."
        )
    notes = [
        f"All features of a head have the same weights, so a head moves whole vectors. {average} If"
        " almost all weight is on one token, the result is nearly a copy of its value vector."
    ]
    if facts.is_cut:
        notes.append(
            f"Features of a value vector: {sizes['V']}. Feature {view.focus.feature} does not exist"
            f" here, so feature {facts.feature} is shown."
        )
    if sizes["G"] < sizes["H"]:
        notes.append(
            f"Heads share values here. Heads: {sizes['H']}; sets of value vectors: {sizes['G']}."
        )
    return " ".join(notes)


MIXING = step_page("mixing", _mixing)
