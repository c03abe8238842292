"""The page *Propositions*: fourteen statements about the diagonal, each checked on the tokens
shown, with its proof and a search for a counterexample.
"""

from __future__ import annotations

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.cache import cached
from attention_lab.diagonal.claims.catalogue import CONDITION, FALSE
from attention_lab.diagonal.propositions.catalogue import (
    PROPOSITIONS,
    THEOREM,
    Proposition,
    find_proposition,
)
from attention_lab.diagonal.propositions.checks import PropositionCheck, tokens_of_trace
from attention_lab.diagonal.propositions.counterexamples import Search, search
from attention_lab.diagonal.settings import trace_of_settings
from attention_lab.url_values import MAX_SEED
from attention_lab.words.numbers import format_number

from ..blocks import (
    Beside,
    Block,
    BlockPage,
    Board,
    Button,
    Choice,
    Folded,
    Formula,
    Heading,
    Note,
    Number,
    Select,
    Text,
    Tone,
    Values,
    row,
)
from ..story.story_view import StoryView
from .choices import (
    CHOICES,
    PAIR_SETS,
    cut_notes,
    examples,
    pair_of,
    scale,
    sets_of_tokens,
    settings_of,
    token_rows,
)
from .in_words import describe_pair, number_or_dash, quoted_names
from .self_attention_mass import diagonal_board

STATUS = {THEOREM: ":green[theorem]", CONDITION: ":orange[under a condition]", FALSE: ":red[false]"}
PROOFS = {THEOREM: "Proof", CONDITION: "Proof", FALSE: "The step that fails"}
# Equalities, and S13, whose largest eigenvalue is 1: only rounding separates the two sides.
IDENTITIES = ("S1", "S7", "S9", "S13", "S14")
NOT_APPLICABLE = {
    False: "These tokens do not meet its condition.",
    True: "There is one token, and the proposition is about two.",
}
TRIES = 300  # token matrices of a search
N_TOKENS = scale("truths_n", "Tokens N", 3, 2, 8)
N_FEATURES = scale("truths_c", "Features C", 2, 1, 8)
SEED = Number("truths_seed", "Seed of the search", 0, low=0, high=MAX_SEED)
NONE = "none"
SEARCHED = Select(
    "truths_search",
    "Counterexample of",
    NONE,
    {NONE: "none"} | {one.number: one.number for one in PROPOSITIONS},
)
ALL_CHOICES: tuple[Choice, ...] = (*CHOICES, N_TOKENS, N_FEATURES, SEED, SEARCHED)
FORMULAS = (
    r"s_{ij} = \tfrac{x_i \cdot x_j}{\sqrt C}, \quad a_{ij} = \frac{e^{s_{ij}}}{Z_i},"
    r" \quad Z_i = \textstyle\sum_k e^{s_{ik}}"
)


@cached
def found_by_search(number: str, n_tokens: int, d_model: int, seed: int) -> Search:
    """The result of a search for a counterexample among random tokens."""
    proposition = find_proposition(number)
    return search(proposition, n_tokens=n_tokens, d_model=d_model, seed=seed, tries=TRIES)


