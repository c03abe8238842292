"""Convolution: heads that each look at a fixed offset do what a convolution does."""

import streamlit as st

from attention_lab.labs.convolution import run_convolution, run_two_heads
from attention_lab.labs.lab_examples import n_choosing_themselves, one_by_one_example
from attention_lab.labs.one_by_one import TOKENS, run_one_by_one
from attention_lab.labs.padding import PADDINGS
from attention_ui.board import show_board
from attention_ui.facts import fact
from attention_ui.labs import convolution_lab as lab
from attention_ui.show import explained_errors, show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import one_window
from attention_viz.labels import number, percent
from attention_viz.labs import convolution as pictures

window = one_window()
with window:
    picture, kernel, sharpness, padding = lab.setup()
run = run_convolution(picture, kernel, sharpness, padding)
pixel = lab.pixel(picture)

with window:
    st.markdown(
        f"At sharpness α = {sharpness:g} attention and convolution with"
        f" *{PADDINGS[padding].equals}* padding differ by at most"
        f" **{number(fact('largest_error', run.largest_error))}**; each head gives its pixel at"
        f" least **{percent(run.hit)}**."
    )
    board = pictures.comparison_board(picture, kernel, run, pixel)
    show_board(board, "convolution", on_pin=lab.pin, fits=True)
st.caption(
    f"Every pixel is a token, and each of the {len(run.offsets)} numbers of the kernel is a head"
    " that looks at **one offset**. The difference has a colour scale of its own. Click a pixel."
)

left, right = st.columns(2)
with left:
    st.header(f"What the heads read for pixel ({pixel[0]}, {pixel[1]})", anchor=False)
    show_board(pictures.heads_board(run, pixel, kernel.ravel().tolist()), "convolution heads")
    st.caption(
        "Beside each head the number of the kernel by which W_O multiplies what it finds."
        f" {PADDINGS[padding].says}"
    )
with right:
    st.header("The sharper, the nearer", anchor=False)
    errors, expected = lab.curve(lab.as_rows(picture), lab.as_rows(kernel), padding)
    show_figure(
        pictures.error_figure(lab.SHARPNESSES, errors, expected, sharpness, lab.LAWS[padding]),
        "convolution errors",
    )
    st.caption(
        "A softmax never gives exactly 0, so equality holds only in the limit. "
        + (
            "The score is $\\alpha$ times the cosines of the angles between the places on two"
            " circles, one for the rows and one for the columns: neighbours on a circle lie close,"
            " so it takes a much larger $\\alpha$."
            if padding == "circular"
            else (
                "In 64-bit numbers it is reached. The score is $-\\alpha\\,\\lVert p_j - (p_i +"
                " \\Delta)\\rVert^2$ plus a number that is the same for a whole row, made with real"
                " $W_Q$ and $W_K$ from the features 1, row, column, row² + column²."
            )
        )
    )

with (
    st.expander(
        "Two heads are enough for one channel",
        icon=":material/filter_2:",
        key="conv two",
        on_change="rerun",
    ) as two,
    explained_errors(),
):
    if two.open:
        pair, sharp = (run_two_heads(picture, kernel, a, padding) for a in (sharpness, 40.0))
        errors_of_two = fact("errors_of_two_heads", (pair.largest_error, sharp.largest_error))
        st.markdown(
            "With one-hot positions a head can spread its attention in any pattern. One spreads"
            " like the kernel’s positive numbers, one like its negative ones, where it has such;"
            f" W_O gives sizes and signs back. Largest error: **{number(errors_of_two[0])}**"
            f" here, **{number(errors_of_two[1])}** with α = 40 (every other token lies α"
            " below). So K² heads suffice, but they are not necessary."
        )
        sizes = lab.two_sizes(kernel, picture, padding)
        show_board(pictures.heads_board(pair, pixel, sizes), "convolution two")
with st.expander(
    "When attention is a 1 × 1 convolution",
    icon=":material/filter_1:",
    key="conv one",
    on_change="rerun",
) as one:
    if one.open:
        kind = choose_one("Tokens", TOKENS, "raw", key="conv_tokens")
        tokens, mixing = one_by_one_example()
        single = run_one_by_one(tokens, mixing, sharpness, kind)
        n_alone = fact("tokens_choosing_themselves", n_choosing_themselves(single))
        where = " on the positions, 0 elsewhere" * fact("compares_places", kind == "with positions")
        st.markdown(
            "If every token reads only itself, $Y = X W_V W_O$: the same small map for each token,"
            f" a 1 × 1 convolution. Here W_Q W_Kᵀ = α·I{where}; {n_alone} of"
            f" {len(tokens)} tokens choose themselves, and the largest error is"
            f" **{number(single.error)}**."
        )
        show_board(pictures.own_pixel_board(single), "convolution one")
        st.caption(
            "*raw*: token 5 is token 0 made twice as long, and a longer token in the same direction"
            " always wins, so no sharpness helps. *layer-normed*: all tokens are equally long, each"
            " prefers itself (twins become equal, no harm), equality in the limit. *with"
            " positions*: one-hot positions are compared, which always works."
        )
st.markdown(
    "**Try:** *shift left* moves the picture; one head does all the work. Choose padding *nothing*:"
    " the edge is repeated, because a head whose target is missing takes the nearest pixel.\n\n"
    "Cordonnier, Loukas and Jaggi (2020) prove that K² heads with positions can express a K × K"
    " convolution. It needs positions, a rule for the edge, and unbounded scores."
)
