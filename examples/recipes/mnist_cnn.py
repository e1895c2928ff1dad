# SPDX-License-Identifier: Apache-2.0
"""A convolutional network learns MNIST.

    ./sy python examples/recipes/mnist_cnn.py FOLDER [--static]

FOLDER has the four files of MNIST, as they are or by gzip.
"""
import gzip
import pathlib
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn


def read(folder, part, count=None):
    """Images float32 [n, 1, 28, 28] around 0, and labels int64 [n]."""
    def elements(name, header):
        path = next(pathlib.Path(folder).glob(f"{part}-{name}*"))
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rb") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)
    images = elements("images", 16).reshape(-1, 1, 28, 28)[:count]
    labels = elements("labels", 8)[:count]
    return (images.astype(np.float32) / 255 - 0.1307) / 0.3081, (
        labels.astype(np.int64))


def network():
    sy.seed(1)
    return nn.Sequential(
        nn.Conv2D(1, 32, 3), nn.ReLU(), nn.Conv2D(32, 64, 3), nn.ReLU(),
        nn.MaxPool2D(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(64 * 12 * 12, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10))


def make_step(model, static=False):
    """step(images, labels) trains and returns the loss."""
    loss = nn.CrossEntropyLoss()
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.001)
    return train_step(model, loss, optimizer, static)


@sy.no_grad()
def accuracy(model, images, labels):
    """The share of right answers."""
    model.eval()
    right = sum(
        (model(x).argmax(axis=1) == y).sum().item() for x, y in
        sy.io.DataLoader(sy.io.ArrayDataset(images, labels), 500))
    model.train()
    return right / len(labels)


def main(folder, static=False, epochs=1, count=None):
    model = network()
    step = make_step(model, static)
    loader = sy.io.DataLoader(sy.io.ArrayDataset(*read(folder, "train", count)),
                              64, shuffle=True, seed=1, progress="mnist")
    losses = [step(x, y).item() for _ in range(epochs) for x, y in loader]
    print(f"accuracy {accuracy(model, *read(folder, 't10k', count)):.4f}")
    return losses


if __name__ == "__main__":
    main(sys.argv[1], "--static" in sys.argv)
