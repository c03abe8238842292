"""How each of five texts writes the layer: its symbols, its words, and where it is silent, loose
or wrong.

Only what a text has is listed; everything else is written as we do, and `remark` says so. A letter
of a text that is given a tilde or hat here stands for a step that the text does not name.
"""

from __future__ import annotations

from .notation import COLUMN_NOTATION, OURS, Notation

FUSED = (
    "The text makes each head's own matrix at once; here they stand together and are split in the"
    " next step."
)
MASK = "The text has no mask. "
FROM_1 = "The text counts them from 1; in the pictures they keep their numbers from 0."

DOSHI = Notation(
    "doshi",
    "Doshi, Transformers explained visually, part 3 (2021)",
    symbols={
        "n_tokens": r"\text{Sequence}",
        "d_model": r"\text{Embedding size}",
        "n_heads": r"\text{Head}",
        "d_k": r"\text{Query size}",
        "d_v": r"\text{Value size}",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
    },
    words={
        "n_tokens": "sequence length",
        "d_model": "embedding size",
        "n_heads": "number of heads",
        "d_k": "query size",
        "d_v": "query size (equal to key and value size)",
        "w_q": "Linear layer for the Query",
        "w_k": "Linear layer for the Key",
        "w_v": "Linear layer for the Value",
        "inputs": "encoded representation",
        "queries": "Query",
        "keys": "Key",
        "values": "Value",
        "query_heads": "Q split across the heads",
        "key_heads": "K split across the heads",
        "value_heads": "V split across the heads",
        "scores": "result of multiplying Q and K",
        "masked_scores": "result with the mask value added",
        "probabilities": "Attention Score, after the Softmax",
        "head_outputs": "Attention Score of each head",
        "merged": "merged Attention Score",
    },
    remarks={
        "d_v": (
            "The text has one size for queries, keys and values; they may differ, so this one has"
            " its own name."
        ),
        "inputs": "No symbol: ours is used.",
        "scores": "No symbol: ours is used.",
        "scaled_scores": (
            "No symbol: ours is used. The text divides by the square root of the Query size."
        ),
        "masked_scores": (
            "No symbol: ours is used. The text adds the mask before scaling: the same for −∞,"
            " another result for a finite bias."
        ),
        "probabilities": "No symbol: ours is used.",
        "head_outputs": "No symbol: ours is used.",
        "merged": (
            "No symbol: ours is used. It is no score either. Head and Sequence are swapped first,"
            " then joined."
        ),
        "w_o": "The text does not mention it: ours is used. Merging alone does not mix the heads.",
    },
    corrections={
        "inputs": (
            "it is not the embedding that is split across the heads. Every head reads all of"
            " it and owns a section of Q, K and V."
        ),
        "scores": "K must be transposed. One cell compares one query with one key.",
        "masked_scores": "hiding later words belongs to the decoder's self-attention.",
        "probabilities": (
            "the text calls weights, head outputs and merged outputs all Attention Score."
        ),
        "head_outputs": "it is no score but an average of values.",
    },
    axis_names={"B": "Batch", "S": "Input sequence"},
)

