"""What is said of sentences besides that of the sidebar, and of places that they lack."""

from attention_lab.choices import user_matrices_of
from attention_lab.scenario import Scenario
from attention_lab.user_data.matrix_names import MAX_TOKENS


def cut_note(name: str, n_real: int, n_left_out: int, scenario: Scenario) -> str:
    """That tokens of a sentence were left out, and how to make room for them; "" if none were.

    The user's own X decides the length instead of the control.
    """
    if not n_left_out:
        return ""
    n_whole = n_real + n_left_out
    remedy = "A shorter sentence fits."
    if n_whole <= MAX_TOKENS and user_matrices_of(scenario).x is None:
        remedy = f"Sequence length {n_whole} in the sidebar makes room for all."
    return (
        f"Tokens of the {name} left out: **{n_left_out} of {n_whole}**; there is room for {n_real}."
        f" {remedy}"
    )


def within(word: str, chosen: int, size: int) -> tuple[int, str]:
    """The chosen place, or the last one if there are fewer, and then a note that says so."""
    if chosen < size:
        return chosen, ""
    return size - 1, f"There is no {word} {chosen} here; the last one, {size - 1}, is shown."
