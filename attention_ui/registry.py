"""Every page of the app, in the order of the menu."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OwnControls:
    """What a section that looks after itself says above the controls of all pages, and which of
    them it uses.
    """

    says: str
    used: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page: its file, its address, its names, the question it answers, and the trace fields it
    shows.

    looks_into: what names the cell that is explained, of head, query, key and feature; nothing
    where none is. on_boards: whether that cell lies on boards, which a notation may transpose;
    charts and tables stay as they are.
    """

    path: str
    url_path: str
    title: str
    icon: str
    section: str
    question: str
    fields: tuple[str, ...] = ()
    looks_into: tuple[str, ...] = ()
    on_boards: bool = True

    @property
    def own_controls(self) -> OwnControls | None:
        """What stands above the controls of all pages where few of them count; None where all
        do.
        """
        return (
            None if self.url_path in ("your-weights", "arrays") else OWN_CONTROLS.get(self.section)
        )

    @property
    def needs_layer(self) -> bool:
        """Whether nothing can be shown where the controls make no layer; a file of attention
        needs none.
        """
        return self.url_path != "your-weights"


SECTIONS = {
    "story": "The story",
    "heads": "Heads",
    "masks": "Masks and kinds",
    "diagonal": "The diagonal",
    "trained": "Trained heads",
    "labs": "Laboratories",
    "reference": "Reference",
}

OWN_CONTROLS = {
    "diagonal": OwnControls(
        "This section uses the sentence; everything else is chosen on its pages.", ("text",)
    ),
    "trained": OwnControls(
        "This section uses the sentence; sizes, weights and mask are the model's.",
        ("text", "n_tokens"),
    ),
    "labs": OwnControls(
        "A laboratory has its own controls on its page. What was set for other sections stays here."
    ),
    "reference": OwnControls(
        "This page is the same for every sentence. What was set for other sections stays here."
    ),
}

PAIR, NUMBER, ANY_CELL = (
    ("head", "query", "key"),
    ("head", "query", "feature"),
    ("head", "query", "key", "feature"),
)