GML = Notation(
    "gml",
    "GeometricMachineLearning.jl manual (up to 0.4.8), MultiHeadAttention",
    convention="column",
    indices=("i", "n", "m", "k"),
    heads="brackets",
    first_head=1,
    even=True,
    symbols={
        "n_tokens": "T",
        "d_model": "N",
        "n_heads": r"\mathtt{n\_heads}",
        "d_k": r"N \div \mathtt{n\_heads}",
        "d_v": r"N \div \mathtt{n\_heads}",
        "w_q": "P^Q",
        "w_k": "P^K",
        "w_v": "P^V",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
        "scores": "C",
        "scaled_scores": r"\tilde C",
        "masked_scores": r"\hat C",
        "probabilities": r"\mathcal{P}",
    },
    words={
        "n_tokens": "sequence length",
        "d_model": "dimension of the vectors",
        "n_heads": "number of heads",
        "d_k": "dimension of a head's vectors",
        "d_v": "dimension of a head's vectors",
        "w_q": "projection matrices for the queries",
        "w_k": "projection matrices for the keys",
        "w_v": "projection matrices for the values",
        "inputs": "input",
        "query_heads": "queries of one head",
        "key_heads": "keys of one head",
        "value_heads": "values of one head",
        "scores": "correlation matrix",
        "probabilities": "matrix of probability vectors, stochastic matrix",
        "head_outputs": "reweighted values",
        "merged": "concatenated outputs",
    },
    remarks={
        "n_heads": FROM_1,
        "d_k": "Holds only where the heads share N evenly; for other widths we write ours.",
        "d_v": "Holds only where the heads share N evenly; for other widths we write ours.",
        **dict.fromkeys(("queries", "values"), FUSED),
        "scaled_scores": "No symbol, hence the tilde.",
        "masked_scores": f"{MASK}Hence the hat.",
        "probabilities": "Each column sums to 1.",
        "head_outputs": "Written V𝒫, without a symbol: ours is used.",
        "merged": (
            "No symbol: ours is used. The heads stand one below the other. They have the input's"
            " size again only if every value has N ÷ n_heads numbers."
        ),
        "w_o": (
            "The manual has no such matrix, so its heads never mix: ours is used where a layer has"
            " one."
        ),
    },
    corrections={
        **dict.fromkeys(
            ("w_q", "w_k", "w_v"),
            (
                "up to version 0.4.0 the manual gave each head's P as N × (N ÷ n_heads) and"
                " multiplied by P from the left, which does not fit; it must be Pᵀ. Since 0.4.1"
                " (2025) P is (N ÷ n_heads) × N. Not being square, P is no projector either; P"
                " times the tokens are coordinates."
            ),
        ),
        "keys": f"twice the manual says “vectors” where keys are meant. {FUSED}",
        "scores": (
            "inner products, neither centred nor normalised, are no correlations and may"
            " exceed 1. The package's code has the roles of queries and keys exchanged."
        ),
        "scaled_scores": (
            "the manual divides by √N once, and so does the package's code; a score adds up N"
            " ÷ n_heads products: the root of that, as in the other formula, is right."
        ),
        "probabilities": "the sum in the manual's softmax lacks its upper limit T.",
    },
)

NOTE = Notation(
    "note",
    "Lecture note on self-attention",
    indices=("i", "j", "k", "l"),
    heads="superscript",
    first_head=1,
    symbols={
        "n_tokens": "n",
        "d_model": "s",
        "n_heads": "d_h",
        "d_k": "d",
        "scale": r"\lambda",
        "w_q": "W^q",
        "w_k": "W^k",
        "w_v": r"W^{\nu}",
        "w_o": "W_0",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
        "scaled_scores": r"\alpha",
        "masked_scores": r"\hat \alpha",
        "head_outputs": "H",
        "merged": "H",
    },
    words={
        "n_tokens": "length of the sequence",
        "d_model": "dimension of an element",
        "n_heads": "number of heads",
        "d_k": "dimension of queries and keys",
        "d_v": "dimension of the output",
        "values": "values, context-free representations",
        "scores": "inner products of queries and keys",
        "probabilities": "weights, influence of the others",
        "head_outputs": "heads",
        "merged": "joined heads",
    },
    remarks={
        "n_heads": f"A number of heads here, though d_h often means the width of one. {FROM_1}",
        "d_v": (
            "The note writes d_o for one head and silently takes d for several; it may be any"
            " number: ours is used."
        ),
        "scale": "No symbol, and our s is the note's width: hence λ.",
        "scaled_scores": "In the slides α is the weight, after the softmax.",
        "masked_scores": f"{MASK}Hence the hat.",
        "probabilities": (
            "Written softmax(α), its row i also w_i: ours is used. Row i says how much query i"
            " draws from each key."
        ),
    },
    corrections={
        **dict.fromkeys(
            ("w_q", "w_k"), "the note has both x_i W and W x_i; for rows x_i W is right."
        ),
        "w_v": "the note gives it n rows once; it has s.",
        "w_o": (
            "the note gives it d·d_h rows, as if each value were as wide as a key; it has d_h·d_v."
        ),
        "values": (
            "an output is the sum over j of w_ij times the value of x_j; the note drops the"
            " sum and writes x_i."
        ),
        "scaled_scores": (
            "the note once divides by d; right is √d. Its α_ij has tokens i and j; beside a"
            " head i they become j and k."
        ),
        "head_outputs": "the note's H^(i) lacks the factor V^(i), without which it is n × n.",
    },
)


