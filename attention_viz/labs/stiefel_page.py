"""The page *Orthonormal projections*: what it changes when the columns of every head's matrices are
orthonormal.
"""

from collections.abc import Sequence
from urllib.parse import urlencode

from attention_core.checks import score_scale
from attention_lab.cache import cached
from attention_lab.labs.facts import StiefelFacts, stiefel_facts
from attention_lab.labs.julia_mapping import CONVENTIONS, MappingCheck, mapping_example
from attention_lab.labs.stiefel import (
    PROJECTIONS,
    RETRACTIONS,
    ColumnEffect,
    column_effect,
    sphere_step_example,
)
from attention_lab.labs.subspaces import (
    EXAMPLE_WORDS,
    HEAD_SIZE,
    TOKEN_SIZE,
    HeadPlanes,
    example_planes,
)

from .. import blocks as b
from ..block_page import page_of_facts
from ..diagonal.choices import scale, seed
from ..page_choices import Select, Switch, by_name
from ..story.story_view import StoryView
from .stiefel import mapping_board, singular_value_figure, sphere_figure
from .stiefel_experiments import EXPERIMENTS, deep_stack, one_layer
from .subspaces import plane_figure, space_figure
from .training_parts import formula_rows

N_TOKENS, N_HEADS = 32, 2  # of the table; whose planes are drawn
# The rows of the table: how the columns are drawn, and whether the scores are divided by √C instead
# of √n.
COLUMN_KINDS = {
    "orthonormal, 1/√n": ("orthonormal", False),
    "normal with variance 1/C, 1/√n": ("normal", False),
    "Glorot (default of the package), 1/√n": ("glorot", False),
    "orthonormal, 1/√C (as the package’s code)": ("orthonormal", True),
}
NORMAL = "normal with variance 1/C, 1/√n"
WIDTH = Select(
    "stiefel_width", "Features C", "64", by_name(("16", "32", "64", "128")), look="scale"
)
HEADS = Select("stiefel_heads", "Heads h", "8", by_name(("1", "2", "4", "8", "16")), look="scale")
SEED = seed("stiefel_seed")
PLANE = Select(
    "stiefel_plane",
    "Plane of",
    "head 0",
    by_name([f"head {head}" for head in range(N_HEADS)]),
    "buttons",
)
COLUMNS = Switch("stiefel_plane_columns", "Orthonormal columns", True)
STEP = scale("stiefel_step", "Step size", 1.5, 0.1, 3.0, 0.1)
TURN = scale("stiefel_turn", "Direction of the gradient, degrees", 210, 0, 360, 15)
OUTWARD = scale("stiefel_outward", "Part of the gradient along Y", -0.5, -1.0, 1.0, 0.1)
CONVENTION = Select(
    "stiefel_convention",
    "The package’s formula as in its",
    "manual",
    by_name(CONVENTIONS),
    "buttons",
)
CONNECTION = Switch("stiefel_connection", "add_connection", False)
MAPPING_SEED = seed("stiefel_mapping_seed")
CHOICES = (
    *(WIDTH, HEADS, SEED, PLANE, COLUMNS, STEP, TURN, OUTWARD, CONVENTION, CONNECTION),
    *(MAPPING_SEED, *EXPERIMENTS),
)
SUBSPACES = (
    f"A head reads a token through its matrix P, here {TOKEN_SIZE} × {HEAD_SIZE}. It sees the"
    " shadow of the token in a plane, the **subspace** of the head. Two tokens that are near each"
    " other in this plane may be far apart in the plane of another head. So heads can find"
    " different features. Drag to turn the picture."
)
PROJECTS = (
    "**PᵀP = I:** the two numbers of a head are coordinates at right angles in its plane. So"
    " distances and angles in the plane are those of the picture. PPᵀ is a projector: (PPᵀ)² ="
    " PPᵀ. P itself is not square, so it is not a projector."
)
STRETCHES = (
    "**Free columns** span a plane, too, but they stretch it. The length of a token in the numbers"
    " of a head differs from its length in the plane, and angles change. Largest difference:"
    " **{}** of the length."
)
MANIFOLD = (
    "Orthonormal columns have length 1 and stand at right angles to each other, $P^{\\top} P ="
    " I$. Such a matrix rotates and selects, but it never stretches, and training cannot change its"
    " size. The set of all such matrices is the *Stiefel manifold*. The package"
    " *GeometricMachineLearning.jl* can keep the matrices of the heads on it during training."
)
TRY = (
    "**Try:** set *Heads h* to 1. Random square matrices have singular values near 0, so the scores"
    " hardly see some directions. Then compare the two experiments: what does the constraint cost?"
    " What else makes the deep stack learn?"
)
PACKAGE = (
    "N = 12 features, h = 3 heads, 7 tokens, orthonormal columns. In the package’s code"
    " (version 0.4.8) each P is N × n with n = N/h, a point of the Stiefel manifold, and is"
    " applied as Pᵀ: so it is here. The manual’s formula has had (N ÷ n_heads) × N and P Z"
    " since version 0.4.1, N × (N ÷ n_heads) and P Z before. Manual and code differ in"
    " more: in the code P_Q and P_K have changed places, and the scores are divided by √N"
    " instead of √(N/h). add_connection adds the input to the output. The"
    " defaults of MultiHeadAttention are Stiefel=false and add_connection=true."
)
STORY = urlencode(
    {"weights": "orthonormal", "output_matrix": "none", "residual": "true", "notation": "gml"}
)
WALK = (
    "**Walk through this layer:** [every step of the story in the package’s"
    f" letters](projections?{STORY}), with the tokens of your sentence, orthonormal"
    " columns, no W_O and add_connection."
)
cached_column_effect = cached(column_effect)


