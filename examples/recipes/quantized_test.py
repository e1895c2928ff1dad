# SPDX-License-Identifier: Apache-2.0
"""Networks that have learned from real data lose little by integers."""
import pathlib
import unittest

import numpy as np

import digits
import gpt
import switchyard as sy
from switchyard import nn


def train(model, step, batches):
    """Takes a step for each (inputs, labels); returns the model in its test phase."""
    for inputs, labels in batches:
        step(inputs, labels)
    return model.eval()


class DigitsTest(unittest.TestCase):
    """A convolutional network on the 360 test images of optical digits."""

    @classmethod
    def setUpClass(cls):
        sy.seed(7)
        (images, labels), cls.test = digits.load()
        cls.model = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2D(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(128, 10))
        step = sy.static.TrainStep(cls.model, nn.CrossEntropyLoss(),
                                   sy.optim.Adam(cls.model.parameters(), 3e-3))
        rng = np.random.default_rng(0)
        train(cls.model, step, (
            (images[rows], labels[rows]) for _ in range(6)
            for rows in rng.permutation(len(images))[:1408].reshape(-1, 32)))
        cls.data = [images[:200]]

    def accuracy(self, program):
        images, labels = self.test
        return np.mean(program(images).numpy().argmax(axis=1) == labels)

    def test_accuracy(self):
        exact = self.accuracy(sy.static.trace(self.model, self.test[0]))
        self.assertGreater(exact, 0.95)
        for weights, activations in (("int8", "none"), ("int8", "dynamic"),
                                     ("int8", "static"), ("int4", "static")):
            found = sy.quantize(self.model, weights, activations, self.data)
            accuracy = self.accuracy(found.program)
            print(f"{weights}, {activations}: {accuracy:.4f} of {exact:.4f}")
            self.assertEqual(len(found.report), 3)
            if weights == "int8":
                self.assertGreaterEqual(accuracy, exact - 0.01)
                self.assertLess(max(layer.output_error for layer in found.report), 0.03)


class TextTest(unittest.TestCase):
    """The small GPT, of the recipe's own text."""

    def check_writing(self, found, row):
        """With a cache it writes what it says without one."""
        row, written = row.copy(), sy.generate(found, row[:9], 12).numpy()
        for place, token in enumerate(written, 9):
            row[place] = found(row[None]).numpy()[0, place - 1].argmax()
            self.assertEqual(row[place], token)

    def test_perplexity(self):
        text = pathlib.Path(gpt.__file__).read_text()
        letters, numbers = np.unique(list(text), return_inverse=True)
        sy.seed(1)
        model = gpt.GPT(len(letters))
        step = sy.static.TrainStep(model, nn.CrossEntropyLoss(axis=-1),
                                   sy.optim.AdamW(model.parameters(), 0.003))
        rng = np.random.default_rng(0)

        def batch(starts):
            rows = numbers[starts[:, None] + np.arange(65)]
            return rows[:, :-1], rows[:, 1:]
        train(model, step, (batch(rng.integers(0, len(text) - 65, 16)) for _ in range(100)))
        tokens, following = batch(np.arange(0, len(text) - 65, 64))

        def perplexity(program):
            logits = program(tokens).numpy().astype(np.float64)
            logits -= logits.max(axis=2, keepdims=True)
            logs = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
            return np.exp(-np.take_along_axis(logs, following[..., None], 2).mean())
        exact = perplexity(sy.static.trace(model, tokens))
        self.assertLess(exact, 0.5 * len(letters))
        for weights, activations in (("int8", "none"), ("int8", "dynamic"),
                                     ("int8", "static"), ("int4", "none")):
            found = sy.quantize(model, weights, activations, [tokens])
            if activations != "dynamic":  # Its scales are those of all tokens of a call.
                self.check_writing(found, numbers[:64])
            found = perplexity(found.program)
            print(f"{weights}, {activations}: {found:.4f} of {exact:.4f}")
            if weights == "int8":
                self.assertLess(found, 1.02 * exact)


if __name__ == "__main__":
    unittest.main()
