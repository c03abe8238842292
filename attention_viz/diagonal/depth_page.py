"""The page *Depth*: stacked attention layers, how fast their tokens become equal, and what delays
it.
"""

from collections.abc import Sequence

from attention_lab.diagonal.depth import (
    FOUR_TOKENS,
    N_SAMPLES,
    STACK_WEIGHTS,
    STACK_WIDTHS,
    Stack,
    TrajectorySample,
    cubic_error,
    levels,
    sample_trajectories,
    skip_draws,
    stack_variants,
    tokens_read_most,
)
from attention_lab.diagonal.facts import DepthFacts, depth_facts
from attention_lab.diagonal.token_matrices import gaussian_tokens
from attention_lab.words.numbers import format_number

from .. import blocks as b
from ..block_page import page_of_facts
from ..page_choices import Choice, Select, Switch, by_name
from ..story.story_view import StoryView
from .choices import cut_notes, scale, seed
from .depth import distance_figure, self_mass_figure

DEVIATIONS = (0.1, 0.03, 0.01, 0.003)  # sizes for which the rule of the end is tried
# Where the tokens with skip connections are looked at, and the widths of those that are drawn.
SKIP_LAYERS, SKIP_WIDTHS = (0, 1, 2, 3, 4, 5, 10, 24), (1, 2, 3, 8)
COMPARE = Select(
    "depth_compare", "Compare", "widths", by_name(["widths", "remedies"]), look="buttons"
)
SOURCE = Select("depth_tokens", "Tokens", "drawn", by_name(["drawn", "sentence"]), look="buttons")
LAYERS = scale("depth_layers", "Layers", 24, 1, 64)
WIDTH = Select("depth_c", "Features C", "16", by_name([str(one) for one in STACK_WIDTHS]))
WEIGHTS = Select("depth_weights", "Weights", STACK_WEIGHTS[0], by_name(STACK_WEIGHTS))
SKIP = Switch(
    "depth_skip",
    "Skip connection",
    False,
    help="The input of a layer is added to its output (residual connection).",
)
AFTER = Switch(
    "depth_norm",
    "LayerNorm after",
    False,
    help="Post-LN: the output of a layer is normalised, without factors and offsets.",
)
BEFORE = Switch(
    "depth_norm_before",
    "LayerNorm before",
    False,
    help="Pre-LN: the input of the attention is normalised; the skip connection adds it as it was.",
)
GAIN = scale(
    "depth_gain", "Gain", 1.0, 0.1, 2.0, 0.1, "The output of the attention is multiplied by it."
)
LOGARITHMIC = Switch("depth_log", "Logarithmic", False)
SEED = seed("depth_seed")
CHOICES: tuple[Choice, ...] = (
    *(COMPARE, SOURCE, LAYERS, WIDTH, WEIGHTS, SKIP, AFTER, BEFORE, GAIN, LOGARITHMIC, SEED),
)


def samples_of(view: StoryView, values: b.Values) -> dict[str, TrajectorySample]:
    """The stacks that the page compares, by name. Raises: AttentionError."""
    text = view.scenario.text if values[SOURCE.key] == "sentence" else None
    n_layers, seed_number = values[LAYERS.key], values[SEED.key]
    if values[COMPARE.key] == "remedies":
        variants = stack_variants(Stack(n_layers=n_layers, seed=seed_number))
        width = int(values[WIDTH.key])
        return {name: sample_trajectories(one, width, text) for name, one in variants.items()}
    weights, skip, gain, after, before = (
        values[one.key] for one in (WEIGHTS, SKIP, GAIN, AFTER, BEFORE)
    )
    n_heads = 4 if weights == "random" else 1
    stack = Stack(weights, n_heads, n_layers, skip, gain, after, seed_number, before)
    return {f"C = {width}": sample_trajectories(stack, width, text) for width in STACK_WIDTHS}


def _facts(view: StoryView, values: b.Values) -> DepthFacts:
    first = values[SEED.key]
    seeds = range(first, first + N_SAMPLES)
    return depth_facts(samples_of(view, values), values[LAYERS.key], seeds)


def _blocks(view: StoryView, values: b.Values, facts: DepthFacts) -> Sequence[b.Block]:
    """Both charts, the answer, and what delays the collapse. Raises: AttentionError."""
    samples = samples_of(view, values)
    is_of_remedies = values[COMPARE.key] == "remedies"
    first, *others = [WIDTH] if is_of_remedies else [WEIGHTS, SKIP, AFTER, BEFORE, GAIN]
    drawn = (SOURCE, LOGARITHMIC, SEED)
    more = [b.row(values, *drawn), *([b.row(values, *others)] if others else [])]
    is_changed = any(values[one.key] != one.default for one in (*drawn, *others))
    distance: list[b.Block] = [
        b.Chart(distance_figure(samples, values[LOGARITHMIC.key]), "depth distance"),
        b.Text("Distance from the mean of the tokens, |X − mean| / |X|: 0 if all are equal.", True),
    ]
    mass: list[b.Block] = [
        b.Chart(self_mass_figure(samples), "depth mass"),
        b.Text("Mean weight of a token for itself. Near 1 a layer hardly mixes the tokens.", True),
    ]
    return [
        b.Text(_answer(facts)),
        b.row(values, COMPARE, LAYERS, first),
        b.Beside((distance, mass), (1, 1)),
        b.Folded("More choices", more, opened=is_changed),
        *cut_notes(view.scenario.text, is_read=values[SOURCE.key] == "sentence"),
        b.Text(_bands(facts), small=True),
        *(b.Text(said) for said in ABOUT),
        b.Folded("Near the end, each layer cubes the distance", _cubic(values[SEED.key])),
        b.Folded(
            "With a skip connection, do the tokens stay apart?", lambda: _skip(values[SEED.key])
        ),
        b.Text(TRY),
    ]