def _planes(values: b.Values) -> HeadPlanes:
    return example_planes(N_HEADS, values[SEED.key], values[COLUMNS.key])


def _check(values: b.Values) -> MappingCheck:
    return mapping_example(*(values[one.key] for one in (CONVENTION, CONNECTION, MAPPING_SEED)))


def column_effects(values: b.Values) -> dict[str, ColumnEffect]:
    """What each kind of columns changes in a layer."""
    d_model, n_heads = int(values[WIDTH.key]), int(values[HEADS.key])
    return {
        title: cached_column_effect(
            columns,
            d_model,
            n_heads,
            n_tokens=N_TOKENS,
            scale=score_scale(None, d_model) if by_model else None,
            seed=values[SEED.key],
        )
        for title, (columns, by_model) in COLUMN_KINDS.items()
    }


def _facts(_: StoryView, values: b.Values) -> StiefelFacts:
    sizes = (int(values[WIDTH.key]), int(values[HEADS.key]), N_TOKENS)
    return stiefel_facts(column_effects(values), NORMAL, sizes, _planes(values), _check(values))


def _blocks(view: StoryView, values: b.Values, facts: StiefelFacts) -> Sequence[b.Block]:
    """The singular values and what the constraint changes, then planes, a step and training."""
    effects = column_effects(values)
    spectra = {
        columns: effects[title].singular_values
        for title, (columns, by_model) in COLUMN_KINDS.items()
        if not by_model
    }
    return [
        b.Text(_answer(facts)),
        b.row(values, WIDTH, HEADS, SEED),
        b.Chart(singular_value_figure(spectra), "stiefel spectra"),
        b.Heading("What the constraint changes"),
        *_what_changes(facts),
        b.Heading("The subspaces of the heads"),
        *_subspaces(values, facts),
        b.Heading("One step on the manifold"),
        _sphere(values),
        b.Heading("The package and our engine"),
        *_mapping(values, facts),
        b.Heading("Does training benefit?"),
        b.Folded("One layer, two heads", lambda: one_layer(values)),
        b.Folded("A deep stack, where the package trains sixteen", lambda: deep_stack(values)),
        b.Text(TRY),
    ]


def _answer(facts: StiefelFacts) -> str:
    """What the columns do to the directions that a head sees, and which it does not see."""
    sees = "A head sees all directions."
    if facts.unseen:
        sees = (
            f"A head does not see the other directions, here **{facts.unseen} of {facts.width}**."
        )
    normal = facts.normal
    values = f"the singular value of W_Q W_Kᵀ is **{normal.largest}** here."
    if facts.several:
        values = (
            f"the singular values of W_Q W_Kᵀ go from **{normal.largest}** to"
            f" **{normal.smallest}** here."
        )
    return (
        "With orthonormal columns every singular value of a head’s matrices is 1: no direction in"
        f" the span of the columns is amplified or lost. {sees} With normal columns {values}"
    )


