"""A page that is described once: its choices, and a function of them that returns blocks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Block, Values
from .page_choices import Choice, counted, taken_back
from .story.story_view import StoryView


@dataclass(frozen=True)
class BlockPage:
    """A page. choices: all that its URL can hold beside the choices of the layer; what they offer
    may depend on the layer.

    blocks: what the page shows. Raises: AttentionError if there is nothing to show. lead: a choice
    on which the others depend; `choices` gets its value after the view. facts: the record from
    which the sentences of the page take their values, see `page_of_facts`.
    """

    url_path: str
    choices: Callable[..., Sequence[Choice]]
    blocks: Callable[[StoryView, Values], Sequence[Block]]
    lead: Choice | None = None
    facts: Callable[[StoryView, Values], Any] | None = None

    def read(
        self, view: StoryView, value_of: Callable[[Choice], Any]
    ) -> tuple[tuple[Choice, ...], dict[str, Any]]:
        """All choices, and the value of each as `value_of` gives it. Raises: AttentionError."""
        leads = (self.lead,) if self.lead else ()
        values = {one.key: value_of(one) for one in leads}
        choices = (*leads, *self.choices(view, *values.values()))
        return choices, values | {one.key: value_of(one) for one in choices[len(leads) :]}

    def after(
        self,
        view: StoryView,
        parameters: Mapping[str, Sequence[str]],
        changes: Mapping[str, Any],
    ) -> tuple[tuple[Choice, ...], dict[str, Any], list[str]]:
        """All choices, their values in a URL after some changes, and a sentence for each that the
        URL asks for in vain. Raises: AttentionError for a change that cannot be.
        """
        refused: list[str] = []

        def value_of(choice: Choice) -> Any:
            if choice.key in changes:
                given = changes[choice.key]
                return choice.read(given if isinstance(given, str) else choice.text(given))
            value, sentences = choice.asked(parameters)
            refused.extend(sentences)
            return value

        choices, values = self.read(view, value_of)
        back = taken_back(choices, changes.keys())
        values |= {one.key: one.default for one in choices if one.key in back}
        before = {one.key: one.asked(parameters)[0] for one in choices}
        return choices, values | counted(choices, before, values), refused


def page_of_facts(
    url_path: str,
    choices: Callable[..., Sequence[Choice]],
    facts: Callable[[StoryView, Values], Any],
    blocks: Callable[..., Sequence[Block]],
    lead: Choice | None = None,
) -> BlockPage:
    """A page whose `blocks` get its facts after the view and the values. facts: a record that a
    function of `attention_lab` makes from the choices. Raises: AttentionError.
    """

    def drawn(view: StoryView, values: Values) -> Sequence[Block]:
        return blocks(view, values, facts(view, values))

    return BlockPage(url_path, choices, drawn, lead, facts)
