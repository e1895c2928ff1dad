# SPDX-License-Identifier: Apache-2.0
"""Networks that PyTorch exported train as they do there: the gradients of the
first step, each loss of 20 steps and the weights after them."""

import base64
import json
import lzma
import os
import pathlib
import tempfile
import unittest

import numpy as np
import switchyard as sy

CASES = pathlib.Path(__file__).resolve().parent / "training.json.xz"
NEAR = 1e-4  # Of the largest magnitude.


def array_of(encoded):
    dtype, shape, data = encoded
    return np.frombuffer(base64.b64decode(data), dtype).reshape(shape)


def arrays_of(encoded):
    return {name: array_of(value) for name, value in encoded.items()}


class OnnxTrainingTest(unittest.TestCase):

    def near(self, got, wanted, what):
        largest = np.abs(wanted).max()
        self.assertLessEqual(np.abs(got - wanted).max(), NEAR * largest, what)

    def train(self, case, run):
        """The losses, the first gradients and the trained weights."""
        feeds, weights = arrays_of(case["feeds"]), arrays_of(case["weights"])
        losses, first = [], None
        for _ in range(len(case["losses"])):
            results = run(feeds | weights)
            losses.append(results["loss"])
            gradients = {name: results[f"{name}.grad"] for name in weights}
            first = first or gradients
            weights = {
                name: weight - np.float32(case["rate"]) * gradients[name]
                for name, weight in weights.items()}
        return losses, first, weights

    def check(self, name):
        case = json.loads(lzma.decompress(CASES.read_bytes()))[name]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            pathlib.Path(path).write_bytes(base64.b64decode(case["model"]))
            program = sy.load(path)
            losses, first, trained = self.train(case, program.run)
            eagerly = self.train(case, program.run_eagerly)
        self.assertEqual(len(losses), 20)
        np.testing.assert_allclose(losses, case["losses"], NEAR)
        self.assertLess(losses[-1], losses[0])
        for given, wanted in ((first, case["gradients"]),
                              (trained, case["trained"])):
            self.assertEqual(given.keys(), wanted.keys())
            for one, value in arrays_of(wanted).items():
                self.near(given[one], value, one)
        # The eager executor gives the same bits.
        self.assertEqual([loss.tobytes() for loss in losses],
                         [loss.tobytes() for loss in eagerly[0]])
        for one, weight in trained.items():
            self.assertEqual(weight.tobytes(), eagerly[2][one].tobytes(), one)

    def call(self, case, traced):
        """As `train`, of the model as a module, by a step of eager calls or one
        that is traced."""
        feeds = arrays_of(case["feeds"])
        x, labels = (sy.tensor(feeds[name]) for name in ("x", "labels"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            pathlib.Path(path).write_bytes(base64.b64decode(case["plain"]))
            model = sy.load(path).module(parameters=list(case["gradients"]))
        optimizer = sy.optim.SGD(model.parameters(), case["rate"])
        loss = sy.nn.CrossEntropyLoss()
        parameters = dict(model.named_parameters())
        first, losses = {}, []
        if traced:
            step = sy.static.train_step(model, loss, optimizer)
            losses = [step(x, labels).numpy() for _ in case["losses"]]
        for _ in range(0 if traced else len(case["losses"])):
            value = loss(model(x), labels)
            optimizer.zero_grad()
            value.backward()
            first = first or {name: one.grad.numpy().copy()
                              for name, one in parameters.items()}
            optimizer.step()
            losses.append(value.numpy())
        return losses, first, {name: one.numpy()
                               for name, one in parameters.items()}

    def check_call(self, name):
        case = json.loads(lzma.decompress(CASES.read_bytes()))[name]
        losses, first, trained = self.call(case, traced=False)
        np.testing.assert_allclose(losses, case["losses"], NEAR)
        for given, wanted in ((first, case["gradients"]),
                              (trained, case["trained"])):
            self.assertEqual(given.keys(), wanted.keys())
            for one, value in arrays_of(wanted).items():
                self.near(given[one], value, one)
        statically = self.call(case, traced=True)
        self.assertEqual([loss.tobytes() for loss in losses],
                         [loss.tobytes() for loss in statically[0]])
        for one, weight in trained.items():
            self.assertEqual(weight.tobytes(), statically[2][one].tobytes(), one)

    def test_convolutions_as_a_module(self):
        self.check_call("convolutions")

    def test_encoder_as_a_module(self):
        self.check_call("encoder")

    def test_convolutions(self):
        self.check("convolutions")

    def test_encoder(self):
        self.check("encoder")


if __name__ == "__main__":
    unittest.main()