def _what_changes(facts: StiefelFacts) -> list[b.Block]:
    head = ["columns of each head", "condition of W_Q", "singular values of W_Q W_Kᵀ"]
    rows = [
        [
            *(title, str(one.condition), f"{one.largest} … {one.smallest}"),
            *(str(one.spread), str(one.entropy)),
        ]
        for title, one in facts.columns.items()
    ]
    return [
        b.Table([*head, "spread of the scores", "entropy (nats)"], rows),
        b.caption(
            f"Means over the heads. Heads: {facts.heads}. Width of a head: {facts.head_width}."
            " Condition: the largest singular value divided by the smallest. Spread of the scores:"
            " their standard deviation. Entropy: how widely the attention weights of a row are"
            f" spread; even attention has ln {facts.tokens} = {facts.even} nats. Both are measured"
            f" on {facts.tokens} tokens of normal random numbers."
        ),
        b.Text(MANIFOLD),
        b.Text(
            f"W_Q, W_K and W_V hold **{facts.free}** numbers, of which **{facts.constrained}** can"
            f" be chosen freely ({facts.part}): each column must have length 1 and be orthogonal to"
            " the columns before it.\n\n$3C^2 \\;\\to\\; 3h\\left(C n -"
            " \\tfrac{n(n+1)}{2}\\right)$, with $n = C/h$."
        ),
    ]


def _subspaces(values: b.Values, facts: StiefelFacts) -> list[b.Block]:
    """Tokens of three features in the planes of the heads."""
    planes, stretch = _planes(values), facts.stretch
    shares = [
        [f"**head {place}**", *map(str, shares)] for place, shares in enumerate(facts.lengths)
    ]
    flat = [[b.Chart(plane_figure(planes, one), f"plane of head {one}")] for one in range(N_HEADS)]
    space = b.Chart(space_figure(planes, int(values[PLANE.key][-1])), "subspaces")
    return [
        b.Text(SUBSPACES),
        b.row(values, PLANE, COLUMNS),
        b.Beside(([space], *flat), (6, *[5] * N_HEADS)),
        b.Text(PROJECTS if stretch is None else STRETCHES.format(stretch)),
        b.Table(["share of the squared length in the plane", *EXAMPLE_WORDS], shares),
    ]


def _sphere(values: b.Values) -> b.Beside:
    step = sphere_step_example(*(values[one.key] for one in (TURN, OUTWARD, STEP)))
    told: list[b.Block] = [
        b.Text(
            "A matrix with one column of three numbers has orthonormal columns if it lies on the"
            " unit sphere. A gradient may point off the sphere. Its tangent part is the part along"
            " the sphere. Even a straight step along the tangent leaves the sphere; a"
            " **retraction** brings it back. The *geodesic* is the shortest way along the sphere."
        ),
        b.row(values, STEP, TURN, OUTWARD),
        b.Folded("The formulas", formula_rows((*PROJECTIONS, *RETRACTIONS.values()))),
    ]
    drawn: list[b.Block] = [
        b.Chart(sphere_figure(step), "stiefel globe"),
        b.caption(
            "Drag to turn the sphere. QR and polar land at the same place here. Cayley lands"
            " nearest to the geodesic."
        ),
    ]
    return b.Beside((told, drawn), (2, 3))


def _mapping(values: b.Values, facts: StiefelFacts) -> list[b.Block]:
    """GeometricMachineLearning.jl beside our engine: the convention, the weights that give the same
    layer here, and the difference.
    """
    convention, connection = values[CONVENTION.key], values[CONNECTION.key]
    chosen = CONVENTIONS[convention]
    theirs, ours = chosen.latex, "Y = O"
    if connection:
        theirs, ours = f"{theirs} + Z", "Y = O + X"
    equations = [r"X = Z^{\top}", *chosen.ours.split(r",\ "), ours]
    outputs = f"The outputs {facts.agreement}{': the same layer' if facts.same else ''}."
    package: list[b.Block] = [
        b.Text(
            "**The package**: tokens are columns. The outputs of the heads are joined one below the"
            f" other. {chosen.sentence}"
        ),
        b.Formula(theirs),
    ]
    engine: list[b.Block] = [
        b.Text("**The same layer here**: tokens are rows."),
        b.Formula(r",\ ".join(equations)),
        b.Note(outputs, "right" if facts.same else "wrong"),
    ]
    return [
        b.row(values, CONVENTION, CONNECTION, MAPPING_SEED),
        b.Beside((package, engine), (1, 1)),
        b.Board(mapping_board(_check(values)), "stiefel mapping"),
        b.caption(PACKAGE),
        b.Text(WALK),
    ]


STIEFEL = page_of_facts("stiefel", lambda _: CHOICES, _facts, _blocks)
