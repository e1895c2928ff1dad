# SPDX-License-Identifier: Apache-2.0
"""A residual network of digits in mixed precision, with accumulated gradients.

    ./sy python examples/recipes/accumulation.py [--static]

Four small batches make one update, in float16 with a scaled loss; "bfloat16"
needs no scaler.
"""
import pathlib
import sys

import numpy as np

import switchyard as sy
from switchyard import nn

DIGITS = pathlib.Path(__file__).parent.parent / "digits/data/digits.csv.gz"


class Block(nn.Module):
    """x plus two convolutions of it."""

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2D(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2D(channels)
        self.second = nn.Conv2D(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.second(sy.relu(self.norm(self.first(x))))


def network(width=16):
    sy.seed(1)
    return nn.Sequential(
        nn.Conv2D(1, width, 3, padding=1), Block(width), nn.ReLU(),
        nn.MaxPool2D(2), Block(width), nn.ReLU(), nn.Flatten(),
        nn.Linear(16 * width, 10))


def make_step(model, static=False, dtype="float16", accumulate=4):
    """step(images, labels): each ``accumulate``-th call updates the model."""
    loss, scaler = nn.CrossEntropyLoss(), sy.amp.GradScaler(
        1024.0, enabled=dtype == "float16")
    optimizer = sy.optim.AdamW(model.parameters(), learning_rate=0.003)
    program = sy.static.train_step(model, loss, optimizer, scaler=scaler,
                                   accumulate=accumulate)
    calls = 0

    def step(images, labels):
        nonlocal calls
        with sy.amp.autocast(dtype):
            if static:
                return program(images, labels)
            value = loss(model(images), labels)
        scaler.scale(value / accumulate).backward()
        calls += 1
        if calls % accumulate == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        return value
    return step


def main(static=False, epochs=4, dtype="float16"):
    rows = np.loadtxt(DIGITS, np.float32, delimiter=",")
    images, labels = rows[:, :64] / 16, rows[:, 64].astype(np.int64)
    data = sy.io.ArrayDataset(images.reshape(-1, 1, 8, 8), labels)
    loader = sy.io.DataLoader(data, 16, shuffle=True, drop_last=True, seed=1)
    step = make_step(network(), static, dtype)
    losses = [step(x, y).item() for _ in range(epochs) for x, y in loader]
    print(f"{dtype}: loss {np.mean(losses[-20:]):.4f}")
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
