"""Practice: questions on the user's own layer, one by one or as a set with one's own numbers."""

from attention_ui.page_context import page_context
from attention_ui.practice import ask_question
from attention_ui.practice_set import ask_set
from attention_ui.url_state import PERSISTENCE, choose_one

MODES = {"one by one": ask_question, "a set to hand in": ask_set}

now = page_context()
mode = choose_one(
    "Questions", MODES, "one by one", key="pr_mode", label_visibility="collapsed", **PERSISTENCE
)
MODES[mode](now)