PAGES: tuple[Page, ...] = (
    Page(
        "pages/story/overview.py",
        "overview",
        "Overview",
        ":material/map:",
        "story",
        "What happens to a sentence on its way through one attention layer?",
        (
            "inputs",
            "queries",
            "keys",
            "values",
            "scores",
            "probabilities",
            "head_outputs",
            "merged",
            "output",
        ),
        looks_into=PAIR,
    ),
    Page(
        "pages/story/tokens.py",
        "tokens",
        "Tokens",
        ":material/short_text:",
        "story",
        "How does a sentence become numbers?",
        ("inputs", "memory"),
        looks_into=("query", "feature"),
    ),
    Page(
        "pages/story/projections.py",
        "projections",
        "Projections",
        ":material/call_split:",
        "story",
        "Where do queries, keys and values come from?",
        ("queries", "keys", "values"),
        looks_into=ANY_CELL,
    ),
    Page(
        "pages/story/split.py",
        "split",
        "Split",
        ":material/view_column:",
        "story",
        "How do the heads share one wide matrix?",
        ("query_heads", "key_heads", "value_heads"),
        looks_into=ANY_CELL,
    ),
    Page(
        "pages/story/scores.py",
        "scores",
        "Scores",
        ":material/grid_on:",
        "story",
        "How well does each query fit each key?",
        ("scores",),
        looks_into=PAIR,
    ),
    Page(
        "pages/story/scale.py",
        "scale",
        "Scale",
        ":material/straighten:",
        "story",
        "Why is every score multiplied by the same number?",
        ("scaled_scores",),
        looks_into=PAIR,
    ),
    Page(
        "pages/story/mask.py",
        "mask",
        "Mask",
        ":material/visibility_off:",
        "story",
        "Which keys may a query not see?",
        ("masked_scores",),
        looks_into=PAIR,
    ),
    Page(
        "pages/story/softmax.py",
        "softmax",
        "Softmax",
        ":material/percent:",
        "story",
        "How do scores become shares that sum to 1?",
        ("probabilities",),
        looks_into=PAIR,
    ),
    Page(
        "pages/story/mixing.py",
        "mixing",
        "Mixing",
        ":material/blender:",
        "story",
        "What does a token receive from the tokens it attends to?",
        ("head_outputs",),
        looks_into=NUMBER,
    ),
    Page(
        "pages/story/merge.py",
        "merge",
        "Merge",
        ":material/merge:",
        "story",
        "How do the heads become one matrix again?",
        ("merged",),
        looks_into=NUMBER,
    ),
    Page(
        "pages/story/output.py",
        "output",
        "Output",
        ":material/output:",
        "story",
        "What does W_O do with what the heads found?",
        ("output",),
        looks_into=NUMBER,
    ),
    Page(
        "pages/story/practice.py",
        "practice",
        "Practice",
        ":material/edit_note:",
        "story",
        "Can you work it out by hand?",
    ),
    Page(
        "pages/heads/all_heads.py",
        "all-heads",
        "All heads",
        ":material/apps:",
        "heads",
        "What does each head look at, and what is lost in their average?",
        ("scores", "scaled_scores", "masked_scores", "probabilities"),
        looks_into=PAIR,
        on_boards=False,
    ),
    Page(
        "pages/heads/head_portraits.py",
        "head-portraits",
        "What a head does",
        ":material/portrait:",
        "heads",
        "What kind of head is this, and which heads do the same?",
        looks_into=("head",),
        on_boards=False,
    ),
    Page(
        "pages/heads/head_worth.py",
        "head-worth",
        "What a head is worth",
        ":material/balance:",
        "heads",
        "How much of the output comes from each head, and what if one is missing?",
        looks_into=NUMBER,
    ),
    Page(
        "pages/heads/shared_keys.py",
        "shared-keys",
        "Shared keys and values",
        ":material/share:",
        "heads",
        "What changes, and what is saved, when heads share keys and values?",
        looks_into=PAIR,
    ),
    Page(
        "pages/heads/one_matrix_or_many.py",
        "one-matrix-or-many",
        "One matrix or many",
        ":material/dataset:",
        "heads",
        "Must heads be computed one by one, or can one product serve them all?",
        looks_into=PAIR,
    ),
    Page(
        "pages/masks/mask_workshop.py",
        "mask-workshop",
        "Mask workshop",
        ":material/grid_off:",
        "masks",
        "Which keys may a query see, and what becomes of those it may not?",
        looks_into=PAIR,
    ),
    Page(
        "pages/masks/encoder_decoder.py",
        "encoder-decoder",
        "Encoder, decoder, cross",
        ":material/compare_arrows:",
        "masks",
        "Who asks, who answers, and which mask belongs where?",
        looks_into=("head",),
    ),
    Page(
        "pages/masks/invariances.py",
        "invariances",
        "What the layer cannot see",
        ":material/visibility_off:",
        "masks",
        "Which changes of its input and its weights leave no trace in the output?",
        looks_into=PAIR,
    ),
    Page(
        "pages/masks/break_it.py",
        "break-it",
        "Break it",
        ":material/bug_report:",
        "masks",
        "What gives a broken layer away when all its shapes are right?",
        looks_into=PAIR,
    ),
    Page(
        "pages/diagonal/self_attention_mass.py",
        "self-attention-mass",
        "Self-attention mass",
        ":material/center_focus_strong:",
        "diagonal",
        "Does a token look at itself?",
    ),
    Page(
        "pages/diagonal/truths.py",
        "truths",
        "What is true",
        ":material/balance:",
        "diagonal",
        "Which statements about the diagonal are true, and which only sound true?",
    ),
    Page(
        "pages/diagonal/growth.py",
        "growth",
        "How it grows",
        ":material/trending_up:",
        "diagonal",
        "How many features does it take until tokens look at themselves?",
    ),
    Page(
        "pages/diagonal/geometry.py",
        "geometry",
        "In the plane",
        ":material/explore:",
        "diagonal",
        "Which tokens can out-vote a token in its own row?",
    ),
    Page(
        "pages/diagonal/depth.py",
        "depth",
        "Depth",
        ":material/stacks:",
        "diagonal",
        "What becomes of tokens when attention is stacked upon attention?",
    ),
    Page(
        "pages/diagonal/claims.py",
        "claims",
        "Claims",
        ":material/fact_check:",
        "diagonal",
        "What is said about attention, and what of it is true?",
    ),
    Page(
        "pages/trained/trained_heads.py",
        "trained-heads",
        "All heads of a model",
        ":material/grid_view:",
        "trained",
        "What do the heads of a trained model look at?",
    ),
    Page(
        "pages/trained/one_head.py",
        "one-head",
        "One head",
        ":material/center_focus_strong:",
        "trained",
        "What does one trained head do, cell by cell?",
    ),
    Page(
        "pages/trained/find_a_head.py",
        "find-a-head",
        "Find a head",
        ":material/search:",
        "trained",
        "Which head does what you are looking for?",
    ),
    Page(
        "pages/trained/change_a_word.py",
        "change-a-word",
        "Change one word",
        ":material/swap_horiz:",
        "trained",
        "Which heads notice when one word of a sentence changes?",
    ),
    Page(
        "pages/trained/layers.py",
        "layers",
        "Layer by layer",
        ":material/layers:",
        "trained",
        "How do the heads change from the first layer to the last?",
    ),
    Page(
        "pages/trained/your_weights.py",
        "your-weights",
        "Your own weights",
        ":material/upload_file:",
        "trained",
        "What do the heads of your own model look at?",
    ),
    Page(
        "pages/labs/training.py",
        "training",
        "Training",
        ":material/model_training:",
        "labs",
        "What do heads learn to look at, and what are more of them good for?",
    ),
    Page(
        "pages/labs/stiefel.py",
        "stiefel",
        "Orthonormal projections",
        ":material/square_foot:",
        "labs",
        "What changes when the columns of every head's matrices are orthonormal?",
    ),
    Page(
        "pages/labs/convolution.py",
        "convolution",
        "Convolution",
        ":material/blur_on:",
        "labs",
        "Can attention do what a convolution does?",
    ),
    Page(
        "pages/labs/lexicon.py",
        "lexicon",
        "Lexicon",
        ":material/dictionary:",
        "labs",
        "What would heads look at if their features had names?",
    ),
    Page(
        "pages/reference/arrays.py",
        "arrays",
        "Arrays",
        ":material/data_array:",
        "reference",
        "What does the layer compute, in which order, and how large is it?",
        looks_into=ANY_CELL,
        on_boards=False,
    ),
    Page(
        "pages/reference/glossary.py",
        "glossary",
        "Glossary",
        ":material/translate:",
        "reference",
        "Who calls what by which name?",
    ),
    Page(
        "pages/reference/concepts.py",
        "concepts",
        "Concepts",
        ":material/list_alt:",
        "reference",
        "Where can I see what the texts speak of, and what learners ask?",
    ),
    Page(
        "pages/reference/about.py",
        "about",
        "Sources and limits",
        ":material/info:",
        "reference",
        "Where does this come from, how far does it go, and who says that it is right?",
    ),
)


def story() -> tuple[Page, ...]:
    """The steps of the layer, in order."""
    return tuple(page for page in PAGES if page.section == "story" and page.fields)


def page_of(url_path: str) -> Page:
    """The page at an address; the first page for the empty one."""
    return next((page for page in PAGES if page.url_path == url_path), PAGES[0])


def step_of(field: str) -> Page:
    """The step of the story that tells about a trace field."""
    return next((page for page in story()[1:] if field in page.fields), PAGES[0])
