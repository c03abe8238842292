"""What the layer cannot see: changes of its input and its weights that do not show in its
output.
"""

from attention_ui.masks.invariance_topics import TOPICS
from attention_ui.page_context import page_context
from attention_ui.url_state import KEPT, choose_one

now = page_context()
topic = choose_one(
    "Topic", TOPICS, "shuffle", key="inv_topic", label_visibility="collapsed", **KEPT
)
TOPICS[topic](now)
