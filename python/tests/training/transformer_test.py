# SPDX-License-Identifier: Apache-2.0
"""A small transformer encoder reads digits row by row, both ways, same bits."""
import unittest

import numpy as np

from python.tests.training import runs
import switchyard as sy
from switchyard import nn

DATA = "examples/digits/data/digits.csv.gz"
EPOCHS, BATCH = 12, 32


class Encoder(nn.Module):
    """The 8 rows of a digit as a sequence; their mean tells the class."""

    def __init__(self, size=32, heads=4):
        super().__init__()
        self.rows = nn.Linear(8, size)
        self.places = nn.Embedding(8, size, weight_init=nn.init.Normal(std=0.1))
        self.layers = nn.Sequential(
            nn.TransformerEncoderLayer(size, heads, 64, dropout=0.1),
            nn.TransformerEncoderLayer(size, heads, 64, dropout=0.1,
                                       activation="gelu"))
        self.norm = nn.LayerNorm(size)
        self.head = nn.Linear(size, 10)

    def forward(self, x):
        x = self.rows(x) + self.places(np.arange(8))
        return self.head(sy.mean(self.norm(self.layers(x)), 1))


class TransformerTest(unittest.TestCase):

    def train(self, way, train, test, epochs):
        sy.seed(3)
        model = Encoder()
        optimizer = sy.optim.AdamW(model.parameters(), 0.003,
                                   clip=sy.optim.ClipGradByGlobalNorm(1.0))
        loader = sy.io.DataLoader(sy.io.ArrayDataset(*train), BATCH,
                                  shuffle=True, drop_last=True, seed=4)
        schedule = sy.optim.LinearWarmup(
            optimizer, 20, lambda base, count: base * 0.998**count)
        step = runs.STEPS[way](model, nn.CrossEntropyLoss(), optimizer)
        losses = []
        for _ in range(epochs):
            for rows, labels in loader:
                losses.append(step(rows, labels).item())
                schedule.step()
        return losses, runs.bits(model, optimizer), runs.accuracy(model, *test)

    def test_learns_the_digits_with_the_same_bits(self):
        images, labels = runs.digits(DATA)
        images = images.reshape(-1, 8, 8)
        cut = len(images) * 4 // 5
        train, test = ((images[:cut], labels[:cut]),
                       (images[cut:], labels[cut:]))
        eager = self.train("eager", train, test, EPOCHS)
        self.assertGreaterEqual(eager[2], 0.95)
        self.assertLess(np.mean(eager[0][-10:]), 0.1 * np.mean(eager[0][:10]))
        static = self.train("static", train, test, EPOCHS)
        self.assertTrue(static == eager, "other bits")


if __name__ == "__main__":
    unittest.main()
