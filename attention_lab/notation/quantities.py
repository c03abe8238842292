"""Every quantity of the layer in our words and in those of a text.

And what other code and other tools call each, as Markdown: PyTorch, Hugging Face, TransformerLens,
papers.

Sources: torch.nn.MultiheadAttention and scaled_dot_product_attention (PyTorch 2.13); BERT and GPT-2
in Hugging Face transformers; the hooks of TransformerLens; the tokens of CircuitsVis; Vaswani et
al. 2017.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .notation import OURS, QUANTITIES, Notation, Symbol, symbol

NO_SYMBOL_REMARK = "The text has no symbol for it: ours is used."


@dataclass(frozen=True)
class GlossaryRow:
    """One quantity in our words and in those of a text."""

    name: str
    our_word: str
    our_symbol: Symbol
    their_word: str
    their_symbol: Symbol
    meaning: str
    remark: str


def glossary(notation: Notation) -> tuple[GlossaryRow, ...]:
    """Every quantity of the layer: sizes, weights, then the fields in order of computation.

    The remark says where the text is silent (then its symbol and word are ours) or wrong (then what
    is right).
    """
    return tuple(
        GlossaryRow(
            name,
            word,
            symbol(name, OURS),
            notation.words.get(name, word),
            symbol(name, notation),
            notation.layout.fill(meaning),
            remark(name, notation),
        )
        for name, (word, _, meaning) in QUANTITIES.items()
    )


def remark(name: str, notation: Notation) -> str:
    """What to know about a text's symbol or word: that it has none, that it is corrected, or
    nothing.
    """
    found = [notation.remarks[name]] if name in notation.remarks else []
    found += [f"Corrected: {notation.corrections[name]}"] if name in notation.corrections else []
    return " ".join(found) or ("" if name in notation.symbols else NO_SYMBOL_REMARK)


_THIRDS = {"q": ("query", "first"), "k": ("key", "second"), "v": ("value", "last")}

NAMES_ELSEWHERE: Mapping[str, str] = {
    "n_tokens": "`seq_len`; PyTorch: target length L and source length S",
    "d_model": "embedding dimension · PyTorch: `embed_dim` · BERT: `hidden_size` · GPT-2: `n_embd`",
    "n_heads": "PyTorch: `num_heads` · BERT: `num_attention_heads` · GPT-2: `n_head`",
    "d_k": (
        "PyTorch: `head_dim` · TransformerLens: `d_head`. PyTorch’s `kdim` is another width: the"
        " memory’s"
    ),
    "d_v": (
        "PyTorch: `head_dim` · TransformerLens: `d_head`. PyTorch’s `vdim` is another width: the"
        " memory’s"
    ),
    "scale": "PyTorch: `scale`, already one over the root · the inverse of a temperature",
    **{
        f"w_{letter}": (
            f"PyTorch: the {third} third of `in_proj_weight`, transposed · BERT:"
            f" `attention.self.{name}`, transposed · GPT-2: the {third} third of `attn.c_attn` ·"
            " timm: of `qkv`, transposed"
        )
        for letter, (name, third) in _THIRDS.items()
    },
    "w_o": (
        "output projection, final linear layer · PyTorch: `out_proj`, transposed · BERT:"
        " `attention.output.dense`, transposed · GPT-2: `attn.c_proj`"
    ),
    "inputs": (
        "token embeddings · Hugging Face: `hidden_states`. PyTorch calls them `query`, before any"
        " projection"
    ),
    "memory": (
        "Hugging Face: `encoder_hidden_states`. PyTorch calls them `key` and `value`, before any"
        " projection"
    ),
    "query_heads": (
        "a query’s token: *destination* in TransformerLens and CircuitsVis, *target* in PyTorch"
    ),
    "key_heads": (
        "a key’s token: *source* · fewer than query heads: grouped-query attention (GQA); a single"
        " one: multi-query attention (MQA)"
    ),
    "scores": "raw scores, attention logits, energies, similarities",
    "masked_scores": (
        "TransformerLens: `attn_scores`. What hides keys: a causal (look-ahead) or a padding mask."
        " A boolean mask of PyTorch’s `MultiheadAttention` is True where a key is hidden; here, and"
        " in its `scaled_dot_product_attention`, where one is allowed"
    ),
    "probabilities": (
        "attention weights, map or pattern; alignment · Hugging Face: `attentions` · "
        "TransformerLens: `pattern`"
    ),
    "head_outputs": "TransformerLens: `z` · Vaswani et al. 2017: head_i · context vectors",
    "merged": "Vaswani et al. 2017: Concat(head_1, …, head_h) · BERT: `context_layer`",
    "output": "PyTorch: `attn_output` · TransformerLens: `attn_out`",
}
