# SPDX-License-Identifier: Apache-2.0
"""A small GPT learns a text; a run that was stopped goes on with the same bits.

    ./sy python examples/recipes/gpt.py gpt.safetensors [--static]

The text is this file. Where the checkpoint exists, training goes on from it.
"""
import os
import pathlib
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn


class GPT(nn.Module):
    """The logits of the next character, [n, time, symbols]."""

    def __init__(self, symbols, context=64, size=64, heads=4, layers=2):
        super().__init__()
        draw = nn.init.Normal(std=0.02)
        self.token = nn.Embedding(symbols, size, weight_init=draw)
        self.place = nn.Embedding(context, size, weight_init=draw)
        self.blocks = nn.TransformerEncoder(size, heads, 4 * size, layers,
                                            dropout=0.1, activation="gelu")
        self.head = nn.Linear(size, symbols, bias=False)

    def forward(self, x):
        x = self.token(x) + self.place(sy.arange(x.shape[1]))
        return self.head(self.blocks(x, is_causal=True))


class Trainer:
    """Model, optimizer and schedule, and how they are saved."""

    PARTS = ("model", "optimizer", "schedule")

    def __init__(self, model, static=False, steps=1000):
        self.model = model
        self.optimizer = sy.optim.AdamW(model.parameters(), 0.003)
        self.schedule = sy.optim.CosineDecay(self.optimizer, steps)
        self.step = train_step(model, nn.CrossEntropyLoss(axis=-1),
                               self.optimizer, static)

    def save(self, path, count):
        parts = {name: getattr(self, name).state_dict() for name in self.PARTS}
        run = {"rng": np.array(sy.rng_state()), "count": np.array(count)}
        sy.save({**parts, "run": run}, path)

    def load(self, path):
        state = sy.load_state(path)
        for name in self.PARTS:
            getattr(self, name).load_state_dict(state[name])
        sy.set_rng_state(*state["run"]["rng"].tolist())
        return state["run"]["count"].item()


def main(path, static=False, steps=300, stop=None, batch=16):
    text = pathlib.Path(__file__).read_text()
    numbers = np.unique(list(text), return_inverse=True)[1]
    sy.seed(1)
    trainer = Trainer(GPT(numbers.max() + 1), static, steps)
    first = trainer.load(path) if os.path.exists(path) else 0
    losses = []
    for count in range(first, steps if stop is None else stop):
        starts = np.random.default_rng(count).integers(0, len(text) - 65, batch)
        x = np.stack([numbers[i:i + 65] for i in starts])
        losses.append(trainer.step(x[:, :-1], x[:, 1:]).item())
        trainer.schedule.step()
    trainer.save(path, first + len(losses))
    print("losses", losses[:1], losses[-1:])
    return losses


if __name__ == "__main__":
    main(sys.argv[1], "--static" in sys.argv)
