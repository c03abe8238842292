"""Train one head and four kernels on the task of the page *Convolution* that depends on content,
and store their weights.

Run by hand when the task, the first weights or the training change; it takes some seconds:

    .venv/bin/python -m scripts.make_content_task

Writes attention_lab/labs/content_task.npz. Everything is drawn from one seed, so equal code and the
NumPy of requirements.txt give equal weights.
"""

import numpy as np

from attention_core.checks import Array
from attention_lab.labs.content_training import (
    SIDES,
    STORED_FILE,
    attention_learner,
    kernel_learner,
    train,
)


def arrays_to_store() -> dict[str, Array]:
    """Train; gives the arrays of the file by their names."""
    learners = {"attention": attention_learner()}
    learners |= {f"kernel {side}": kernel_learner(side) for side in SIDES}
    return {
        f"{name}/{weight}": array.astype(np.float32)
        for name, learner in learners.items()
        for weight, array in train(learner).items()
    }


if __name__ == "__main__":
    np.savez_compressed(STORED_FILE, **arrays_to_store())
    print(f"{STORED_FILE.name}: {STORED_FILE.stat().st_size:,} bytes")
