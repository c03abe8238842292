"""What one looks at in the story: the choices, the cell in focus, the notation, the switches."""

from dataclasses import dataclass, field, replace

from attention_core import Trace
from attention_core.wording import Layout
from attention_lab.block import BlockChoices
from attention_lab.choices import Run, resolve
from attention_lab.column_names import column_names
from attention_lab.focus import Focus
from attention_lab.notation.notation import OURS, Notation, Symbol, symbol, written_name
from attention_lab.notation.texts import NOTATIONS
from attention_lab.scenario import Scenario, sequence_of, trace_of
from attention_lab.sentences import in_batch, sentences_of, tokens_of, weights_in_force
from attention_lab.url_choices import UrlChoices
from attention_lab.whose_heads import OwnHeads
from attention_lab.words.text import Tokens

from ..layer_caption import layer_caption
from ..markdown import escape_markdown
from ..names import symbol_of
from ..payload import Stage


@dataclass(frozen=True)
class StoryView:
    """All that decides what a step of the story shows.

    layer: if it is not made from the choices. sequence: the place of the sentence that is shown
    in the batch. chosen: the choices as the controls hold them, where the page may run others.
    before: the scenario before the last choice, while notes describe the change. which:
    queries, keys or values. block: the choices of the step *Block*. whole: whether steps show
    the columns of all heads, or only those of the head in focus. own_scale: whether each head
    has colours of its own. hide: whether the result is covered. guess: whether the steps ask
    first. present: whether the step stands alone. pieces: whether pieces of a word stand alone in
    the sentence. unmasked: whether the mask step is shown as it is where the layer has no mask.
    lesson: its name and its moment. covers: what is covered until the question of the moment is
    answered, one of `COVERS`. own_heads: those of a file of the user. home: the URL of the
    app or the site, for links on paper.
    """

    scenario: Scenario = field(default_factory=Scenario)
    focus: Focus = field(default_factory=lambda: Focus(0, 0, 0, 0))
    notation: Notation = OURS
    layer: Trace | None = None
    sequence: int = 0
    chosen: Scenario | None = None
    before: Scenario | None = None
    which: str = "queries"
    block: BlockChoices = field(default_factory=BlockChoices)
    whole: bool = False
    own_scale: bool = False
    hide: bool = False
    guess: bool = False
    present: bool = False
    pieces: bool = False
    unmasked: bool = False
    lesson: str = ""
    covers: str = ""
    own_heads: OwnHeads | None = None
    home: str = ""

    @property
    def trace(self) -> Trace:
        """The layer that is shown, with one sequence of a batch. Raises: AttentionError if the
        choices make no layer.
        """
        return self.layer or sequence_of(self.scenario, self.sequence)

    @property
    def run(self) -> Run:
        """The scenario as it is run. Raises: AttentionError."""
        return resolve(self.scenario)

    @property
    def batch(self) -> Trace:
        """The layer with all sequences of the batch. Raises: AttentionError."""
        return self.layer or trace_of(self.scenario)

    @property
    def shown(self) -> Scenario:
        """The scenario of the sentence that is shown, as it stands in the batch. Raises:
        AttentionError.
        """
        return in_batch(self.scenario, self.sequence)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the batch; one without a batch. Raises: AttentionError."""
        if self.layer is not None:
            return (self.scenario.text,)
        return sentences_of(self.scenario)

    @property
    def sequences(self) -> tuple[Tokens, ...]:
        """The tokens of every sequence of a batch. Raises: AttentionError."""
        places = range(len(self.sentences))
        return tuple(tokens_of(in_batch(self.scenario, place)) for place in places)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of every sequence as words. Raises: AttentionError."""
        return tuple(sequence.tokens for sequence in self.sequences)

    @property
    def sentence(self) -> str:
        """The sentence and the other choices, in one line for a hand-out."""
        caption, n_batch = layer_caption(self.shown, self.trace, self.notation), len(self.sentences)
        if n_batch > 1:
            caption += f"; sequence {self.sequence} of a batch of {n_batch}, [pad] keys hidden"
        return caption

    @property
    def own_letters(self) -> str:
        """A sentence before counts, whose letters are ours in every notation."""
        return "Counts have our own letters. " * (not self.notation.has_our_letters)

    @property
    def layout(self) -> Layout:
        """The words for rows and columns, as the boards show them."""
        return self.notation.layout

    def written(self, name: str, on_board: bool = False) -> str:
        """A matrix or a size in the chosen notation. on_board: the matrix whose rows and columns a
        sentence names, which for weights is the transposed one where tokens are columns.

        A size of several words gets brackets, because it may be a factor.
        """
        if on_board:
            return symbol_of(written_name(self.trace, name), self.notation)
        if name not in ("d_k", "d_v"):
            return symbol(written_name(self.trace, name), self.notation).plain
        width = Symbol(self.notation.width(self.trace, name)).plain
        return f"({width})" if " " in width else width

    def symbol(self, name: str, on_board: bool = False) -> str:
        """The same as Markdown."""
        return escape_markdown(self.written(name, on_board))

    @property
    def stage(self) -> Stage:
        """The arrays from which the boards of the page are drawn."""
        stage = Stage(
            self.trace, own_scale=self.own_scale, notation=self.notation, pieces=self.pieces
        )
        if self.scenario.edits:
            unedited = replace(self.scenario, edits="")
            stage = replace(stage, before=sequence_of(unedited, self.sequence))
        if self.layer is None:
            stage = replace(stage, names=column_names(self.scenario))
        if len(self.sentences) > 1:
            stage = replace(stage, n_real=tokens_of(self.shown).n_real)
        return stage


def view_of(choices: UrlChoices) -> StoryView:
    """The view that a URL chooses; places beyond the layer become the last ones.

    Raises: AttentionError if the choices make no layer.

    >>> view_of(UrlChoices(Scenario(n_heads=2), Focus(7, 0, 0, 0))).focus.head
    1
    """
    switches = {name: choice for name, choice in choices.view.items() if name != "notation"}
    scenario = weights_in_force(choices.scenario)
    view = StoryView(
        scenario,
        notation=NOTATIONS[choices.view["notation"]],
        sequence=min(choices.sentence, len(sentences_of(scenario)) - 1),
        chosen=choices.scenario,
        which=choices.which,
        block=choices.block,
        unmasked=choices.unmasked,
        **switches,
    )
    return replace(view, focus=choices.focus.inside(view.trace))
