"""The part of the page *Convolution* about a task that depends on content: attention and kernels
trained on it, one picture, and why no fixed kernel can do it.
"""

from attention_lab.labs.content_task import HEIGHT, N_COLOURS, N_MARKS, N_UNSEEN, WIDTH
from attention_lab.labs.content_training import (
    BATCH,
    N_STEPS,
    WHOLE,
    ContentExample,
    FourAnswers,
    content_example,
)
from attention_lab.labs.facts import ContentFacts

from .. import blocks as b
from ..matrices import Matrix, Side, matrix_board
from ..page_choices import Places
from ..payload import JSON

ROWS, COLUMNS = Side("row"), Side("column")
THE_TASK = (
    f"A picture of {HEIGHT} × {WIDTH} pixels has {N_MARKS} marks, each on two pixels: one has one"
    f" of {N_COLOURS} colours, the other is grey. **Which colour belongs to a grey pixel?**"
    " Attention compares marks, so it finds the other pixel wherever it is. A kernel reads fixed"
    f" offsets. Both were trained with Adam, {N_STEPS} steps with {BATCH} new pictures each; these"
    f" are the results on {N_UNSEEN} other pictures."
)
ASKING = Places("conv_asks", "Pixel that asks", (0, 0), size=WIDTH, most=2, separator="-")


def pixel_asking(values: b.Values) -> tuple[int, int]:
    """The pixel in focus; the picture has fewer rows than columns."""
    row, column = values[ASKING.key] if len(values[ASKING.key]) == 2 else ASKING.default
    return min(row, HEIGHT - 1), column


def content_blocks(facts: ContentFacts, side: int) -> list[b.Block]:
    """The task, the scores of attention and kernels, and a picture. side: of the kernel whose
    answers are shown.
    """
    board = content_board(content_example(*facts.pixel, side), facts, side)
    clicks = {name: {ASKING.key: "{0}-{1}"} for name in board["arrays"]}
    rows = [
        (_name(name), *map(str, (one.n_weights, one.loss, one.right)))
        for name, one in facts.scores.items()
    ]
    return [
        b.Heading("A task that depends on content"),
        b.Text(THE_TASK),
        b.Table(("", "numbers learned", "loss (cross-entropy)", "grey pixels right"), rows),
        b.Text(
            f"**One of them.** Pixel {facts.pixel} has mark {facts.mark}. It reads {facts.share}"
            f" from pixel {facts.twin}, the other one with this mark. Grey pixels told right by"
            f" attention: **{facts.by_attention} of {facts.grey}**; by the {side} × {side} kernel:"
            f" **{facts.by_kernel} of {facts.grey}**."
        ),
        b.Board(board, "convolution content", sets=clicks),
        b.caption(
            "Click a pixel: the map shows what it reads. Colours count from 1; 0 is grey. Outlined:"
            " a grey pixel that is told wrong."
        ),
        b.Folded("Why no fixed kernel can do it", lambda: _argument(facts.argument())),
    ]


def _name(name: str) -> str:
    """A learner in words."""
    if name == "attention":
        return "attention, one head without positions"
    side = int(name.split()[1])
    return f"kernel {side} × {side}" + ", which sees the whole picture" * (side == WHOLE)


def content_board(example: ContentExample, facts: ContentFacts, side: int) -> JSON:
    """A picture, what one pixel reads, and the colours by attention, by a kernel, and the right
    ones. Grey pixels that are told wrong are outlined.
    """
    kernel = f"by the {side} × {side} kernel"
    titles = {
        "attention": "colour by attention",
        "kernel": f"colour {kernel}",
        "right": "right colour",
    }
    drawn = [
        Matrix("mark", example.marks, ROWS, COLUMNS, (0, 0), "mark"),
        Matrix("colour", example.shown, ROWS, COLUMNS, (1, 0), "colour", limit=N_COLOURS),
        Matrix(
            *("read", example.shares, ROWS, COLUMNS, (2, 0), f"what {facts.pixel} reads"),
            kind="probability",
        ),
    ]
    for place, (name, title) in enumerate(titles.items()):
        said = example.said[name]
        wrong = (example.shown == 0) & (said != example.said["right"])
        one = Matrix(name, said, ROWS, COLUMNS, (place, 1), title, limit=N_COLOURS, changed=wrong)
        drawn.append(one)
    description = (
        "A picture with marks and colours, and the colour of each mark. Grey pixels told right by"
        f" attention: {facts.by_attention} of {facts.grey}; {kernel}: {facts.by_kernel}."
    )
    return matrix_board(drawn, ("mark", *facts.pixel), description) | {"arithmetic": False}


def _argument(facts: FourAnswers) -> list[b.Block]:
    """Four pictures on which every kernel fails, and two that a small one cannot tell apart."""
    rows = [("**right**", *map(str, facts.right))]
    rows += [(_name(name), *map(str, said)) for name, said in facts.said.items()]
    return [
        b.Text(
            "Take four pictures. The first number says which of two marks the asking pixel has"
            " (another grey one has the other), the second which of two coloured pixels has which"
            " mark. All else is the same."
        ),
        b.Table(("colour named in picture", "00", "01", "10", "11"), rows),
        b.Text(
            "Add pictures 00 and 11 cell by cell, and 01 and 10: the two sums"
            f" {facts.cells}. A kernel gives each colour a sum of"
            " cells, each times a fixed number, plus a bias. So what it gives for 00 and 11"
            " together is what it gives for 01 and 10 together (what the trained kernels give:"
            f" the sums {facts.kernels}). It cannot prefer"
            " colour 1 in 00 and 11 and colour 2 in 01 and 10. **This holds for a kernel of any"
            " size and for any number of channels.** The scores of attention multiply one mark by"
            " the other: that is what a fixed kernel lacks. A network of several convolutions with"
            " a nonlinear step between them is no fixed kernel."
        ),
        b.Text(
            "A small kernel fails sooner: if only the far corner changes its colour, a pixel in the"
            " opposite corner needs another answer. A 3 × 3 kernel reads the same"
            f" {facts.n_near} pixels there as before; what the trained one gives for both"
            f" pictures: the numbers {facts.near}."
        ),
    ]
