# SPDX-License-Identifier: Apache-2.0
"""The attribute type post_ops: its spellings, what a list means, who applies it."""
import os
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

X = np.random.default_rng(7).normal(size=(3, 4)).astype(np.float32)
Y = np.random.default_rng(8).normal(size=(4, 2)).astype(np.float32)


def linear(post_ops, x=X):
    return sy.ops.linear_epilogue(sy.tensor(x), sy.tensor(Y), post_ops=post_ops)


class PostOpsTest(unittest.TestCase):

    def test_spellings(self):
        plain = (X.astype(np.float64) @ Y).astype(np.float32)
        for nothing in ("", "[]", [], ()):
            np.testing.assert_allclose(linear(nothing).numpy(), plain, rtol=1e-5)
        want = np.where(plain < 0, 0.25 * plain, plain)
        for leaky in ("leaky_relu(0.25)", "[leaky_relu(0.25)]", ["leaky_relu(0.25)"],
                      [("leaky_relu", 0.25)], (("leaky_relu", np.float64(0.25)),)):
            got = linear(leaky).numpy()
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
            self.assertEqual(got.tobytes(), linear("leaky_relu(0.25)").numpy().tobytes())

    def test_a_list_is_applied_in_order(self):
        for ops in (["tanh", ("clip", -0.5, 0.25)], [("clip", -0.5, 0.25), "tanh"]):
            got = linear(ops).numpy()
            want = X.astype(np.float64) @ Y
            for op in ops:
                want = np.tanh(want) if op == "tanh" else np.clip(want, -0.5, 0.25)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

    def test_a_kernel_says_what_it_takes(self):
        text = sy.explain("linear_epilogue", x=X, y=Y, post_ops="[tanh, relu]",
                          policy="backend=cpu")
        self.assertRegex(text, r"post_ops must be at most 1 of relu, .* or gelu_tanh, "
                               r"got \[tanh, relu\]")
        self.assertNotIn("post_ops must be", sy.explain("linear_epilogue", x=X, y=Y,
                                                        post_ops="relu", policy="backend=cpu"))

    def test_a_gradient_is_that_of_the_parts(self):
        grads = []
        for fused in (True, False):
            x = sy.tensor(X)
            x.requires_grad = True
            if fused:
                out = sy.ops.linear_epilogue(x, sy.tensor(Y), post_ops="[leaky_relu(0.5), tanh]")
            else:
                out = sy.tanh(sy.ops.leaky_relu(sy.ops.mul(x, sy.tensor(Y)), 0.5))
            sy.sum(out).backward()
            grads.append(x.grad.numpy().tobytes())
        self.assertEqual(*grads)

    def test_a_program_keeps_the_list(self):
        program = static.trace(lambda x: sy.ops.linear_epilogue(
            x, sy.tensor(Y), post_ops=[("swish", 1), "relu"]), X)
        self.assertRegex(program.text(), r"post_ops\[swish\(1(\.0)?\), relu\]")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.sy")
            program.save(path)
            self.assertEqual(static.load(path).text(), program.text())

    def test_errors_name_the_argument(self):
        for wrong, error, words in (
                ("mish", ValueError, 'post_ops must be a list of relu, .*, got "mish"'),
                ([("clip", 1)], ValueError, "post_ops must be clip with 2 numbers, got 1"),
                ("relu(1)", ValueError, "post_ops must be relu with 0 numbers, got 1"),
                ("[relu", ValueError, r'post_ops must be a list such as .*, got "\[relu"'),
                (["relu"] * 9, ValueError, "post_ops must be of at most 8 functions, got 9"),
                ([("clip", "a", 1)], TypeError, "post_ops must be a number"),
                (3, TypeError, "post_ops must be text")):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(error, words):
                linear(wrong)

    def test_integers_take_one(self):
        image, filters = np.ones((1, 2, 3, 3), np.int8), np.ones((2, 2, 1, 1), np.int8)
        call = dict(input=sy.tensor(image), filter=sy.tensor(filters), multiplier=sy.ones([2]))
        self.assertEqual(sy.ops.conv2d_int8(**call, post_ops="clip(0, 1)").numpy().max(), 1)
        with sy.policy(backends=["cpu"]), self.assertRaisesRegex(
                (RuntimeError, NotImplementedError, TypeError), "post_ops must be at most 1 of"):
            sy.ops.conv2d_int8(**call, post_ops=["relu", "tanh"])



if __name__ == "__main__":
    unittest.main()
