# SPDX-License-Identifier: Apache-2.0
"""Attributes that tensors supply: read at once by an eager call, and while it
runs by a program, which has the same bits, gradients included."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import static


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def gradients(function, arrays, numbers):
    """The result and the gradients of eager calls, as lists of bytes."""
    inputs = [sy.tensor(a, requires_grad=a.dtype == np.float32)
              for a in arrays]
    out = function(*inputs, *map(sy.tensor, numbers))
    outs = out if isinstance(out, list) else [out]
    for number, one in enumerate(outs):
        if one.requires_grad:
            weights = sy.tensor(floats(*one.shape, seed=number + 1))
            (one * weights).sum().backward(retain_graph=True)
    return ([one.numpy().tobytes() for one in outs],
            [one.shape for one in outs],
            [None if x.grad is None else x.grad.numpy() for x in inputs])


class SuppliedAttributesTest(unittest.TestCase):

    def check(self, function, arrays, sets, gradient=True):
        """`function` takes the arrays, then numbers of each of `sets`."""
        names = [f"x{i}" for i in range(len(arrays))]
        counts = [f"n{i}" for i in range(len(sets[0]))]
        graph = sy._core.GraphBuilder("supplied")
        values = [graph.feed(name, list(a.shape), a.dtype)
                  for name, a in zip(names, arrays)]
        supplied = [graph.feed(name, list(np.shape(n)), np.asarray(n).dtype)
                    for name, n in zip(counts, sets[0])]
        out = function(*values, *supplied)
        outs = out if isinstance(out, list) else [out]
        loss = None
        for number, one in enumerate(outs):
            graph.fetch(f"out{number}", one)
            if not gradient:
                continue
            weights = graph.feed(f"w{number}", [None] * len(one.shape),
                                 "float32")
            part = (one * weights).sum()
            loss = part if loss is None else loss + part
        if gradient:
            for name, grad in zip(names, graph.gradients(loss, values)):
                graph.fetch(f"{name}_grad", grad)
        program = graph.finish()
        for numbers in sets:
            want, shapes, grads = gradients(function, arrays, numbers)
            feeds = dict(zip(names, arrays)) | dict(zip(counts, numbers))
            if gradient:
                feeds |= {f"w{i}": floats(*shape, seed=i + 1)
                          for i, shape in enumerate(shapes)}
            state = sy._core.State()
            got = program.run(feeds, state)
            with self.subTest(numbers=numbers):
                for i, data in enumerate(want):
                    self.assertEqual(got[f"out{i}"].tobytes(), data)
                if not gradient:
                    continue
                for name, grad in zip(names, grads):
                    np.testing.assert_allclose(got[f"{name}_grad"], grad,
                                               rtol=1e-6, atol=1e-6)

    def test_axis_of_concat(self):
        x, y = floats(2, 2, 3), floats(2, 2, 3, seed=5)
        self.check(lambda x, y, n: sy.concat([x, y], axis=n), [x, y],
                   [(np.int64(axis),) for axis in (0, 1, 2, -1)])

    def test_axis_and_sections_of_split(self):
        self.check(lambda x, n: sy.split(x, [1, -1], axis=n), [floats(3, 4)],
                   [(np.int64(axis),) for axis in (0, 1, -2)])
        self.check(lambda x, n, m: sy.split(x, [n, m], axis=1), [floats(3, 4)],
                   [(np.int64(1), np.int64(3)), (np.int64(2), np.int64(-1)),
                    (np.int64(4), np.int64(0))])
        self.check(lambda x, s, n: sy.split(x, s, axis=n), [floats(5, 5)],
                   [(np.array([1, 4]), np.int64(0)),
                    (np.array([3, 2]), np.int64(1))])

    def test_what_decides_how_many_results_there_are_is_known(self):
        graph = sy._core.GraphBuilder("split")
        x = graph.feed("x", [4], "float32")
        sections = graph.feed("s", [None], "int64")
        with self.assertRaisesRegex(ValueError, "a known number of elements"):
            sy.split(x, sections)

    def test_k_of_topk(self):
        self.check(lambda x, k: list(sy.topk(x, k)), [floats(3, 6)],
                   [(np.int32(k),) for k in (1, 4, 6)], gradient=False)
        self.check(lambda x, k: sy.topk(x, k)[0], [floats(3, 6)],
                   [(np.int64(k),) for k in (1, 4, 6)])

    def test_bounds_of_clip(self):
        self.check(lambda x, low, high: sy.clip(x, low, high), [floats(4, 5)],
                   [(np.float32(-0.5), np.float32(0.5)),
                    (np.float32(0), np.float32(9))])
        self.check(lambda x, high: sy.clip(x, -1.0, high), [floats(4, 5)],
                   [(np.array([n], np.float32),) for n in (0.25, 1)])

    def test_depth_of_one_hot(self):
        self.check(lambda x, n: sy.ops.one_hot(x, n),
                   [np.array([[0, 2], [1, 1]])],
                   [(np.int64(n),) for n in (3, 7)], gradient=False)

    def test_exponent_of_pow(self):
        x = np.abs(floats(4, 5)) + 0.5
        self.check(lambda x, n: sy.pow(x, n), [x],
                   [(np.float32(n),) for n in (2, -0.5, 0, 1)])

    def test_axes_of_unsqueeze(self):
        self.check(lambda x, n: sy.unsqueeze(x, n), [floats(2, 3)],
                   [(np.array(axes),) for axes in ([0, 1], [1, -1], [2, 0])])

    def test_legacy_slices_and_one_hot(self):
        self.check(
            lambda x, a, b: sy.ops.legacy_slice(x, [0, 1], [a, 0], [b, 2]),
            [floats(5, 4)], [(np.int64(0), np.int64(3)),
                             (np.int64(-2), np.int64(9))])
        self.check(
            lambda x, a, b: sy.ops.legacy_slice(x, [0], [a], [b],
                                                decrease_axis=[0]),
            [floats(5, 4)], [(np.int64(2), np.int64(3))])
        self.check(lambda x, n: sy.ops.legacy_one_hot(x, n),
                   [np.array([[2], [0]])], [(np.int64(4),), (np.int64(3),)],
                   gradient=False)

    def test_wrong_numbers_are_refused_while_it_runs(self):
        program = static.trace(lambda x, k: sy.topk(x, k)[0], floats(3, 6),
                               np.int64(2), names=["x", "k"])
        for k in (-1, 7):
            with self.assertRaisesRegex(IndexError, r"topk: k must be in \[0, 6\]"):
                program.run({"x": floats(3, 6), "k": np.int64(k)})
        program = static.trace(lambda x, n: sy.concat([x, x], axis=n),
                               floats(2, 2), np.int64(0), names=["x", "n"])
        with self.assertRaisesRegex((ValueError, IndexError),
                                    "concat: axis must be"):
            program.run({"x": floats(2, 2), "n": np.int64(5)})


if __name__ == "__main__":
    unittest.main()