MQL5 = Notation(
    "mql5",
    "MQL5 book, Multi-Head Self-Attention",
    symbols={
        "n_tokens": "N",
        "d_model": r"\mathrm{nI}",
        "d_k": r"\mathrm{nK}",
        "w_q": "W_{QC}",
        "w_k": "W_{KC}",
        "w_v": "W_{VC}",
        "w_o": "W_0",
        "inputs": "I",
        "queries": r"\mathrm{QC}",
        "keys": r"\mathrm{KC}",
        "values": r"\mathrm{VC}",
        "query_heads": "Q",
        "key_heads": "K",
        "value_heads": "V",
    },
    words={
        "n_tokens": "number of sequence elements",
        "d_model": "size of an element's vector",
        "n_heads": "attention heads",
        "d_k": "size of the Query and Key vectors",
        "d_v": "size of the Value vector",
        "w_q": "concatenated matrix for Query",
        "w_k": "concatenated matrix for Key",
        "w_v": "concatenated matrix for Value",
        "w_o": "W0 matrix",
        "inputs": "sequence elements",
        "queries": "concatenated Query",
        "keys": "concatenated Key",
        "values": "concatenated Value",
        "query_heads": "Query",
        "key_heads": "Key",
        "value_heads": "Value",
        "scores": "Score matrix",
        "probabilities": "coefficients of interdependence",
        "head_outputs": "sum of the adjusted values",
        "merged": "concatenated tensor",
    },
    remarks={
        "n_heads": (
            "The book calculates with 3 heads and has no letter for their number: ours is used."
        ),
        "d_v": (
            "The book gives each head's value nI numbers, as many as the input, and allows less:"
            " ours is used."
        ),
        "w_v": "With nI numbers per value it has 3 nI columns in the book; here h·d_v.",
        "scores": (
            "No symbol: ours is used. The book also adds up Q ⊙ K head by head, which gives the"
            " same numbers and needs no transpose; a transpose is usually free, for nothing is"
            " copied."
        ),
        "scaled_scores": "No symbol: ours is used.",
        "masked_scores": f"{MASK}Ours is used.",
        "probabilities": "No symbol: ours is used.",
        "merged": "No symbol: ours is used.",
    },
    corrections={
        "scaled_scores": (
            "“the dimension of the Key vector” must be nK, one head's width, not that of the"
            " concatenated Key."
        ),
        "probabilities": (
            "interdependence suggests symmetry, but what i draws from j is in general not"
            " what j draws from i."
        ),
        "merged": "it is larger than the input only if h·d_v is larger than nI.",
    },
)

SLIDES = Notation(
    "slides",
    "Slides on multi-head self-attention and convolution",
    first_head=1,
    symbols={
        "n_tokens": "N",
        "d_model": "C",
        "n_heads": "h",
        "d_k": "d_k",
        "d_v": "d_v",
        "w_q": "W_Q",
        "w_k": "W_K",
        "w_v": "W_V",
        "w_o": "W_O",
        "inputs": "X",
        "queries": "Q",
        "keys": "K",
        "values": "V",
        "probabilities": r"\alpha",
    },
    words={
        "n_tokens": "number of tokens",
        "d_model": "channels",
        "n_heads": "number of heads",
        "w_q": "weights on Q",
        "w_k": "weights on K",
        "w_v": "weights on V",
        "w_o": "output matrix",
        "probabilities": "attention",
        "head_outputs": "attention of one head",
        "merged": "concatenation of attentions",
    },
    remarks={
        "n_heads": f"As an index, the same letter is one head. {FROM_1}",
        **dict.fromkeys(
            ("w_q", "w_k", "w_v"),
            "The slides write one per head; side by side they are this matrix.",
        ),
        **dict.fromkeys(
            ("queries", "keys", "values"),
            f"In the layer without weights they are X itself. {FUSED}",
        ),
        "scaled_scores": (
            "No symbol: ours is used. The slides divide by √C without weights, by √d_k with them."
        ),
        "masked_scores": f"{MASK}Ours is used.",
        "probabilities": "In the lecture note α is the scaled score, before the softmax.",
        "head_outputs": "No symbol: ours is used.",
        "merged": "No symbol: ours is used.",
    },
    corrections={
        "probabilities": (
            "without weights, the diagonal is not always the largest in its row, nor α_ij at"
            " most the larger of α_ii and α_jj."
        ),
        "head_outputs": "it is the channels of a head that share its attention, not the elements.",
        "merged": (
            "the slides stack the heads one below the other, which does not fit W_O with its"
            " h·d_v rows; they must stand side by side."
        ),
    },
)

NOTATIONS = {
    notation.key: notation for notation in (OURS, COLUMN_NOTATION, GML, MQL5, DOSHI, SLIDES, NOTE)
}
