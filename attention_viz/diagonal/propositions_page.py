"""The page *Propositions*: fourteen statements about the diagonal, each checked on the tokens
shown, with its proof and a search for a counterexample.
"""

from collections.abc import Sequence

from attention_core import Trace
from attention_lab.cache import cached
from attention_lab.diagonal.claims.catalogue import CONDITION, FALSE
from attention_lab.diagonal.facts import (
    CheckFacts,
    PropositionFacts,
    SearchFacts,
    proposition_facts,
)
from attention_lab.diagonal.propositions.catalogue import (
    PROPOSITIONS,
    THEOREM,
    Proposition,
    find_proposition,
)
from attention_lab.diagonal.propositions.counterexamples import Search, search
from attention_lab.diagonal.settings import trace_of_settings
from attention_lab.url_values import MAX_SEED

from .. import blocks as b
from ..block_page import page_of_facts
from ..page_choices import Choice, Number, Select
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
    typed_numbers,
)
from .in_words import describe_pair, number_or_dash, quoted_names
from .self_attention_mass import diagonal_board

STATUS = {THEOREM: ":green[theorem]", CONDITION: ":orange[under a condition]", FALSE: ":red[false]"}
PROOFS = {THEOREM: "Proof", CONDITION: "Proof", FALSE: "The step that fails"}
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


def _trace_and_cell(view: StoryView, values: b.Values) -> tuple[Trace, tuple[int, int]]:
    trace = trace_of_settings(settings_of(view, values, with_layer=False))
    return trace, pair_of(trace, values)


def _found(values: b.Values) -> Search | None:
    """What the search has found that the URL asks for."""
    if values[SEARCHED.key] == NONE:
        return None
    sizes = (values[part.key] for part in (N_TOKENS, N_FEATURES, SEED))
    return found_by_search(values[SEARCHED.key], *sizes)


def _facts(view: StoryView, values: b.Values) -> PropositionFacts:
    return proposition_facts(*_trace_and_cell(view, values), _found(values))


ABOUT_PAIRS = b.Text(
    "The matrix shows attention without weights ($Q = K = V = X$)."
    " [Slides](questions?concepts_text=slides&verdict=always.condition.false) on multi-head"
    " attention argue that **no weight exceeds both diagonal weights** of its pair of tokens:"
    " $a_{ij} \\le \\max(a_{ii}, a_{jj})$. For scores this is true. For attention weights it is"
    " **false**, because each row is divided by a sum of its own."
)


def _blocks(view: StoryView, values: b.Values, facts: PropositionFacts) -> Sequence[b.Block]:
    """The matrix, which propositions it violates, and all of them. Raises: AttentionError."""
    settings = settings_of(view, values, with_layer=False)
    trace, cell = _trace_and_cell(view, values)
    board = b.Board(diagonal_board(trace, cell), "propositions", fits=True, sets=PAIR_SETS)
    told: list[b.Block] = [
        ABOUT_PAIRS,
        b.Text(describe_pair(trace, facts.pair)),
        b.Formula(FORMULAS),
    ]
    cards = [
        _card(one, check, trace, [*_search(one, values, facts.search)])
        for one, check in zip(PROPOSITIONS, facts.checks, strict=True)
    ]
    return [
        b.Text(
            f"Propositions that these tokens violate: **{', '.join(facts.violated) or 'none'}**."
        ),
        *typed_numbers(settings, values),
        b.Beside(([board], told), (3, 2)),
        *cut_notes(settings.text, is_read=settings.tokens == "sentence"),
        *examples(settings),
        b.Folded("Other tokens", token_rows(settings, values)),
        b.Heading("Fourteen propositions"),
        b.Text(
            "Each proposition is checked on the tokens above. A theorem holds for all tokens: no"
            " search finds a counterexample. A false proposition may hold for *these* tokens; a"
            " search finds others that violate it."
        ),
        b.row(values, N_TOKENS, N_FEATURES, SEED),
        b.Text(f"A search tries {TRIES} random token matrices of this size.", small=True),
        *(b.Beside((cards[n], cards[n + 1]), (1, 1)) for n in range(0, len(cards), 2)),
        b.Text(
            "With tied weights ($W_K = W_Q$) all that is proved here holds for the queries $x_i W$"
            " instead of the tokens, because the scores are again a Gram matrix: dot products of"
            " vectors with each other. With other weights none of it need hold.",
            small=True,
        ),
    ]


TONES: dict[str, b.Tone] = {"does not apply": "info", "one token": "info"}
TONES |= {"tie": "wrong", "violated": "wrong", "equal": "right", "margin": "right"}


def _card(
    one: Proposition, check: CheckFacts, trace: Trace, search: list[b.Block]
) -> list[b.Block]:
    """A proposition in words and as a formula, its status, the check on the tokens shown, its
    proof and a search.
    """
    proof = [b.Text(line) for line in one.proof]
    if one.failing_step:
        proof.append(b.Text(f":red[**The step that fails:**] {one.failing_step}"))
    return [
        b.Text(f"**{one.number} · {one.title}** {STATUS[one.status]}"),
        b.Formula(one.latex),
        b.Text(one.statement),
        b.Note(f"**On these tokens it** {describe_check(check, trace)}", TONES[check.outcome]),
        *([b.Text(one.condition, small=True)] if one.condition else []),
        b.Folded(f"{PROOFS[one.status]} of {one.number}", proof),
        *search,
    ]


def describe_check(check: CheckFacts, trace: Trace) -> str:
    """The result of the check on these tokens: holds or violated, by how much, and where."""
    names = [quoted_names(trace)[place] for place in check.where]
    sides = zip(("row", "column"), names, strict=False)
    place = f" in {', '.join(f'{side} {name}' for side, name in sides)}" * bool(names)
    return {
        "does not apply": "does not apply. These tokens do not meet its condition.",
        "one token": ("does not apply. There is one token, and the proposition is about two."),
        "tie": f"is violated: a tie{place}.",
        "violated": f"is violated. Largest violation: **{check.by}**{place}.",
        "equal": "holds. The two sides agree up to rounding.",
        "margin": f"holds. Smallest margin: {check.by}{place}.",
    }[check.outcome]


def _search(one: Proposition, values: b.Values, facts: SearchFacts | None) -> list[b.Block]:
    """The button that searches, or what the search has found."""
    if facts is None or values[SEARCHED.key] != one.number:
        return [
            b.Button(f"Search for a counterexample of {one.number}", {SEARCHED.key: one.number})
        ]
    searched = _found(values)
    tried = f"Matrices tried: {facts.tried}. They meet the condition: {facts.applied}."
    if facts.worst is not None and searched and searched.x is not None:
        return [
            b.Note(f"{tried} The worst violation is {facts.worst}.", "wrong"),
            b.Button(f"Load the tokens that violate {one.number}", sets_of_tokens(searched.x)),
        ]
    margin = number_or_dash(facts.margin)
    says = f"Violations: none. Smallest margin: {margin} (below 0: rounding)."
    return [b.Note(f"{tried} {says}", "right")]


PROPOSITION_PAGE = page_of_facts("propositions", lambda _: ALL_CHOICES, _facts, _blocks)
