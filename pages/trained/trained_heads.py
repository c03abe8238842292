"""All heads of a model on the user's sentence, as one picture."""

from attention_ui.blocks import show_page
from attention_ui.trained.uploaded_heads import draw_upload
from attention_viz.trained.head_pages import UPLOAD
from attention_viz.trained.trained_heads_page import TRAINED_HEADS

show_page(TRAINED_HEADS, {UPLOAD: draw_upload})
