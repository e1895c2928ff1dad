# SPDX-License-Identifier: Apache-2.0
"""LeNet on all of MNIST: 99 % of the test images within 5 epochs, both ways.

Both runs must have the same bits, so the static one trains as far as the eager
one got and is compared there.
"""
import gzip
import pathlib
import time
import unittest

import numpy as np

from python.tests.training import runs
import switchyard as sy
from switchyard import nn

DATA = pathlib.Path("../shared_data/mnist")
EPOCHS, BATCH, WANTED = 5, 64, 0.990


def read(name, header):
    with gzip.open(next(DATA.glob(f"{name}*"))) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)


def load(part):
    """Images float32 [n, 1, 28, 28], mean 0 and variance 1, and labels."""
    images = read(f"{part}-images", 16).reshape(-1, 1, 28, 28)
    images = (images.astype(np.float32) / 255 - 0.1307) / 0.3081
    return images, read(f"{part}-labels", 8).astype(np.int64)


def lenet():
    """LeNet-5 with ReLU and maxima, as it is taught today."""
    sy.seed(1)
    return nn.Sequential(
        nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10))


class MnistTest(unittest.TestCase):

    def train(self, way, train, test):
        """(accuracies by epoch, bits) of one run that stops when it is good."""
        model = lenet()
        loader = sy.io.DataLoader(sy.io.ArrayDataset(*train), BATCH,
                                  shuffle=True, drop_last=True, seed=2)
        optimizer = sy.optim.Momentum(model.parameters(), 0.05,
                                      weight_decay=5e-4)
        schedule = sy.optim.CosineDecay(optimizer, EPOCHS * len(loader))
        step = runs.STEPS[way](model, nn.CrossEntropyLoss(), optimizer)
        accuracies, start = [], time.monotonic()
        while len(accuracies) < EPOCHS and max(accuracies, default=0) < WANTED:
            for images, labels in loader:
                step(images, labels)
                schedule.step()
            accuracies.append(runs.accuracy(model, *test))
            print(f"{way}: epoch {len(accuracies)}: {accuracies[-1]:.4f}, "
                  f"{time.monotonic() - start:.0f} s", flush=True)
        return accuracies, runs.bits(model, optimizer)

    def test_99_percent_within_5_epochs_both_ways(self):
        train, test = load("train"), load("t10k")
        self.assertEqual((len(train[0]), len(test[0])), (60000, 10000))
        eager = self.train("eager", train, test)
        self.assertGreaterEqual(eager[0][-1], WANTED)
        static = self.train("static", train, test)
        self.assertEqual(static[0], eager[0])
        self.assertTrue(static[1] == eager[1], "other bits")


if __name__ == "__main__":
    unittest.main()
