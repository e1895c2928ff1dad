# SPDX-License-Identifier: Apache-2.0
"""A transformer's encoder on a device that serves thirty operators: all others
are made of these there, and nothing falls back to the CPU."""
import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # With sim linked.

import switchyard as sy  # noqa: E402
from switchyard import nn, static  # noqa: E402

# The operators that the device has kernels of: no layer, loss or softmax.
SERVED = [
    "abs", "add", "cast", "clip", "concat", "contiguous", "copy", "divide", "equal", "erf", "exp",
    "full", "full_like", "gather_nd", "greater_than", "log", "matmul", "max", "maximum", "minimum",
    "multiply", "not_equal", "relu", "scale", "sqrt", "square", "subtract", "sum",
    "take_along_axis", "where",
]
POLICY = sy.policy(on={"sim_cpu": SERVED, "sim_onednn": []}, strict=True)
# The sim device copies a kernel's table of the CPU: its views are the CPU's.
VIEWS = {"detach", "expand", "expand_as", "flatten", "reshape", "slice", "split", "squeeze",
         "transpose", "unsqueeze", "view_shape"}
WORDS, WIDTH, CLASSES = 50, 16, 5


class Encoder(nn.Module):
    """Words to the logarithms of classes' probabilities."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(WIDTH, 4, 32, dropout=0.1, activation="gelu"), 2)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, words):
        hidden = self.layers(self.words(words))
        return sy.log_softmax(self.head(self.norm(hidden.mean(1))), -1)


def made(place):
    sy.set_default_place(place)
    sy.seed(5)
    model = Encoder()
    model.eval()
    return model


class EncoderTest(unittest.TestCase):

    def setUp(self):
        self.addCleanup(sy.set_default_place, "cpu")
        self.words = np.random.default_rng(6).integers(0, WORDS, size=(3, 7))
        self.assertLessEqual(len(SERVED), 30)
        with sy.no_grad():
            self.want = made("cpu")(sy.tensor(self.words)).numpy()
        self.model = made("sim:0")
        sy._core.clear_fallback_log()

    def test_eager(self):
        x = sy.tensor(self.words)
        with POLICY, sy.no_grad(), sy.record_selections() as log:
            got = self.model(x)
            self.assertEqual(str(got.place), "sim:0")
        np.testing.assert_allclose(got.numpy(), self.want, 2e-5, 2e-6)
        self.assertEqual(sy.fallback_log(), [])
        ran = {line.split()[0] for line in log}
        self.assertEqual(ran - set(SERVED) - VIEWS, set())
        for one in ("softmax", "layer_norm", "gelu", "embedding", "mean", "log_softmax"):
            self.assertNotIn(one, ran)

    def test_program(self):
        program = static.trace(lambda words: self.model(words), self.words, policy=POLICY)
        x = sy.tensor(self.words)
        got = program(x)
        with POLICY, sy.no_grad():
            np.testing.assert_array_equal(got.numpy(), self.model(x).numpy())
        chosen = program.selections({program.feeds[0]: self.words})
        self.assertEqual({line.split()[0] for line in chosen} - set(SERVED) - VIEWS, set())
        self.assertEqual(sy.fallback_log(), [])

    def test_without_a_composite_the_missing_kernel_is_named(self):
        with POLICY, self.assertRaisesRegex(NotImplementedError, "cumsum"):
            sy.cumsum(sy.tensor(np.ones(3, np.float32)), 0)


if __name__ == "__main__":
    unittest.main()
