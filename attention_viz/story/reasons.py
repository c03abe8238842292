"""Parts of the sentences beside the picture of a step: numbers of now, and what can be tried."""

from attention_lab.heads.keys_read import ReadRow
from attention_lab.story.seen import CellSeen, cell_seen

from ..payload import JSON
from ..step_scene import Note
from .misplaced import short_quote
from .story_view import StoryView

PIN = "pin"  # the act that looks at another cell of the board, in reach on every board


def asking(view: StoryView) -> str:
    """The query in focus in quotation marks."""
    return short_quote(view.trace.labels("T"), view.focus.query)


def asked(view: StoryView) -> str:
    """The key in focus in quotation marks."""
    return short_quote(view.trace.labels("S"), view.focus.key)


def number_in_focus(view: StoryView, board: JSON) -> CellSeen:
    """What is seen in the cell of a board, whose number is one of the trace."""
    return cell_seen(view.trace, board["cell"]["array"], board["cell"]["index"])


def another_cell(text: str, board: JSON, axis: int, place: int | None = None) -> tuple[Note, ...]:
    """Looking at another cell of the array in focus; nothing if there is no such one. place: along
    the axis; None for the next one of those that were sent.
    """
    cell = board["cell"]
    index, array = list(cell["index"]), board["arrays"][cell["array"]]
    start, length = array.get("start", [0] * len(index))[axis], array["shape"][axis]
    if place is None:
        place = start + (index[axis] - start + 1) % length
    if place == index[axis] or not start <= place < start + length:
        return ()
    index[axis] = place
    return (Note(text, "Look at it", PIN, {"array": cell["array"], "index": index}),)


def farthest(seen: CellSeen, board: JSON) -> tuple[Note, ...]:
    """The number of the same vector that is farthest from 0; nothing if it stands alone."""
    says = f"Of its other numbers, {seen.other} is farthest from 0."
    return another_cell(says, board, -1, seen.other)


def another_head(view: StoryView, text: str) -> tuple[Note, ...]:
    """The next head; nothing if there is one alone."""
    n_heads = view.trace.sizes["H"]
    if n_heads == 1:
        return ()
    head = (view.focus.head + 1) % n_heads
    return (Note(text, f"Head {head}", "head", head),)


def another_matrix(now: str, *all_of_them: str) -> tuple[Note]:
    """The next one of queries, keys and values."""
    there = all_of_them[(all_of_them.index(now) + 1) % len(all_of_them)]
    says = f"The same step makes {there}, too: compare their numbers with these."
    return (Note(says, there.capitalize(), "which", there),)


def longer(view: StoryView) -> tuple[Note]:
    """What is left to try where the picture has one cell alone."""
    n_tokens = view.trace.sizes["T"] + 1
    says = f"A sequence of length {n_tokens} has more numbers to compare."
    return (Note(says, f"Length {n_tokens}", "n_tokens", n_tokens),)


def elsewhere(view: StoryView, board: JSON) -> tuple[Note, ...]:
    """Another cell of a matrix of scores or shares."""
    return (
        another_cell("Another key of the same query has a number of its own.", board, -1)
        or another_cell("Another query has numbers of its own.", board, -2)
        or another_head(view, "The next head has numbers of its own.")
        or longer(view)
    )


def what_is_read(view: StoryView, facts: ReadRow) -> str:
    """From which key the query in focus reads most, without a full stop."""
    if facts.key is None:
        return f"{asking(view)} sees no key: its shares are all 0"
    read = short_quote(view.trace.labels("S"), facts.key)
    if facts.tied > 1:
        read = f"each of {facts.tied} tokens"
    return f"{asking(view)} reads {facts.share} from {read}"