def _blocks(view: StoryView, values: Values) -> Sequence[Block]:
    """The matrix, which propositions it violates, and all of them. Raises: AttentionError."""
    settings = settings_of(view, values, with_layer=False)
    trace = trace_of_settings(settings)
    tokens, cell = tokens_of_trace(trace), pair_of(trace, values)
    checks = {one.number: one.verify(tokens) for one in PROPOSITIONS}
    board = Board(diagonal_board(trace, cell), "propositions", fits=True, sets=PAIR_SETS)
    violated = [number for number, check in checks.items() if not check.holds]
    told: list[Block] = [
        Text(
            "The matrix shows attention without weights ($Q = K = V = X$)."
            " [Slides](questions?concepts_text=slides&verdict=always.condition.false) on multi-head"
            " attention argue that **no weight exceeds both diagonal weights** of its pair of"
            " tokens: $a_{ij} \\le \\max(a_{ii}, a_{jj})$. For scores this is true. For"
            " attention weights it is **false**, because each row is divided by a sum of its own."
        ),
        Text(describe_pair(trace, cell)),
        Formula(FORMULAS),
    ]
    cards = [_card(one, checks[one.number], trace, values) for one in PROPOSITIONS]
    return [
        Text(f"Propositions that these tokens violate: **{', '.join(violated) or 'none'}**."),
        Beside(([board], told), (3, 2)),
        *cut_notes(settings.text, is_read=settings.tokens == "sentence"),
        *examples(settings),
        Folded("Other tokens", token_rows(settings, values)),
        Heading("Fourteen propositions"),
        Text(
            "Each proposition is checked on the tokens above. A theorem holds for all tokens: no"
            " search finds a counterexample. A false proposition may hold for *these* tokens; a"
            " search finds others that violate it."
        ),
        row(values, N_TOKENS, N_FEATURES, SEED),
        Text(f"A search tries {TRIES} random token matrices of this size.", small=True),
        *(Beside((cards[n], cards[n + 1]), (1, 1)) for n in range(0, len(cards), 2)),
        Text(
            "With tied weights ($W_K = W_Q$) all that is proved here holds for the queries $x_i W$"
            " instead of the tokens, because the scores are again a Gram matrix: dot products of"
            " vectors with each other. With other weights none of it need hold.",
            small=True,
        ),
    ]


def _card(one: Proposition, check: PropositionCheck, trace: Trace, values: Values) -> list[Block]:
    """A proposition in words and as a formula, its status, the check on the tokens shown, its
    proof and a search.
    """
    tone: Tone = "info" if not check.applies else "right" if check.holds else "wrong"
    proof = [Text(line) for line in one.proof]
    if one.failing_step:
        proof.append(Text(f":red[**The step that fails:**] {one.failing_step}"))
    return [
        Text(f"**{one.number} · {one.title}** {STATUS[one.status]}"),
        Formula(one.latex),
        Text(one.statement),
        Note(f"**On these tokens it** {describe_check(one, check, trace)}", tone),
        *([Text(one.condition, small=True)] if one.condition else []),
        Folded(f"{PROOFS[one.status]} of {one.number}", proof),
        *_search(one, values),
    ]


def describe_check(one: Proposition, check: PropositionCheck, trace: Trace) -> str:
    """The result of the check on these tokens: holds or violated, by how much, and where."""
    if not check.applies:
        return f"does not apply. {NOT_APPLICABLE[trace.sizes['T'] == 1]}"
    where = _place(check.where, trace)
    place = f" in {where}" * bool(where)
    if not check.holds and check.excess <= 0:
        return f"is violated: a tie{place}."
    if not check.holds:
        worst = format_number(check.excess, 4)
        return f"is violated. Largest violation: **{worst}**{place}."
    if check.excess > 0 or one.number in IDENTITIES:
        return "holds. The two sides agree up to rounding."
    return f"holds. Smallest margin: {format_number(-check.excess, 4)}{place}."


def _place(where: tuple[int, ...], trace: Trace) -> str:
    """The row, or the row and the column, of the largest violation."""
    parts = [quoted_names(trace)[i] for i in where]
    return ", ".join(f"{side} {part}" for side, part in zip(("row", "column"), parts, strict=False))


def _search(one: Proposition, values: Values) -> list[Block]:
    """The button that searches, or what the search has found."""
    if values[SEARCHED.key] != one.number:
        return [Button(f"Search for a counterexample of {one.number}", {SEARCHED.key: one.number})]
    n_tokens, n_features, seed = (values[part.key] for part in (N_TOKENS, N_FEATURES, SEED))
    found = found_by_search(one.number, n_tokens, n_features, seed)
    tried = f"Matrices tried: {found.tried}. They meet the condition: {found.applied}."
    if found.x is not None and found.nearest:
        worst = format_number(found.nearest.excess, 4)
        return [
            Note(f"{tried} The worst violation is {worst}.", "wrong"),
            Button(f"Load the tokens that violate {one.number}", sets_of_tokens(found.x)),
        ]
    margin = -found.nearest.excess if found.nearest else None
    says = f"Violations: none. Smallest margin: {number_or_dash(margin)} (below 0: rounding)."
    return [Note(f"{tried} {says}", "right")]


PROPOSITION_PAGE = BlockPage("propositions", lambda _: ALL_CHOICES, _blocks)
