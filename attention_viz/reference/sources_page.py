"""The page *Sources and limits*: how numbers are checked, what is left out, texts, papers and
licences.
"""

import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from attention_core import STEPS
from attention_lab.diagonal.claims.catalogue import CLAIMS, TEXTS
from attention_lab.home import read_table
from attention_lab.questions import concepts
from attention_lab.trained.encoded_text import N_HEADS, N_LAYERS
from attention_lab.trained.language_model import N_HEADS as LANGUAGE_HEADS
from attention_lab.trained.language_model import N_LAYERS as LANGUAGE_LAYERS
from attention_lab.user_data.matrix_names import MAX_HEADS, MAX_MATRIX_WIDTH, MAX_TOKENS

from .. import blocks as b
from ..block_page import BlockPage
from ..markdown import escape_markdown
from ..story.story_view import StoryView

CHECKS = f"""
- **Three independent references.** Tests compare all {len(STEPS)} arrays with attention written
  as plain Python loops. They compare all but the memory with stored values of PyTorch 2.13
  (`nn.MultiheadAttention`, `scaled_dot_product_attention`), and the arrays inside the heads with
  the test cases of the `Attention` operator of ONNX 1.23. The trained encoder and the language
  model are compared with PyTorch, layer by layer.
- **Laws that hold for all numbers** are tested on random numbers. Where a query sees a key, its
  row sums to 1, and the output of a head lies within its values. Without positions and masks,
  shuffled tokens give shuffled outputs.
- **Planted mistakes.** Typical mistakes are put into a copy of the code, one by one. For each, a
  test must fail.
- **What you read is what was computed.** Pictures, tables, arithmetic, code and downloads come
  from the same arrays. *The code* of a step ends with a line that stops unless it gives the
  numbers shown.
- **Claims** are decided by a computation:
  [{len(CLAIMS)} claims](questions?verdict=always.condition.false).
"""
LIMITS = f"""
- **Meaning.** Unless weights are trained or made by hand, the vector of a word is random (its
  letters are the seed), and so are the weights. You see the mechanism, not what a model has
  learnt.
- **Why a model does something.** Attention weights show where values come from, not how they are
  used.
- **Large models.** The controls end at {MAX_TOKENS} tokens, {MAX_MATRIX_WIDTH} dimensions and
  {MAX_HEADS} heads. Two trained models come with the app. The encoder has {N_LAYERS} layers of
  {N_HEADS} heads and writes nothing; the language model has {LANGUAGE_LAYERS} layers of
  {LANGUAGE_HEADS} heads and writes the English of stories for small children.
- **Dropout in training.** The layers of *Training* learn without it. What it does to the weights
  is shown where it is left on by mistake, in *What changes?* and *Softmax*.
- **Speed on graphics cards.** Everything runs in NumPy on a processor.
- **All digits.** The boards use float32 and show rounded numbers. The downloads have full
  precision.
"""
LICENCES = (
    "The app has the MIT licence. The trained encoder in `assets/minilm` is **all-MiniLM-L6-v2** of"
    " the Sentence Transformers project and has the Apache License 2.0. The language model in"
    " `assets/stories260k` is **stories260K**, which Andrej Karpathy trained for llama2.c; it has"
    " the MIT licence. The files `LICENSE` and `NOTICE` beside each name its origin and the"
    " changes. The test cases of the ONNX operator have the Apache License 2.0."
)


def _blocks(_: StoryView, __: b.Values) -> Sequence[b.Block]:
    """What is checked and what is not shown, beside texts, licences and versions; then papers."""
    checked: list[b.Block] = [
        b.Heading("How we know that the numbers are right"),
        b.Text(CHECKS),
        b.Heading("What this does not show"),
        b.Text(LIMITS),
    ]
    taken: list[b.Block] = [
        b.Heading("The five texts"),
        b.Text(_five_texts()),
        b.Heading("Licences"),
        b.Text(LICENCES),
        b.Heading("Versions"),
        b.Text(_versions()),
        b.caption(
            "Nothing leaves this machine, and nothing is loaded from elsewhere: no fonts, no"
            " statistics, no model."
        ),
    ]
    papers = read_table("papers")
    return [
        b.Text(
            "Every number is computed when it is shown, and tests compare it with independent"
            f" references. The pages show the ideas of five texts. Papers and books: {len(papers)}."
        ),
        b.Beside((checked, taken), (1, 1)),
        b.Heading(f"Papers and books ({len(papers)})"),
        b.Table(("what", "who", "used for"), list(map(_paper, papers)), words=True),
    ]


def _five_texts() -> str:
    """The titles of the texts whose ideas are listed."""
    titles = "\n".join(
        f"- **{key}** {TEXTS[key]}" for key in dict.fromkeys(one.text for one in concepts())
    )
    return (
        f"{titles}\n\nThe page [What learners ask](questions) lists their {len(concepts())} ideas,"
        " the [Glossary](glossary) their symbols. All sentences are our own. Where a text is wrong,"
        " we say so and correct it."
    )


def _paper(row: dict[str, str]) -> list[str]:
    """A paper or a book with what it is used for."""
    title, authors, used = (escape_markdown(row[name]) for name in ("title", "authors", "for"))
    return [f"*{title}*", f"{authors} {row['year']}", used]


def _versions() -> str:
    """Python and those of our packages that are here; a browser has NumPy alone."""
    versions = [f"Python {platform.python_version()}"]
    for name in ("streamlit", "numpy", "plotly", "pandas"):
        with suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    return " · ".join(versions)


SOURCES = BlockPage("sources", lambda _: (), _blocks)
