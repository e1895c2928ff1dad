# SPDX-License-Identifier: Apache-2.0
"""Operators that have kernels and a composite: both answer, and the gradient is
the one that the entry names, whichever answered."""
import unittest

import numpy as np

import switchyard as sy
import switchyard.nn.functional as F
from switchyard import static

RNG = np.random.default_rng(11)
X = RNG.normal(1.0, 2.0, size=(3, 6, 4, 5))
DY = RNG.normal(size=X.shape)
SCALE, BIAS = RNG.normal(size=(2, 6))
EPSILON = 1e-3
# How far results of each dtype may be from float64 mathematics of their inputs.
TOLERANCE = {"float64": 1e-13, "float32": 3e-6, "float16": 2e-3, "bfloat16": 1.6e-2}
CALLS = {  # With the number of groups.
    "group_norm": (lambda *t: F.group_norm(t[0], 3, *t[1:], epsilon=EPSILON), 3),
    "instance_norm": (lambda *t: F.instance_norm(
        t[0], weight=t[1], bias=t[2], epsilon=EPSILON), 6),
}


def right(x, scale, bias, dy, groups):
    """The result and the gradients, in float64."""
    shape, channels = x.shape, [1, x.shape[1]] + [1] * (x.ndim - 2)

    def rows(v):
        return v.reshape(shape[0], groups, -1)

    off = rows(x) - rows(x).mean(2, keepdims=True)
    inverse = 1 / np.sqrt((off * off).mean(2, keepdims=True) + EPSILON)
    normal = off * inverse
    g = rows(dy * scale.reshape(channels))
    dx = inverse * (g - g.mean(2, keepdims=True)
                    - normal * (g * normal).mean(2, keepdims=True))
    normal = normal.reshape(shape)
    axes = (0, *range(2, x.ndim))
    return (normal * scale.reshape(channels) + bias.reshape(channels),
            dx.reshape(shape), (dy * normal).sum(axes), dy.sum(axes))


def wide(tensor):
    return sy.ops.cast(tensor.detach(), "float64").numpy()


class KernelsBesideCompositesTest(unittest.TestCase):

    def close(self, got, expected, dtype, factor=1.0):
        for each, value in zip(got, expected):
            size = np.abs(value).max()
            np.testing.assert_allclose(wide(each) / size, value / size, 0,
                                       factor * TOLERANCE[dtype])

    def both(self):
        """Once by the kernels, once by the composites."""
        for prefer in ([], ["composed"]):
            with sy.policy(prefer=prefer):
                yield

    def test_values_and_gradients(self):
        for op, (call, groups) in CALLS.items():
            for dtype in TOLERANCE:
                tensors = [sy.ops.cast(sy.tensor(each), dtype)
                           for each in (X, SCALE, BIAS, DY)]
                expected = right(*map(wide, tensors), groups)
                for _ in self.both():
                    with self.subTest(op=op, dtype=dtype):
                        leaves = [sy.tensor(each, requires_grad=True)
                                  for each in tensors[:3]]
                        y = call(*leaves)
                        self.close([y], expected[:1], dtype)
                        gradients = sy.grad([y], leaves, [tensors[3]])
                        self.close(gradients, expected[1:], dtype, 2.0)

    def test_statistics_have_gradients(self):
        x = sy.tensor(X, requires_grad=True)
        for _ in self.both():
            _, mean, variance = sy.ops.group_norm(x, None, None, groups=3)
            dx, = sy.grad([(mean * 2.0 + variance).sum()], [x])
            rows = X.reshape(3, 3, -1)
            off = rows - rows.mean(2, keepdims=True)
            np.testing.assert_allclose(
                wide(dx), ((2.0 + 2.0 * off) / rows.shape[2]).reshape(X.shape), 1e-12)
            _, _, inverse = sy.ops.instance_norm(x, None, None, epsilon=EPSILON)
            dx, = sy.grad([inverse.sum()], [x])
            rows = X.reshape(3, 6, -1)
            off = rows - rows.mean(2, keepdims=True)
            spread = (off * off).mean(2, keepdims=True) + EPSILON
            np.testing.assert_allclose(
                wide(dx), (-spread ** -1.5 * off / rows.shape[2]).reshape(X.shape),
                1e-11, 1e-16)

    def test_programs(self):
        x = X.astype(np.float32)
        for op, (call, _) in CALLS.items():
            parts = [sy.tensor(each.astype(np.float32)) for each in (SCALE, BIAS)]
            for _ in self.both():
                with self.subTest(op):
                    traced = static.trace(lambda x, call=call: call(x, *parts), x)
                    np.testing.assert_array_equal(
                        traced(x).numpy(), call(sy.tensor(x), *parts).numpy())

    def test_last_channels(self):
        x = np.ascontiguousarray(np.moveaxis(X, 1, -1)).astype(np.float32)
        for _ in self.both():
            got = sy.ops.group_norm(sy.tensor(x), None, None, groups=3,
                                    data_format="NHWC")[0]
            first = sy.ops.group_norm(sy.tensor(X.astype(np.float32)), None, None,
                                      groups=3)[0]
            np.testing.assert_allclose(np.moveaxis(got.numpy(), -1, 1),
                                       first.numpy(), 2e-6, 2e-6)

    def test_refused_alike(self):
        x = sy.tensor(X.astype(np.float32))
        for _ in self.both():
            with self.assertRaisesRegex(TypeError, "^group_norm: x must be of a floating"):
                sy.ops.group_norm(sy.ops.cast(x, "int32"), None, None, groups=2)
            with self.assertRaisesRegex(TypeError, "^instance_norm: scale must be float32"):
                sy.ops.instance_norm(x, sy.tensor(SCALE), None)


if __name__ == "__main__":
    unittest.main()
