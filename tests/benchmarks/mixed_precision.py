# SPDX-License-Identifier: Apache-2.0
"""Measures mixed precision: memory saved, accuracy lost.

    ./sy python tests/benchmarks/mixed_precision.py DIGITS.csv

DIGITS.csv: rows of 64 pixels from 0 to 16 and a label (UCI's digits). For
float32, autocast to bfloat16 and float16 (scaled), and a model of bfloat16
parameters: the share of right answers on a fifth of the rows after training on
the others, as the mean of two seeds; and the most memory that one step of a
larger network takes beside its parameters. Each measurement is a process.
"""

import json
import resource
import subprocess
import sys

import numpy as np

import switchyard as sy
from switchyard import nn

WAYS = ("float32", "autocast bfloat16", "autocast float16", "bfloat16 model")
SEEDS, EPOCHS, BATCH = 2, 5, 32


def network(width, side, depth):
    """Convolutions with batch norm, and two linear layers."""
    layers = []
    for i in range(depth):
        layers += [nn.Conv2D(width if i else 1, width, 3, padding=1),
                   nn.BatchNorm2D(width), nn.ReLU()]
    return nn.Sequential(
        *layers, nn.MaxPool2D(2), nn.Flatten(),
        nn.Linear(width * (side // 2) ** 2, 64), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(64, 10))


class Trainer:
    """One way of WAYS."""

    def __init__(self, way, model):
        self.dtype = way.split()[-1] if way.startswith("autocast") else None
        self.input_dtype = "float32"
        if way == "bfloat16 model":
            self.input_dtype = "bfloat16"
            model.to("bfloat16")
        self.scaler = sy.amp.GradScaler(enabled=self.dtype == "float16")
        optimizer = sy.optim.Adam(model.parameters(), 0.002,
                                  multi_precision=way == "bfloat16 model")
        self.model, self.loss = model, nn.CrossEntropyLoss()
        self.optimizer = optimizer

    def autocast(self):
        return sy.amp.autocast(self.dtype or "bfloat16",
                               enabled=self.dtype is not None)

    def logits(self, x):
        with self.autocast():
            return self.model(sy.tensor(x).astype(self.input_dtype))

    def step(self, x, y):
        self.optimizer.zero_grad()
        with self.autocast():
            loss = self.loss(self.logits(x), sy.tensor(y))
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()


def accuracy(way, path, seed):
    rows = np.loadtxt(path, delimiter=",", dtype=np.int64)
    rows = rows[np.random.default_rng(seed).permutation(len(rows))]
    x = (rows[:, :64] / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    y, split = rows[:, 64], len(rows) * 4 // 5
    sy.seed(seed)
    trainer = Trainer(way, network(8, 8, 2))
    for _ in range(EPOCHS):
        for at in range(0, split - BATCH + 1, BATCH):
            trainer.step(x[at:at + BATCH], y[at:at + BATCH])
    trainer.model.eval()
    with sy.no_grad():
        answers = trainer.logits(x[split:]).argmax(axis=1).numpy()
    return float((answers == y[split:]).mean())


def peak(way):
    """MiB that a step takes beside what was there before it."""
    sy.seed(0)
    sy.set_num_threads(1)
    trainer = Trainer(way, network(16, 32, 6))
    x = np.random.default_rng(0).normal(size=(128, 1, 32, 32))
    x, y = x.astype(np.float32), np.arange(128) % 10
    trainer.step(x[:1], y[:1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trainer.step(x, y)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def measured(*arguments):
    run = subprocess.run([sys.executable, __file__, *map(str, arguments)],
                         check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    if len(sys.argv) > 2:
        kind, way, *rest = sys.argv[1:]
        result = peak(way) if kind == "peak" else accuracy(way, rest[0],
                                                           int(rest[1]))
        print(json.dumps(result))
        return
    print(f"{'':20} {'right':>8} {'MiB a step':>11}")
    for way in WAYS:
        right = np.mean([measured("accuracy", way, sys.argv[1], seed)
                         for seed in range(SEEDS)])
        print(f"{way:20} {100 * right:7.2f}% {measured('peak', way):11.0f}")


if __name__ == "__main__":
    main()
