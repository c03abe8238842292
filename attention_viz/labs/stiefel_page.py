"""The page *Orthonormal projections*: what it changes when the columns of every head's matrices are
orthonormal.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from attention_core.checks import score_scale
from attention_lab.cache import cached
from attention_lab.diagonal.measures import TOLERANCE
from attention_lab.heads.patterns import largest_entropy
from attention_lab.labs.julia_mapping import CONVENTIONS, mapping_example
from attention_lab.labs.stiefel import (
    PROJECTIONS,
    RETRACTIONS,
    ColumnEffect,
    column_effect,
    parameter_counts,
    sphere_step_example,
)
from attention_lab.labs.subspaces import EXAMPLE_WORDS, HEAD_SIZE, TOKEN_SIZE, example_planes

from .. import blocks as b
from ..diagonal.choices import scale, seed
from ..labels import format_agreement, format_number, format_percent
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
WIDTH = b.Select(
    "stiefel_width", "Features C", "64", b.by_name(("16", "32", "64", "128")), look="scale"
)
HEADS = b.Select(
    "stiefel_heads", "Heads h", "8", b.by_name(("1", "2", "4", "8", "16")), look="scale"
)
SEED = seed("stiefel_seed")
PLANE = b.Select(
    "stiefel_plane",
    "Plane of",
    "head 0",
    b.by_name([f"head {head}" for head in range(N_HEADS)]),
    "buttons",
)
COLUMNS = b.Switch("stiefel_plane_columns", "Orthonormal columns", True)
STEP = scale("stiefel_step", "Step size", 1.5, 0.1, 3.0, 0.1)
TURN = scale("stiefel_turn", "Direction of the gradient, degrees", 210, 0, 360, 15)
OUTWARD = scale("stiefel_outward", "Part of the gradient along Y", -0.5, -1.0, 1.0, 0.1)
CONVENTION = b.Select(
    "stiefel_convention",
    "The package’s formula as in its",
    "manual",
    b.by_name(CONVENTIONS),
    "buttons",
)
CONNECTION = b.Switch("stiefel_connection", "add_connection", False)
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
STORY = urlencode(
    {"weights": "orthonormal", "output_matrix": "none", "residual": "true", "notation": "gml"}
)
cached_column_effect = cached(column_effect)


def _blocks(view: StoryView, values: b.Values) -> Sequence[b.Block]:
    """The singular values and what the constraint changes, then planes, a step and training."""
    d_model, n_heads = int(values[WIDTH.key]), int(values[HEADS.key])
    effects = column_effects(d_model, n_heads, values[SEED.key])
    spectra = {
        columns: effects[title].singular_values
        for title, (columns, by_model) in COLUMN_KINDS.items()
        if not by_model
    }
    widest = spectra["normal"]
    return [
        b.Text(
            "With orthonormal columns every singular value of a head’s matrices is 1: no direction"
            " in the span of the columns is amplified or lost. A head does not see the other"
            f" directions, here **{d_model - d_model // n_heads} of {d_model}**. With normal"
            " columns the singular values of W_Q W_Kᵀ go from"
            f" **{widest[0]:.2f}** to **{widest[-1]:.2f}** here."
        ),
        b.row(values, WIDTH, HEADS, SEED),
        b.Chart(singular_value_figure(spectra), "stiefel spectra"),
        b.Heading("What the constraint changes"),
        *_what_changes(effects, d_model, n_heads),
        b.Heading("The subspaces of the heads"),
        *_subspaces(values),
        b.Heading("One step on the manifold"),
        _sphere(values),
        b.Heading("The package and our engine"),
        *_mapping(values),
        b.Heading("Does training benefit?"),
        b.Folded("One layer, two heads", lambda: one_layer(values)),
        b.Folded("Twelve layers, where the package trains sixteen", lambda: deep_stack(values)),
        b.Text(
            "**Try:** set *Heads h* to 1. Random square matrices have singular values near 0, so"
            " the scores hardly see some directions. Then compare the two experiments: what does"
            " the constraint cost? What else makes the deep stack learn?"
        ),
    ]


def column_effects(d_model: int, n_heads: int, seed_number: int) -> dict[str, ColumnEffect]:
    """What each kind of columns changes in a layer."""
    return {
        title: cached_column_effect(
            columns,
            d_model,
            n_heads,
            n_tokens=N_TOKENS,
            scale=score_scale(None, d_model) if by_model else None,
            seed=seed_number,
        )
        for title, (columns, by_model) in COLUMN_KINDS.items()
    }


def _what_changes(effects: Mapping[str, ColumnEffect], d_model: int, n_heads: int) -> list[b.Block]:
    head = ["columns of each head", "condition of W_Q", "singular values of W_Q W_Kᵀ"]
    rows = []
    for title, found in effects.items():
        numbers = (found.singular_values[0], found.singular_values[-1], found.condition)
        first, last, condition, spread, entropy = (
            format_number(float(one), 2) for one in (*numbers, found.score_spread, found.entropy)
        )
        rows.append([title, condition, f"{first} … {last}", spread, entropy])
    free, constrained = parameter_counts(d_model, n_heads)
    return [
        b.Table([*head, "spread of the scores", "entropy (nats)"], rows),
        b.caption(
            f"Means over the heads. Heads: {n_heads}. Width of a head: {d_model // n_heads}."
            " Condition: the largest singular value divided by the smallest. Spread of the scores:"
            " their standard deviation. Entropy: how widely the attention weights of a row are"
            f" spread; even attention has ln {N_TOKENS} ="
            f" {format_number(largest_entropy(N_TOKENS), 2)} nats. Both are measured on"
            f" {N_TOKENS} tokens of normal random numbers."
        ),
        b.Text(
            "Orthonormal columns have length 1 and stand at right angles to each other, $P^{\\top}"
            " P = I$. Such a matrix rotates and selects, but it never stretches, and training"
            " cannot change its size. The set of all such matrices is the *Stiefel manifold*. The"
            " package *GeometricMachineLearning.jl* can keep the matrices of the heads on it during"
            " training."
        ),
        b.Text(
            f"W_Q, W_K and W_V hold **{free:,}** numbers, of which **{constrained:,}** can be"
            f" chosen freely ({format_percent(constrained / free)}): each column must have length 1"
            " and be orthogonal to the columns before it.\n\n$3C^2 \\;\\to\\; 3h\\left(C n -"
            " \\tfrac{n(n+1)}{2}\\right)$, with $n = C/h$."
        ),
    ]


def _subspaces(values: b.Values) -> list[b.Block]:
    """Tokens of three features in the planes of the heads."""
    planes = example_planes(N_HEADS, values[SEED.key], values[COLUMNS.key])
    shares = [
        [f"**head {place}**", *(format_percent(float(share)) for share in shares)]
        for place, shares in enumerate(planes.length_shares)
    ]
    flat = [[b.Chart(plane_figure(planes, one), f"plane of head {one}")] for one in range(N_HEADS)]
    space = b.Chart(space_figure(planes, int(values[PLANE.key][-1])), "subspaces")
    lengths = (
        "**PᵀP = I:** the two numbers of a head are coordinates at right angles in its plane. So"
        " distances and angles in the plane are those of the picture. PPᵀ is a projector: (PPᵀ)² ="
        " PPᵀ. P itself is not square, so it is not a projector."
        if planes.stretch < TOLERANCE
        else "**Free columns** span a plane, too, but they stretch it. The length of a token in the"
        " numbers of a head differs from its length in the plane, and angles change. Largest"
        f" difference: **{format_percent(planes.stretch)}** of the length."
    )
    return [
        b.Text(SUBSPACES),
        b.row(values, PLANE, COLUMNS),
        b.Beside(([space], *flat), (6, *[5] * N_HEADS)),
        b.Text(lengths),
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


def _mapping(values: b.Values) -> list[b.Block]:
    """GeometricMachineLearning.jl beside our engine: the convention, the weights that give the same
    layer here, and the difference.
    """
    convention, connection = values[CONVENTION.key], values[CONNECTION.key]
    check = mapping_example(convention, connection, values[MAPPING_SEED.key])
    chosen = CONVENTIONS[convention]
    theirs, ours = chosen.latex, "Y = O"
    if connection:
        theirs, ours = f"{theirs} + Z", "Y = O + X"
    equations = [r"X = Z^{\top}", *chosen.ours.split(r",\ "), ours]
    outputs = f"The outputs {format_agreement(check.difference, TOLERANCE)}"
    same = check.difference <= TOLERANCE
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
        b.Note(outputs + (": the same layer." if same else "."), "right" if same else "wrong"),
    ]
    return [
        b.row(values, CONVENTION, CONNECTION, MAPPING_SEED),
        b.Beside((package, engine), (1, 1)),
        b.Board(mapping_board(check), "stiefel mapping"),
        b.caption(
            "N = 12 features, h = 3 heads, 7 tokens, orthonormal columns. In the package’s code"
            " (version 0.4.8) each P is N × n with n = N/h, a point of the Stiefel manifold, and is"
            " applied as Pᵀ: so it is here. The manual’s formula has had (N ÷ n_heads) × N and P Z"
            " since version 0.4.1, N × (N ÷ n_heads) and P Z before. Manual and code differ in"
            " more: in the code P_Q and P_K have changed places, and the scores are divided by √N"
            " instead of √(N/h). add_connection adds the input to the output. The"
            " defaults of MultiHeadAttention are Stiefel=false and add_connection=true."
        ),
        b.Text(
            "**Walk through this layer:** [every step of the story in the package’s"
            f" letters](projections?{STORY}), with the tokens of your sentence, orthonormal"
            " columns, no W_O and add_connection."
        ),
    ]


STIEFEL = b.BlockPage("stiefel", lambda _: CHOICES, _blocks)
