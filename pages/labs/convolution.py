"""Convolution: heads that each look at a fixed offset do what a convolution does."""

import streamlit as st

from attention_lab.labs.convolution import (
    TOKEN_KINDS,
    one_by_one_example,
    run_convolution,
    run_one_by_one,
    run_two_heads,
)
from attention_lab.labs.convolution_heads import PADDINGS
from attention_ui.board import show_board
from attention_ui.labs import convolution as lab
from attention_ui.show import explained_errors, show_figure
from attention_ui.url_state import choose_one
from attention_ui.view import main_container
from attention_viz.labels import format_number, format_percent
from attention_viz.labs import convolution as pictures
from attention_viz.reference.glossary import meaning

window = main_container()
with window:
    picture, kernel, sharpness, padding = lab.choose_convolution()
run = run_convolution(picture, kernel, sharpness, padding)
pixel = lab.chosen_pixel(picture)

with window:
    st.markdown(
        "A picture, what attention and what a convolution make of it, and their difference. Padding"
        f" of the convolution: *{PADDINGS[padding].convolution_padding}*. Largest difference at α ="
        f" {sharpness:g}: **{format_number(run.largest_error)}**. Smallest"
        f" weight of a head for the pixel it looks for: **{format_percent(run.target_share)}**."
    )
    board = pictures.convolution_board(picture, kernel, run, pixel)
    show_board(board, "convolution", on_pin=lab.pin_pixel, fits=True)
st.caption(
    f"Every pixel is a token. The kernel has {len(run.offsets)} numbers, and each is a head that"
    " looks at **one offset** from the pixel. The difference has its own colour scale. Click a"
    " pixel."
)

left, right = st.columns(2)
with left:
    st.header(f"What the heads read for pixel ({pixel[0]}, {pixel[1]})", anchor=False)
    board = pictures.kernel_heads_board(run, pixel, kernel.ravel().tolist())
    show_board(board, "convolution heads")
    st.caption(
        "Each title shows the number of the kernel: W_O multiplies what the head finds by it."
        f" {PADDINGS[padding].description}"
    )
with right:
    st.header("Sharper heads, smaller error", anchor=False)
    errors = lab.errors_by_sharpness(picture, kernel, padding)
    figure = pictures.error_figure(lab.SHARPNESSES, *errors, sharpness, lab.ERROR_LABELS[padding])
    show_figure(figure, "convolution errors")
    st.caption(
        "A softmax never gives exactly 0, so the two are equal only in the limit of ever larger"
        f" $\\alpha$. {lab.SCORE_DESCRIPTIONS[padding]}"
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
        st.markdown(
            "A one-hot position has one feature for each place. With it a head can spread its"
            " attention in any pattern. One head spreads it like the positive numbers of the"
            " kernel, one like the negative numbers; a kernel without negative or without positive"
            " numbers needs one head only. W_O restores sizes and signs. Largest error:"
            f" **{format_number(pair.largest_error)}** here,"
            f" **{format_number(sharp.largest_error)}** with α = 40 (the scores of all other tokens"
            " are lower by α). So K² heads are enough, but not necessary."
        )
        sizes = lab.two_head_factors(kernel, picture, padding)
        show_board(pictures.kernel_heads_board(pair, pixel, sizes), "convolution two")
with st.expander(
    "When attention is a 1 × 1 convolution",
    icon=":material/filter_1:",
    key="conv one",
    on_change="rerun",
) as one:
    if one.open:
        kind = choose_one(
            "Tokens",
            TOKEN_KINDS,
            "raw",
            key="conv_tokens",
            help=f"LayerNorm: {meaning('LayerNorm')} Here the factors are 1 and the offsets 0.",
        )
        tokens, mixing = one_by_one_example()
        single = run_one_by_one(tokens, mixing, sharpness, kind)
        st.markdown(
            "If every token reads only itself, $Y = X W_V W_O$: the same small linear map for each"
            f" token. That is a 1 × 1 convolution. {lab.COMPARISON_DESCRIPTIONS[kind]} Tokens that"
            f" choose themselves: **{single.n_choosing_themselves} of {len(tokens)}**. Largest"
            f" error: **{format_number(single.error)}**."
        )
        show_board(pictures.one_by_one_board(single), "convolution one")
        st.caption(
            "*raw*: token 5 is token 0 made twice as long. A longer token in the same direction"
            " always wins, so no sharpness helps. *layer-normed*: all tokens have the same length,"
            " so each prefers itself. Tokens 0 and 5 become equal, which changes no output. The"
            " error goes to 0 with growing α. *with positions*: one-hot positions are compared,"
            " which always works."
        )
st.markdown(
    "**Try:** choose the kernel *shift left*: it moves the picture, and one head does all the"
    " work. Choose *nothing* beyond the edge: the edge is repeated.\n\n"
    "Cordonnier, Loukas and Jaggi (2020) prove that K² heads with positions can express a K × K"
    " convolution. This needs positions, a rule for the edge, and unbounded scores."
)