def _answer(facts: DepthFacts) -> str:
    more = f"more than {facts.n_layers}"
    said = ", ".join(f"**{more if end is None else end}** ({name})" for name, end in facts.ends)
    return f"Layers until the tokens differ from their mean by less than {facts.near}: {said}."


def _bands(facts: DepthFacts) -> str:
    return (
        f"A line with a band is the median of {N_SAMPLES} random draws (seeds {facts.first} to"
        f" {facts.last}), and the band holds all of them. A line without a band has nothing random"
        " in it."
    )


def _cubic(first: int) -> list[b.Block]:
    """The rule of the end, with its error for deviations of several sizes."""
    errors = [cubic_error(1 + size * gaussian_tokens(16, 8, first)) for size in DEVIATIONS]
    rows = [[f"{size}", f"{error:.4f}"] for size, error in zip(DEVIATIONS, errors, strict=True)]
    return [
        b.Text(
            "$e_i' = \\operatorname{Cov}(e)\\,e_i / \\tau$, so $|e'| \\sim |e|^3$.\n\nLet the"
            " tokens differ from their mean by small vectors $e_i$. Then all rows of $A$ are"
            " nearly uniform. Without a skip connection, what is left of $e_i$ comes from"
            " differences of scores, which are products of two deviations: together a third power."
            " The number of zeros after the decimal point **triples with each layer** (switch to"
            " *Logarithmic*). $\\tau$ divides the scores."
        ),
        b.Table(["size ε", "relative error of the rule"], rows),
    ]


def _skip(first: int) -> list[b.Block]:
    """Four tokens that become equal with skip connections, and how many drawn ones do."""
    passed = list(levels(FOUR_TOKENS, Stack(n_layers=SKIP_LAYERS[-1], skip=True)))
    distances = [format_number(passed[layer].distance, 4) for layer in SKIP_LAYERS]
    draws = [skip_draws(width, first) for width in SKIP_WIDTHS]
    rows = [
        [f"{one.width}", f"{one.collapsed} of {one.draws}", f"{one.with_one_peak} of {one.draws}"]
        for one in draws
    ]
    both, collapsed = (sum(getattr(one, name) for one in draws) for name in ("both", "collapsed"))
    tokens = ", ".join(f"({x:g}, {y:g})" for x, y in FOUR_TOKENS)
    return [
        b.Text(
            "Not always, even without weights and LayerNorm. The tokens grow, so their scores grow,"
            " and soon each token reads nearly only the one with which it scores highest. What they"
            " read is added: tokens that read the **same** token keep their differences, while"
            " their lengths double. So the distance **halves with each layer**. One example is"
            f" {tokens}. Different tokens that they read most in the end:"
            f" {tokens_read_most(passed[-1].tokens)}. Their distance from the mean:"
        ),
        b.Table(["layers", *map(str, SKIP_LAYERS)], [["distance", *distances]]),
        b.Text(
            "If they read different tokens most, each group keeps its direction, and the groups"
            f" stay apart. Four tokens, drawn {draws[0].draws} times for each width (seeds from"
            f" {first}), after {SKIP_LAYERS[-1]} layers. Draws that became equal: {collapsed}; of"
            f" these, all tokens read one token most in {both}."
        ),
        b.Table(["features", "became equal (distance below 1 %)", "all read one token most"], rows),
    ]


ABOUT = (
    "Attention replaces each token by an average of tokens. In a stack of attention layers alone"
    " the tokens therefore become more and more **alike**. This is called rank collapse. They are"
    " equal only in the limit.",
    "**A large diagonal delays the collapse.** A token that looks only at itself stays as it is ($A"
    " \\approx I$). Without weights and with many features the diagonal of $A$ is large, and the"
    " collapse begins only when it has faded. Random weights give no large diagonal: the collapse"
    " begins at once.",
    "**A skip connection** adds the token itself again. Without weights and without LayerNorm the"
    " tokens stay apart if they read different tokens most, as they do with many features. If all"
    " read one token most, they collapse, as they do with random weights and a gain that is not"
    " small. As a rule they also do with LayerNorm after the addition, but not with two features,"
    " of which it leaves only two directions, and late with many. The collapse is slower: each"
    " layer takes away a share of the distance.",
    "**[LayerNorm](glossary?glossary_words=LayerNorm) after or before?** The first transformer"
    " normalised after the addition (post-LN: Vaswani et al. 2017): every layer shrinks what the"
    " skip connection has kept. GPT-2 (Radford et al. 2019) and many later models normalise the"
    " input of the attention (pre-LN: Xiong et al. 2020). There the sum grows from layer to layer,"
    " but what one layer adds does not. So each layer changes less: with the widths of this page"
    " the tokens stay apart longer.",
)
TRY = (
    "**Try:** compare *remedies*: what keeps the tokens apart? Then compare widths with *random*"
    " weights and a skip connection: how small must the gain be, and where must LayerNorm stand?"
    " Source: Dong, Cordonnier and Loukas 2021."
)

DEPTH = page_of_facts("depth", lambda _: CHOICES, _facts, _blocks)
