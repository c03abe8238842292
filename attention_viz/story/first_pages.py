"""What the pages *Overview* and *Tokens* say below their stages."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

from attention_core.derivation import Derivation
from attention_lab.page_list import step_of
from attention_lab.sentences import embedding_of
from attention_lab.story.inputs import OverviewFacts, TokenFacts, overview_facts, token_facts
from attention_lab.trained.allowed_models import STORIES
from attention_lab.weight_kinds import LANGUAGE_MODEL, TRAINED
from attention_lab.words.embeddings import derive_input
from attention_lab.words.numbers import format_number, format_percent, with_minus_signs

from .. import blocks as b
from ..markdown import escape_markdown
from ..reference.questions_page import ASKED_WORDS, asked_blocks
from .closer import story_download
from .same_word import same_word_blocks
from .step_page import derivation_line, in_focus, step_page, token
from .story_view import StoryView


def _overview(view: StoryView, values: b.Values) -> list[b.Block]:
    return [
        *same_word_blocks(view),
        *chain.from_iterable(
            _numbered(place, *told) for place, told in enumerate(_sentences(view), 1)
        ),
        story_download(view, "overview"),
        *asked_blocks(values),
    ]


def _sentences(view: StoryView) -> list[tuple[str, str, tuple[str, ...]]]:
    """The layer in five sentences: of each a title, its text, and the fields that it is about."""
    facts, sizes = overview_facts(view.trace, view.focus), view.trace.sizes
    said = partial(view.trace.sentence, layout=view.layout)
    asking = token(view, "T", view.focus.query)
    return [
        (
            "A sentence becomes numbers.",
            f"{said('inputs')} Tokens here: {sizes['T']}; numbers for each: {sizes['D']}.",
            ("inputs",),
        ),
        (
            "Every token asks, offers and prepares.",
            _projected(view, facts),
            ("queries", "query_heads"),
        ),
        (
            "Queries meet keys.",
            f"{said('scores')} {_compared(view, facts, asking)}",
            ("scores", "scaled_scores", "masked_scores"),
        ),
        (
            "Scores become shares.",
            f"{said('probabilities')} In head {view.focus.head}, {_reads(view, facts, asking)}.",
            ("probabilities",),
        ),
        (
            "Values are mixed, heads are joined.",
            f"{said('head_outputs')} {said('output')}",
            ("head_outputs", "merged", "output"),
        ),
    ]


def _projected(view: StoryView, facts: OverviewFacts) -> str:
    """What the projections make of a token."""
    w_q, w_k, w_v = (view.symbol(name) for name in ("w_q", "w_k", "w_v"))
    words, sizes, added = view.layout, view.trace.sizes, ""
    if facts.biases:
        added = f" Added to the products: {', '.join(map(view.symbol, facts.biases))}."
    return (
        f"Its whole {words.row}, times :blue[{w_q}], :red[{w_k}] and :green[{w_v}], gives a"
        " :blue[query] (what it looks for), a :red[key] (what it is found by) and a"
        f" :green[value] (what it passes on).{added} Heads: {sizes['H']}. Each gets"
        f" its own {words.column}s; numbers of a query for one head: {sizes['K']}."
    )


def _compared(view: StoryView, facts: OverviewFacts, asking: str) -> str:
    """One score, and what becomes of all."""
    return (
        f"In head {view.focus.head}, the query of {asking} and the key of"
        f" {token(view, 'S', view.focus.key)} give {format_number(facts.score)}. Then every score"
        f" is multiplied by {with_minus_signs(f'{facts.scale:.3g}')}. Cells hidden by the mask:"
        f" {facts.n_hidden:,} of {facts.n_cells:,}."
    )


def _numbered(place: int, title: str, text: str, fields: Sequence[str]) -> list[b.Block]:
    """A sentence of the overview, with links to the steps that it is about."""
    pages = [step_of(field) for field in fields]
    links = tuple(b.Link(page.title, page.url_path) for page in pages)
    return [b.Text(f"**{place} · {title}** {text}"), b.Row(links)]


def _reads(view: StoryView, facts: OverviewFacts, asking: str) -> str:
    if not facts.row.strongest:
        return f"{asking} sees no key"
    key, share = facts.row.strongest[0]
    goes = f"to {token(view, 'S', key)}"
    if facts.row.tied > 1:
        goes = f"equally to each of {facts.row.tied} tokens"
    return f"the largest share of {asking} goes {goes}: {format_percent(share)}"


OVERVIEW = step_page("overview", _overview, ASKED_WORDS)

OWN = "from a folder"
CUT_AS = {
    TRAINED.name: (
        "The sentence is cut into **tokens** as the trained model does it: small letters without"
        " accents. A word that it does not know becomes pieces marked ##, or [UNK] if a piece is"
        " unknown, too. [CLS] stands first and [SEP] last."
    ),
    LANGUAGE_MODEL.name: (
        "The sentence is cut into **pieces** as the language model does it. It knows 512: texts"
        " that are frequent in its stories, and all 256 bytes. So it can read every word, also one"
        " that it has never seen, with a small table of vectors. A word that is no piece is made of"
        " several, such as “f”, “r”, “o”, “g”, which stand closer together than words. Before the"
        " first word stands \\<s\\>, the start of a text."
    ),
    OWN: (
        "The sentence is cut into **pieces** as the tokenizer of {model} does it. A word that is no"
        " piece is made of several, which stand closer together than words."
    ),
    "": (
        "The sentence is cut into **tokens**: words, punctuation marks and emoji, each with its"
        " position."
    ),
}


def _facts(view: StoryView, query: int, number: int) -> TokenFacts:
    unedited = view.stage.before or view.trace
    return token_facts(view.shown, view.trace, unedited, query, number)


def _number_in_focus(view: StoryView, field: str) -> Derivation:
    """A number of a token: that of its word plus that of its position, if it is their sum."""
    query, number = view.focus.index(view.trace, field)[1:]
    if _facts(view, query, number).is_sum:
        return derive_input(embedding_of(view.shown), query, number)
    return in_focus(view, field)


def _tokens(view: StoryView, _: b.Values, derivation: Derivation) -> list[b.Block]:
    query, number = derivation.index[1:]
    facts, model = _facts(view, query, number), view.shown.model
    is_own = facts.pieces_of == LANGUAGE_MODEL.name and model != STORIES
    cut_as = OWN if is_own else facts.pieces_of
    pieces = ""
    if facts.piece and not facts.pieces_of:
        pieces = f" Words are cut into pieces. Most characters in a piece: {facts.piece}."
    title = f"**Number {number} of token {query}, {token(view, 'T', query)}"
    title += ":** word + position = input" if facts.is_sum else "**"
    x, memory = view.symbol("inputs"), view.symbol("memory")
    memory_is = f" ({memory} = {x})" * (memory != x)
    return [
        b.Text(CUT_AS[cut_as].format(model=escape_markdown(model)) + pieces),
        b.caption(f"From orange (negative) to violet (positive). {_origin(view, facts)}"),
        derivation_line(derivation, title),
        b.caption(
            "Queries, keys and values are all made from these numbers: in self-attention the"
            f" *memory*, the tokens that are looked at, is the sentence itself{memory_is}."
        ),
    ]


def _origin(view: StoryView, facts: TokenFacts) -> str:
    """Where the numbers come from."""
    says = {
        "own": (
            f"{view.symbol('inputs')} is your own matrix: its numbers replace word vectors and"
            " position codes."
        ),
        "encoder": (
            f"This is the input of layer {facts.layer} of the trained model. Before its first"
            " layer, word vectors and position vectors were added and normalised. Layers since:"
            f" {facts.layer}."
        ),
        "stream": (
            f"This is the input of layer {facts.layer} of the language model: what the layers"
            " before it have made of the vectors of the pieces, divided by its root mean square,"
            " times a gain."
        ),
        "start": (
            "This is the input of layer 0 of the language model: the vector of each piece, divided"
            " by its root mean square, times a gain. It holds no position: that comes with the"
            " turns of queries and keys."
        ),
        "by hand": (
            "The numbers here have names: the part of speech of the word, in the example *Gender"
            " and number* these two as well, a 1, and the position as cosine and sine of an angle,"
            " in eighths. A list knows common words. Of the others, those with a capital letter"
            " count as names, and the rest as *other*."
        ),
        "words": (
            "The word vectors here are random. Each is made from a hash of the letters of the word:"
            " the same spelling always has the same vector (“The” and “the” have two), and the"
            " numbers have no meaning. Only training would move words of similar meaning near each"
            f" other. {POSITIONS[facts.positions]}"
        ),
    }[facts.origin]
    return says + " Edited cells hold your own numbers instead." * facts.is_edited


POSITIONS = {
    True: (
        "The position code is the same for every sentence: waves from fast (the first numbers) to"
        " slow (the last), so that the position of a token can be read from it."
    ),
    False: "Positions are off: the code is zero, so no number of a token says where it stands.",
}
TOKENS = step_page("tokens", _tokens, derived=_number_in_focus)
