# SPDX-License-Identifier: Apache-2.0
"""A small GPT learns a text and writes; a run that was stopped goes on, bit by bit.

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
        self.blocks = nn.TransformerEncoder(size, heads, 4 * size, layers, 0.1, "gelu")
        self.head = nn.Linear(size, symbols, bias=False)

    def forward(self, x, cache=None):
        places = cache.positions(x) if cache else sy.arange(x.shape[1])
        x = self.token(x) + self.place(places)
        x = self.blocks(x, is_causal=True, cache=cache)
        return self.head(cache.last(x) if cache else x)


class Trainer:
    """Model, optimizer and schedule, and how they are saved."""

    def __init__(self, model, static=False, steps=1000):
        optimizer = sy.optim.AdamW(model.parameters(), 0.003)
        self.model, self.schedule = model, sy.optim.CosineDecay(optimizer, steps)
        self.parts = dict(model=model, optimizer=optimizer, schedule=self.schedule)
        self.step = train_step(model, nn.CrossEntropyLoss(axis=-1), optimizer, static)

    def save(self, path, count):
        state = {name: part.state_dict() for name, part in self.parts.items()}
        state["run"] = {"rng": np.array(sy.rng_state()), "count": np.array(count)}
        sy.save(state, path)

    def load(self, path):
        state = sy.load_state(path)
        for name, part in self.parts.items():
            part.load_state_dict(state[name])
        sy.set_rng_state(*state["run"]["rng"].tolist())
        return state["run"]["count"].item()


def main(path, static=False, steps=300, stop=None, batch=16):
    text = pathlib.Path(__file__).read_text()
    letters, numbers = np.unique(list(text), return_inverse=True)
    sy.seed(1)
    trainer = Trainer(GPT(len(letters)), static, steps)
    first = trainer.load(path) if os.path.exists(path) else 0
    losses = []
    for count in range(first, steps if stop is None else stop):
        starts = np.random.default_rng(count).integers(0, len(text) - 65, [batch, 1])
        x = numbers[starts + np.arange(65)]
        losses.append(trainer.step(x[:, :-1], x[:, 1:]).item())
        trainer.schedule.step()
    trainer.save(path, first + len(losses))
    writer = sy.static.decode_step(trainer.model) if static else trainer.model
    tokens = sy.generate(writer, numbers[:9], 50, temperature=0.5, seed=1)
    print("losses", losses[:1], losses[-1:], "".join(letters[tokens.numpy()]))
    return losses


if __name__ == "__main__":
    main(sys.argv[1], "--static" in sys.argv)
