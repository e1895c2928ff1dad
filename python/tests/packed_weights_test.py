# SPDX-License-Identifier: Apache-2.0
"""Programs keep weights in the layouts that kernels want until these are
written, whoever writes them: each run has the bits of an eager call."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static


def image():
    return np.random.default_rng(3).normal(size=(2, 64, 28, 28)).astype(
        np.float32)


class Chosen(nn.Module):
    """A convolution of the images that a mask names: a late batch."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(64, 64, 3, padding=1)

    def forward(self, x, keep):
        rows = sy.reshape(sy.ops.nonzero(keep), [-1])
        return self.conv(sy.ops.index_select(x, rows))


class Scaled(nn.Module):
    """A convolution by a filter that is computed from weights."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(64, 64, 3, padding=1)
        self.gain = nn.Parameter(sy.ones([64, 1, 1, 1]))

    def forward(self, x):
        gain = sy.sqrt(self.gain * self.gain + 1.0)
        return sy.ops.conv2d(x, self.conv.weight * gain, paddings=[1, 1])


class Layer(nn.Module):
    """A linear layer whose matrix, transposed, is packed."""

    def __init__(self):
        super().__init__()
        values = np.random.default_rng(4).normal(size=(50, 40))
        self.weight = nn.Parameter(sy.tensor(values.astype(np.float32)))

    def forward(self, x):
        return sy.ops.linear_epilogue(x, sy.ops.transpose(self.weight, [1, 0]),
                                      post_ops="relu", pack_y=True)


class PackedWeightsTest(unittest.TestCase):

    def writes(self, weight, same):
        """Writes `weight` in every way; `same` compares after each."""
        same()
        same()
        values = weight.detach()
        array = values.numpy()
        same()
        array[0, 0] += 1.0
        same()
        array *= 0.5
        same()
        view = array[1:2]
        del array
        view += 2.0
        same()
        del view
        same()
        shared = np.from_dlpack(values)
        same()
        del shared
        same()
        values.copy_(sy.tensor(np.full(weight.shape, 0.01, np.float32)))
        same()
        with sy.no_grad():
            weight += 0.5
        same()
        values[0, 2] = 7.0
        same()
        sy.ops.sgd_(values, sy.tensor(np.float32(0.1)), values * 2.0)
        same()

    def test_an_image(self):
        sy.seed(1)
        model = nn.Sequential(nn.Conv2D(64, 64, 3, padding=1), nn.ReLU(),
                              nn.Conv2D(64, 64, 3, padding=1)).eval()
        x = image()
        program = static.trace(model, x)
        self.assertIn("reorder filter", program.explain())
        seen = set()

        def same():
            want = model(sy.tensor(x)).numpy().tobytes()
            self.assertEqual(program(x).numpy().tobytes(), want)
            seen.add(want)

        self.writes(model[0].weight, same)
        self.assertGreater(len(seen), 7)

    def test_a_late_batch(self):
        sy.seed(1)
        model = Chosen().eval()
        x, keep = image(), np.array([True, False])
        program = static.trace(model, x, keep)

        def same():
            for mask in (keep, ~keep, keep | ~keep):
                want = model(sy.tensor(x), sy.tensor(mask)).numpy()
                self.assertEqual(program(x, mask).numpy().tobytes(),
                                 want.tobytes())

        self.writes(model.conv.weight, same)

    def computed(self, program, x):
        """The operators of a run."""
        return {row.op for row in program.profile(x).rows()}

    def test_what_follows_from_weights(self):
        sy.seed(1)
        model = Scaled().eval()
        x = image()
        for spec in (x, static.InputSpec([None, 64, None, None])):
            program = static.trace(model, spec)

            def same():
                want = model(sy.tensor(x)).numpy().tobytes()
                self.assertEqual(program(x).numpy().tobytes(), want)

            same()
            self.assertEqual(self.computed(program, x) - {"reorder"},
                             {"conv2d"})
            self.writes(model.conv.weight, same)
            model.gain.detach().copy_(sy.full([64, 1, 1, 1], 0.5))
            same()

    def test_a_packed_matrix(self):
        model = Layer().eval()
        x = np.random.default_rng(5).normal(size=(30, 40)).astype(np.float32)
        for spec in (x, static.InputSpec([None, 40])):
            program = static.trace(model, spec)
            self.assertIn("reorder y", program.explain())

            def same():
                want = model(sy.tensor(x)).numpy().tobytes()
                self.assertEqual(program(x).numpy().tobytes(), want)

            same()
            self.assertEqual(self.computed(program, x), {"linear_epilogue"})
            self.writes(model.weight, same)

    def test_what_a_run_writes_is_computed_in_it(self):
        class Growing(nn.Module):
            def __init__(self):
                super().__init__()
                self.gain = nn.Buffer(sy.ones([3]))

            def forward(self, x):
                self.gain = self.gain * 2.0
                return x * (self.gain + 1.0)

        program = static.trace(Growing(), np.ones([3], np.float32))
        x = np.ones([3], np.float32)
        self.assertEqual(program(x).tolist(), [3.0] * 3)
        self.assertEqual(program(x).tolist(), [5.0] * 3)

    def test_training_and_inference_share_weights(self):
        sy.seed(1)
        model = nn.Sequential(nn.Conv2D(64, 64, 3, padding=1))
        x = image()
        program = static.trace(model, x)
        optimizer = sy.optim.SGD(model.parameters(), 0.1)
        step = static.train_step(
            model, lambda out, y: sy.ops.mean(out * y), optimizer)
        before = program(x).numpy().tobytes()
        for _ in range(3):
            step(x, np.ones((2, 64, 28, 28), np.float32))
            want = model(sy.tensor(x)).numpy().tobytes()
            self.assertEqual(program(x).numpy().tobytes(), want)
            self.assertNotEqual(want, before)
            before = want


if __name__ == "__main__":
    unittest.main()
