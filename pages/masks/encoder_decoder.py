"""Encoder, decoder, cross-attention: the three uses of attention for two sentences."""

from attention_ui.blocks import show_page
from attention_viz.masks.encoder_decoder_page import ENCODER_DECODER

show_page(ENCODER_DECODER)
