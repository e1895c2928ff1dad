# SPDX-License-Identifier: Apache-2.0
"""Numbers that operators are given are float64 beside float64 tensors."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
ops = sy.ops
# None is a float32: it would be 1e-8 of itself off.
EXACT = {"rtol": 1e-14, "atol": 1e-15}


def numbers(*shape):
    return np.random.default_rng(5).normal(size=shape)


X = numbers(2, 6, 5, 3)
M = numbers(4, 6)
N = numbers(6, 4) * 0.7


def normalized(x, axes, epsilon=0.1):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon)


def batch_norm(training):
    """The result of batch_norm, and its running mean."""
    zeros, ones = (sy.tensor(f(6)) for f in (np.zeros, np.ones))
    out, mean, *_ = ops.batch_norm(sy.tensor(X), zeros, ones, ones, zeros,
                                   is_test=not training, momentum=0.7, epsilon=0.1)
    return out, mean


def lrn(x, k=0.1, alpha=0.3, beta=0.7):
    square = np.pad(x * x, ((0, 0), (2, 2), (0, 0), (0, 0)))
    total = sum(square[:, i:i + 6] for i in range(5))
    return x / (k + alpha * total) ** beta


def huber(d, delta=0.3):
    return np.where(abs(d) <= delta, d * d / 2, delta * (abs(d) - delta / 2))


def smooth_l1(d, sigma=0.7):
    s2 = sigma * sigma
    return np.where(abs(d) < 1 / s2, s2 * d * d / 2, abs(d) - 0.5 / s2)


P = 1 / (1 + np.exp(-M))
T = sy.tensor

# Calls, and their results by NumPy.
CALLS = {
    "batch_norm": (lambda: batch_norm(True)[0], lambda: normalized(X, (0, 2, 3))),
    "batch_norm, running": (lambda: batch_norm(True)[1],
                            lambda: X.mean((0, 2, 3)) * (1 - 0.7)),
    "batch_norm in inference": (lambda: batch_norm(False)[0], lambda: X / np.sqrt(1.1)),
    "layer_norm": (lambda: F.layer_norm(T(M), [6], epsilon=0.1), lambda: normalized(M, 1)),
    "group_norm": (lambda: ops.group_norm(T(X), epsilon=0.1, groups=2)[0],
                   lambda: normalized(X.reshape(2, 2, -1), 2).reshape(X.shape)),
    "instance_norm": (lambda: ops.instance_norm(T(X), epsilon=0.1)[0],
                      lambda: normalized(X, (2, 3))),
    "p_norm": (lambda: ops.p_norm(T(M), 3.3, 1),
               lambda: (abs(M) ** 3.3).sum(1) ** (1 / 3.3)),
    "norm": (lambda: ops.norm(T(M), 1, 0.1)[0],
             lambda: M / np.sqrt((M * M).sum(1, keepdims=True) + 0.1)),
    "dist": (lambda: sy.dist(T(M), T(M[::-1].copy()), 3.3),
             lambda: (abs(M - M[::-1]) ** 3.3).sum() ** (1 / 3.3)),
    "renorm": (lambda: ops.renorm(T(M), 2.0, 0, 0.3),
               lambda: M * 0.3 / np.sqrt((M * M).sum(1, keepdims=True))),
    "lrn": (lambda: ops.lrn(T(X), 5, 0.1, 0.3, 0.7)[0], lambda: lrn(X)),
    "huber_loss": (lambda: ops.huber_loss(T(M), T(N.T.copy()), 0.3),
                   lambda: huber(N.T - M)),
    "smooth_l1_loss": (lambda: ops.smooth_l1_loss(T(M), T(N.T.copy()), sigma=0.7),
                       lambda: smooth_l1(M - N.T).sum(1, keepdims=True)),
    "log_loss": (lambda: ops.log_loss(T(P), T(P), 0.1),
                 lambda: -P * np.log(P + 0.1) - (1 - P) * np.log(1 - P + 0.1)),
    "label_smooth": (lambda: ops.label_smooth(T(M), epsilon=0.1), lambda: 0.9 * M + 0.1 / 6),
    "margin_rank_loss": (lambda: ops.margin_rank_loss(T(np.ones((4, 6))), T(M),
                                                      T(N.T.copy()), 0.3)[0],
                         lambda: np.maximum(0, N.T - M + 0.3)),
    "hardtanh": (lambda: ops.hardtanh(T(M), -0.1, 0.3), lambda: M.clip(-0.1, 0.3)),
    "addmm": (lambda: ops.addmm(T(np.ones((4, 4))), T(M), T(N), beta=0.1, alpha=0.3),
              lambda: 0.1 + 0.3 * (M @ N)),
    "clip_by_norm": (lambda: ops.clip_by_norm(T(M), 0.3),
                     lambda: M * 0.3 / np.sqrt((M * M).sum())),
    "diag": (lambda: ops.diag(T(M[0]), 0, 0.3),
             lambda: np.where(np.eye(6) == 1, np.diag(M[0]), 0.3)),
    "pad2d": (lambda: ops.pad2d(T(X), [1, 0, 0, 2], pad_value=0.3),
              lambda: np.pad(X, ((0, 0), (0, 0), (1, 0), (0, 2)), constant_values=0.3)),
    "pad3d": (lambda: ops.pad3d(T(X[None]), [0, 2, 1, 0, 0, 0], pad_value=0.3),
              lambda: np.pad(X[None], ((0, 0), (0, 0), (0, 0), (1, 0), (0, 2)),
                             constant_values=0.3)),
    "gaussian": (lambda: ops.gaussian([3], 0.3, 0.0, "float64"), lambda: np.full(3, 0.3)),
    "uniform": (lambda: ops.uniform([3], 0.3, 0.3, "float64"), lambda: np.full(3, 0.3)),
    "dropout": (lambda: ops.dropout(T(M), p=0.1, is_test=True, mode="downgrade_in_infer"),
                lambda: M * 0.9),
    "rrelu": (lambda: ops.rrelu(T(M), lower=0.1, upper=0.3, is_test=True),
              lambda: np.where(M < 0, 0.2 * M, M)),
}

class WideAttributesTest(unittest.TestCase):

    def test_values(self):
        for name, (call, want) in CALLS.items():
            with self.subTest(name):
                got = call()
                got = got[0] if isinstance(got, (tuple, list)) else got
                self.assertEqual(got.dtype, "float64")
                np.testing.assert_allclose(got.numpy(), want(), **EXACT)

    def test_dropout_in_training(self):
        x = sy.ones([1000], "float64", requires_grad=True)
        out = F.dropout(x, 0.3)
        kept = out.numpy() != 0
        np.testing.assert_array_equal(out.numpy()[kept], 1 / (1 - 0.3))
        out.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), out.numpy())

    def test_gradients(self):
        """The epsilon of a gradient is that of the values."""
        x = sy.tensor(M, requires_grad=True)
        weights = sy.tensor(N.T.copy())
        (F.layer_norm(x, [6], epsilon=0.1) * weights).sum().backward()
        step = 1e-6
        for i, j in ((0, 0), (3, 5)):
            moved = [(normalized(M + s * step * np.outer(np.eye(4)[i], np.eye(6)[j]), 1)
                      * N.T).sum() for s in (1, -1)]
            self.assertAlmostEqual(x.grad[i, j].item(), (moved[0] - moved[1]) / 2 / step, 8)


if __name__ == "__main__":
    unittest.main()
