# SPDX-License-Identifier: Apache-2.0
"""Trains one convolutional network on real handwritten digits, twice.

Once eagerly, operator by operator, once as one static program. Both runs start
from the same seed; the table at the end says how they compare, bit by bit.
Writes a picture of test digits with the predictions.

    ./sy demo [--epochs N] [--picture FILE]
"""

import argparse
import sys
import time

import numpy as np

import digits
import switchyard as sy
from switchyard import nn

BATCH = 32


def make_network():
    """Dropout shows that both runs draw the same random numbers, batch
    normalisation that both keep the same running statistics."""
    sy.seed(7)
    return nn.Sequential(
        nn.Conv2D(1, 16, 3, padding=1), nn.BatchNorm2D(16), nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Conv2D(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2),
        nn.Flatten(), nn.Dropout(0.25), nn.Linear(32 * 2 * 2, 10))


class EagerStep:
    """A training step written out: forward, backward, update."""

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer

    def __call__(self, images, labels):
        self.optimizer.zero_grad()
        loss = self.loss(self.model(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss


@sy.no_grad()
def predict(model, images):
    """The most likely digit of each image."""
    model.eval()
    predictions = model(sy.tensor(images)).argmax(axis=1).numpy()
    model.train()
    return predictions


class Run:
    """One training run and what it shows."""

    def __init__(self, name, make_step, train, test, epochs):
        self.name, self.test = name, test
        self.model = make_network()
        optimizer = sy.optim.Momentum(self.model.parameters(),
                                      learning_rate=0.05, momentum=0.9)
        self.step = make_step(self.model, nn.CrossEntropyLoss(), optimizer)
        self.losses, self.seconds = [], []
        loader = sy.io.DataLoader(sy.io.ArrayDataset(*train), BATCH,
                                  shuffle=True, drop_last=True, seed=1)
        self.train(loader, epochs)

    def train(self, loader, epochs):
        batches = (batch for _ in range(epochs) for batch in loader)
        bar = sy.io.ProgressBar(batches, f"{self.name:6s}",
                                epochs * len(loader))
        for images, labels in bar:
            start = time.perf_counter()
            loss = self.step(images, labels).item()
            self.seconds.append(time.perf_counter() - start)
            self.losses.append(loss)
            bar.report(loss=loss)
            if len(self.losses) % len(loader) == 0:
                self.accuracy = self.measure()
                bar.report(accuracy=f"{100 * self.accuracy:.2f} %")

    def measure(self):
        images, labels = self.test
        return float(np.mean(predict(self.model, images) == labels))

    def row(self):
        return (f"{self.name:8s}{100 * self.accuracy:10.2f} %"
                f"{1000 * np.median(self.seconds):12.3f}"
                f"{self.losses[-1]:14.8f}")


def compare(eager, static):
    """Prints both runs; whether losses and weights have the same bits."""
    print(f"\n{'run':8s}{'accuracy':>12s}{'ms a step':>12s}{'last loss':>14s}")
    print(eager.row())
    print(static.row())
    losses = np.array(eager.losses).tobytes() == (
        np.array(static.losses).tobytes())
    weights = [a.numpy().tobytes() == b.numpy().tobytes() for a, b in zip(
        eager.model.state_dict().values(), static.model.state_dict().values())]
    print(f"losses bit-equal: {'yes' if losses else 'NO'} "
          f"({len(eager.losses)} steps); weights and statistics bit-equal: "
          f"{'yes' if all(weights) else 'NO'} ({len(weights)} tensors)")
    return losses and all(weights)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--picture", default="digits.png")
    options = parser.parse_args()
    train, test = digits.load()
    print(f"{len(train[0])} digits to train with, {len(test[0])} to test with")
    eager = Run("eager", EagerStep, train, test, options.epochs)
    print(eager.model)
    static = Run("static", sy.static.train_step, train, test, options.epochs)
    same = compare(eager, static)

    digits.draw(options.picture, *test, predict(static.model, test[0]))
    print(f"predictions: {options.picture}")

    print("\nWhich kernel runs the second convolution, and why?")
    print(sy.explain("conv2d", input=f"float32[{BATCH}, 16, 4, 4]",
                     filter=eager.model[4].weight, paddings=[1, 1]))
    if not same:
        sys.exit("eager and static differ")


if __name__ == "__main__":
    main()
