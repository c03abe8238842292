"""Every page of the app, in the order of the menu."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page: its file, its address, its names, the question it answers, and the trace fields it shows."""

    path: str
    url_path: str
    title: str
    icon: str
    section: str
    question: str
    fields: tuple[str, ...] = ()


SECTIONS = {"story": "The story"}

PAGES: tuple[Page, ...] = (
    Page(
        "pages/story/overview.py", "overview", "Overview", ":material/map:", "story",
        "What happens to a sentence on its way through one attention layer?",
        ("inputs", "queries", "keys", "values", "scores", "probabilities", "head_outputs", "merged", "output"),
    ),
    Page(
        "pages/story/tokens.py", "tokens", "Tokens", ":material/short_text:", "story",
        "How does a sentence become numbers?", ("inputs", "memory"),
    ),
    Page(
        "pages/story/projections.py", "projections", "Projections", ":material/call_split:", "story",
        "Where do queries, keys and values come from?", ("queries", "keys", "values"),
    ),
    Page(
        "pages/story/split.py", "split", "Split", ":material/view_column:", "story",
        "How do the heads share one wide matrix?", ("query_heads", "key_heads", "value_heads"),
    ),
    Page(
        "pages/story/scores.py", "scores", "Scores", ":material/grid_on:", "story",
        "How well does each query fit each key?", ("scores",),
    ),
    Page(
        "pages/story/scale.py", "scale", "Scale", ":material/straighten:", "story",
        "Why is every score multiplied by the same number?", ("scaled_scores",),
    ),
    Page(
        "pages/story/mask.py", "mask", "Mask", ":material/visibility_off:", "story",
        "Which keys may a query not see?", ("masked_scores",),
    ),
    Page(
        "pages/story/softmax.py", "softmax", "Softmax", ":material/percent:", "story",
        "How do scores become shares that sum to 1?", ("probabilities",),
    ),
    Page(
        "pages/story/mixing.py", "mixing", "Mixing", ":material/blender:", "story",
        "What does a token receive from the tokens it attends to?", ("head_outputs",),
    ),
    Page(
        "pages/story/merge.py", "merge", "Merge", ":material/merge:", "story",
        "How do the heads become one matrix again?", ("merged",),
    ),
    Page(
        "pages/story/output.py", "output", "Output", ":material/output:", "story",
        "What does W_O do with what the heads found?", ("output",),
    ),
)  # fmt: skip


def story() -> tuple[Page, ...]:
    """The steps of the layer, in order."""
    return tuple(page for page in PAGES if page.section == "story")


def page_of(url_path: str) -> Page:
    """The page at an address; the first page for the empty one."""
    return next((page for page in PAGES if page.url_path == url_path), PAGES[0])


def step_of(field: str) -> Page:
    """The step of the story that tells about a trace field."""
    return next((page for page in story()[1:] if field in page.fields), PAGES[0])
