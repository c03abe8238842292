"""For teachers: lessons, homework, a test before and after, links, a lesson of one's own."""

from attention_ui.blocks import show_page
from attention_ui.teach.lessons import LESSON_PARTS
from attention_viz.teach.for_teachers_page import FOR_TEACHERS

show_page(FOR_TEACHERS, LESSON_PARTS)
