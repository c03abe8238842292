"""The part of the page *Convolution* about a task that depends on content: attention and kernels
trained on it, one picture, and why no fixed kernel can do it.
"""

from attention_lab.labs.content_task import HEIGHT, N_COLOURS, N_MARKS, N_UNSEEN, WIDTH
from attention_lab.labs.content_training import (
    BATCH,
    N_STEPS,
    WHOLE,
    ContentExample,
    content_example,
    content_scores,
    four_answers,
)

from .. import blocks as b
from ..labels import format_agreement, format_number, format_percent
from ..matrices import Matrix, Side, matrix_board
from ..payload import JSON, pack_bits

ROWS, COLUMNS = Side("row"), Side("column")
ROUNDING = 1e-12  # of logits between -10 and 10
ASKING = b.Places("conv_asks", "Pixel that asks", (0, 0), size=WIDTH, most=2, separator="-")


def content_blocks(values: b.Values, side: int) -> list[b.Block]:
    """The task, the scores of attention and kernels, and a picture. side: of the kernel whose
    answers are shown.
    """
    chosen = values[ASKING.key]
    row, column = chosen if len(chosen) == 2 else ASKING.default
    row = min(row, HEIGHT - 1)
    example = content_example(row, column, side)
    board = content_board(example, (row, column), side)
    clicks = {name: {ASKING.key: "{0}-{1}"} for name in board["arrays"]}
    return [
        b.Heading("A task that depends on content"),
        b.Text(
            f"A picture of {HEIGHT} × {WIDTH} pixels has {N_MARKS} marks, each on two pixels: one"
            f" has one of {N_COLOURS} colours, the other is grey. **Which colour belongs to a grey"
            " pixel?** Attention compares marks, so it finds the other pixel wherever it is. A"
            f" kernel reads fixed offsets. Both were trained with Adam, {N_STEPS} steps with"
            f" {BATCH} new pictures each; these are the results on {N_UNSEEN} other"
            " pictures."
        ),
        scores_table(),
        b.Text(_example_words(example, (row, column), side)),
        b.Board(board, "convolution content", sets=clicks),
        b.caption(
            "Click a pixel: the map shows what it reads. Colours count from 1; 0 is grey. Outlined:"
            " a grey pixel that is told wrong."
        ),
        b.Folded("Why no fixed kernel can do it", _argument),
    ]


def scores_table() -> b.Table:
    """Loss and share right of the trained head and of the trained kernels."""
    rows = [
        (_name(name), f"{one.n_weights:,}", format_number(one.loss, 3), format_percent(one.right))
        for name, one in content_scores().items()
    ]
    return b.Table(("", "numbers learned", "loss (cross-entropy)", "grey pixels right"), rows)


def _name(name: str) -> str:
    """A learner in words."""
    if name == "attention":
        return "attention, one head without positions"
    side = int(name.split()[1])
    return f"kernel {side} × {side}" + ", which sees the whole picture" * (side == WHOLE)


def _example_words(example: ContentExample, pixel: tuple[int, int], side: int) -> str:
    """What the pixel in focus reads, and how many grey pixels are told right."""
    row, column = example.twin
    share = format_percent(float(example.shares[row, column]))
    return (
        f"**One of them.** Pixel {pixel} has mark {example.marks[pixel]}. It reads {share} from"
        f" pixel {example.twin}, the other one with this mark. Grey pixels told right by attention:"
        f" **{example.hits['attention']} of {example.grey}**; by the {side} × {side} kernel:"
        f" **{example.hits['kernel']} of {example.grey}**."
    )


def content_board(example: ContentExample, pixel: tuple[int, int], side: int) -> JSON:
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
            "read", example.shares, ROWS, COLUMNS, (2, 0), f"what {pixel} reads", kind="probability"
        ),
    ]
    for place, (name, title) in enumerate(titles.items()):
        at, said = (place, 1), example.said[name]
        drawn.append(Matrix(name, said, ROWS, COLUMNS, at, title, limit=N_COLOURS))
    description = (
        "A picture with marks and colours, and the colour of each mark. Grey pixels told right by"
        f" attention: {example.hits['attention']} of {example.grey}; {kernel}:"
        f" {example.hits['kernel']}."
    )
    board = matrix_board(drawn, ("mark", *pixel), description) | {"arithmetic": False}
    for name in ("attention", "kernel"):
        wrong = (example.shown == 0) & (example.said[name] != example.said["right"])
        board["arrays"][name]["changed"] = pack_bits(wrong)
    return board


def _argument() -> list[b.Block]:
    """Four pictures on which every kernel fails, and two that a small one cannot tell apart."""
    answers = four_answers()
    named = {name: tuple(map(str, said)) for name, said in answers.said.items()}
    rows = [("**right**", *map(str, answers.right))]
    rows += [(_name(name), *said) for name, said in named.items()]
    return [
        b.Text(
            "Take four pictures. The first number says which of two marks the asking pixel has"
            " (another grey one has the other), the second which of two coloured pixels has which"
            " mark. All else is the same."
        ),
        b.Table(("colour named in picture", "00", "01", "10", "11"), rows),
        b.Text(
            "Add pictures 00 and 11 cell by cell, and 01 and 10: the two sums"
            f" {format_agreement(answers.cells_apart, 0)}. A kernel gives each colour a sum of"
            " cells, each times a fixed number, plus a bias. So what it gives for 00 and 11"
            " together is what it gives for 01 and 10 together (what the trained kernels give:"
            f" the sums {format_agreement(answers.kernel_apart, ROUNDING)}). It cannot prefer"
            " colour 1 in 00 and 11 and colour 2 in 01 and 10. **This holds for a kernel of any"
            " size and for any number of channels.** The scores of attention multiply one mark by"
            " the other: that is what a fixed kernel lacks. A network of several convolutions with"
            " a nonlinear step between them is no fixed kernel."
        ),
        b.Text(
            "A small kernel fails sooner: if only the far corner changes its colour, a pixel in the"
            " opposite corner needs another answer. A 3 × 3 kernel reads the same"
            f" {answers.n_near} pixels there as before; what the trained one gives for both"
            f" pictures: the numbers {format_agreement(answers.near_apart, 0)}."
        ),
    ]
