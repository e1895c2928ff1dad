# SPDX-License-Identifier: Apache-2.0
"""Offsets, shapes, shifts and rates that tensors supply (supplied_checks.py)."""
import unittest

import numpy as np

import switchyard as sy
from supplied_checks import SuppliedChecks, floats
from switchyard import static


class SuppliedShapesTest(SuppliedChecks, unittest.TestCase):

    def test_part_of_crop(self):
        sets = [(np.array([2, 3]), np.array([1, 2])),
                (np.array([-1, 5]), np.array([3, 0])),
                (np.array([0, 1]), np.array([4, 4]))]
        for unknown in (False, True):
            self.check(lambda x, n, m: sy.ops.crop(x, n, m), [floats(4, 5)],
                       sets, unknown=unknown)
            self.check(lambda x, n: sy.ops.crop(x, [n, 2], [0, n]),
                       [floats(4, 5)], [(np.int64(1),), (np.int64(3),)],
                       unknown=unknown)
            self.check(lambda x, n: sy.ops.legacy_crop(x, offsets=n,
                                                       shape=[2, 2]),
                       [floats(4, 5)], [(np.array([2, 3]),)], unknown=unknown)

    def test_crop_twice(self):
        """The gradient of the sum of the squares of crop's gradient."""
        graph = sy._core.GraphBuilder("crop")
        x = graph.feed("x", [None, None], "float32")
        n, m = (graph.feed(name, [2], "int64") for name in "nm")
        part = sy.ops.crop(x, n, m)
        first, = graph.gradients((part * part * part).sum(), [x])
        second, = graph.gradients((first * first).sum(), [x])
        graph.fetch("second", second)
        data = floats(4, 5)
        got = graph.finish().run(
            {"x": data, "n": np.array([2, -1]), "m": np.array([1, 3])},
            sy._core.State())["second"]
        want = np.zeros_like(data)
        want[1:3, 3:] = 36 * data[1:3, 3:] ** 3
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_output_size_of_conv2d_transpose(self):
        x, w = floats(1, 3, 4, 5), floats(3, 2, 3, 3, seed=5)
        sets = [(np.array(n),) for n in ([8, 9], [7, 10], [7, 9])]

        def turned(x, w, size):
            return sy.ops.conv2d_transpose(x, w, strides=[2, 2],
                                           paddings=[1, 1], output_size=size)

        for unknown in (False, True):
            self.check(turned, [x, w], sets, unknown=unknown)
        for size, in sets:
            with self.subTest(size=size):
                self.check_conv2d_transpose_twice(turned, x, w, size)

    def check_conv2d_transpose_twice(self, turned, x, w, size):
        """The gradients of the sum of the squares of both gradients, in a
        program that gets the size and no extent, against float64 central
        differences of the eager gradients with a known size."""
        graph = sy._core.GraphBuilder("turned")
        values = [graph.feed(name, [None] * 4, "float64") for name in "xw"]
        out = turned(*values, graph.feed("size", [2], "int64"))
        first = graph.gradients((out * out).sum(), values)
        loss = sum((g * g).sum() for g in first)
        for name, value in zip("xw", graph.gradients(loss, values)):
            graph.fetch(name, value)
        arrays = [x.astype(np.float64), w.astype(np.float64)]
        got = graph.finish().run({"x": arrays[0], "w": arrays[1], "size": size},
                                 sy._core.State())

        def value():
            leaves = [sy.tensor(a, requires_grad=True) for a in arrays]
            out = turned(*leaves, size.tolist())
            return sum(float((g.numpy() ** 2).sum())
                       for g in sy.grad((out * out).sum(), leaves))

        for name, array in zip("xw", arrays):
            for index in np.ndindex(*array.shape):
                kept = array[index]
                ends = []
                for step in (1e-5, -1e-5):
                    array[index] = kept + step
                    ends.append(value())
                array[index] = kept
                np.testing.assert_allclose(
                    got[name][index], (ends[0] - ends[1]) / 2e-5, 1e-6, 1e-3)

    def test_shifts_of_roll(self):
        for unknown in (False, True):
            self.check(lambda x, n: sy.ops.roll(x, n, axis=[0, 1]),
                       [floats(3, 4)],
                       [(np.array(n),) for n in ([1, 2], [-1, 5], [0, 0])],
                       unknown=unknown)
            self.check(lambda x, n: sy.ops.roll(x, [n, 1], axis=[1, -1]),
                       [floats(3, 4)], [(np.int64(n),) for n in (1, -2)],
                       unknown=unknown)
            self.check(lambda x, n: sy.ops.roll(x, n), [floats(3, 4)],
                       [(np.array([n]),) for n in (1, -5, 30)],
                       unknown=unknown)

    def test_axes_of_squeeze(self):
        for unknown in (False, True):
            self.check(lambda x, n: sy.ops.squeeze(x, n), [floats(1, 3, 1)],
                       [(np.array([axis]),) for axis in (0, 2, -1)],
                       unknown=unknown)
            self.check(lambda x, n: sy.squeeze(x, [n, 0]), [floats(1, 3, 1)],
                       [(np.int64(axis),) for axis in (2, -1)],
                       unknown=unknown)
        program = static.trace(lambda x, n: sy.ops.squeeze(x, n) * 2.0,
                               floats(1, 3, 1), static.InputSpec([1], "int64"),
                               names=["x", "n"])
        for axes, words in (([3], r"squeeze: axis must be in \[-3, 3\)"),
                            ([1], r"out must be float32\[\?, \?\] as the program")):
            with self.subTest(axes=axes), self.assertRaisesRegex(
                    (ValueError, IndexError), words):
                program.run({"x": floats(1, 3, 1), "n": np.array(axes)})

    def test_shape_of_affine_grid(self):
        for align in (False, True):
            self.check(lambda x, n: sy.ops.affine_grid(x, n, align),
                       [floats(2, 2, 3)],
                       [(np.array(n),) for n in ([2, 3, 4, 5], [2, 1, 1, 3])],
                       unknown=align)
            self.check(lambda x, n: sy.ops.affine_grid(x, [1, 1, n, 2, n],
                                                       align),
                       [floats(1, 3, 4)], [(np.int32(n),) for n in (1, 3)])

    def test_momentum_of_batch_norm(self):
        mean, bias = sy.tensor(floats(3)), sy.tensor(floats(3, seed=3))
        variance = sy.tensor(np.abs(floats(3)) + 0.5)
        self.check(
            lambda x, n: list(sy.ops.batch_norm(x, mean, variance, variance,
                                                bias, momentum=n)[:3]),
            [floats(4, 3, 2, 2)], [(np.float32(n),) for n in (0.9, 0.25)],
            gradient=False)
        self.check(
            lambda x, n: sy.ops.batch_norm(x, mean, variance, variance, bias,
                                           momentum=n)[0],
            [floats(4, 3, 2, 2)], [(np.float32(0.5),)])

    def test_rates_of_adam(self):
        names = ("param", "grad", "learning_rate", "moment1", "moment2",
                 "beta1_pow", "beta2_pow")
        arrays = [floats(3, 2), floats(3, 2, seed=1),
                  np.array([0.1], np.float32), floats(3, 2, seed=2),
                  np.abs(floats(3, 2, seed=3)), np.array([0.8], np.float32),
                  np.array([0.95], np.float32)]
        for operator in (sy.ops.adam_, sy.ops.adamw_):
            graph = sy._core.GraphBuilder("adam")
            values = {name: graph.feed(name, list(a.shape), "float32")
                      for name, a in zip(names, arrays)}
            rates = {name: graph.feed(name, [1], "float32")
                     for name in ("beta1", "beta2", "epsilon")}
            for name, out in zip("pmvab", operator(**values, **rates)):
                graph.fetch(name, out)
            program = graph.finish()
            for numbers in ((0.9, 0.99, 1e-6), (0.0, 0.5, 1e-3)):
                rates = dict(zip(("beta1", "beta2", "epsilon"), numbers))
                eager = {name: sy.tensor(a) for name, a in zip(names, arrays)}
                want = operator(**eager, **{
                    name: sy.tensor(np.float32(number))
                    for name, number in rates.items()})
                got = program.run(
                    dict(zip(names, arrays)) | {
                        name: np.array([number], np.float32)
                        for name, number in rates.items()}, sy._core.State())
                for name, tensor in zip("pmvab", want):
                    self.assertEqual(got[name].tobytes(),
                                     tensor.numpy().tobytes(), name)
            with self.assertRaisesRegex(ValueError, r"beta1 must be in \[0, 1\)"):
                program.run(
                    dict(zip(names, arrays)) | {
                        name: np.array([1.0], np.float32)
                        for name in ("beta1", "beta2", "epsilon")},
                    sy._core.State())

    def test_windows_of_pooling(self):
        x = floats(2, 3, 6, 5)
        for unknown in (False, True):
            for kind in ("max", "avg"):
                self.check(
                    lambda x, n: sy.ops.pool2d(x, n, strides=[2, 1],
                                               paddings=[1, 0],
                                               pooling_type=kind), [x],
                    [(np.array(sizes),) for sizes in ([2, 2], [3, 1], [2, 5])],
                    unknown=unknown)
                self.check(
                    lambda x, n: sy.ops.pool2d(x, [n, 2], adaptive=True,
                                               pooling_type=kind), [x],
                    [(np.int32(n),) for n in (1, 4, 6)], unknown=unknown)
            self.check(
                lambda x, n: sy.ops.pool2d(x, n, global_pooling=True,
                                           data_format="NHWC"), [x],
                [(np.array([1, 1]),), (np.array([0, 9]),)], unknown=unknown)

    def test_pooling_twice(self):
        """The gradient of the sum of the squares of pooling's gradient."""
        graph = sy._core.GraphBuilder("pool")
        x = graph.feed("x", [None] * 4, "float32")
        n = graph.feed("n", [2], "int64")
        out = sy.ops.pool2d(x, n, pooling_type="avg")
        first, = graph.gradients((out * out).sum(), [x])
        second, = graph.gradients((first * first).sum(), [x])
        graph.fetch("second", second)
        program = graph.finish()
        array = floats(1, 2, 5, 4)
        for sizes in ([2, 2], [3, 1]):
            eager = sy.tensor(array, requires_grad=True)
            out = sy.ops.pool2d(eager, sizes, pooling_type="avg")
            first, = sy.grad((out * out).sum(), [eager], create_graph=True)
            want, = sy.grad((first * first).sum(), [eager])
            got = program.run({"x": array, "n": np.array(sizes)},
                              sy._core.State())["second"]
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-6)

    def test_wrong_windows_are_refused(self):
        x = floats(1, 1, 4, 4)
        program = static.trace(lambda x, n: sy.ops.pool2d(x, n), x,
                               static.InputSpec([2], "int64"),
                               names=["x", "n"])
        for sizes, words in (([2, 0], r"kernel_size must be 2 numbers from 1, "
                                      r"got \{2, 0\}"),
                             ([5, 2], "kernel_size must be windows within")):
            with self.assertRaisesRegex(ValueError, f"pool2d: {words}"):
                program.run({"x": x, "n": np.array(sizes)})
            with self.assertRaisesRegex(ValueError, f"pool2d: {words}"):
                sy.ops.pool2d(sy.tensor(x), sy.tensor(np.array(sizes)))
        graph = sy._core.GraphBuilder("count")
        with self.assertRaisesRegex(ValueError,
                                    "kernel_size must be 2 numbers from 1"):
            sy.ops.pool2d(graph.feed("x", [1, 1, 4, 4], "float32"),
                          graph.feed("n", [3], "int64"))

    def test_share_of_dropout(self):
        """In the test phase both modes have the bits of eager calls."""
        x = floats(4, 5)
        for mode in ("upscale_in_train", "downgrade_in_infer"):

            def dropped(x, p):
                out = sy.ops.dropout(x, p=p, is_test=True, mode=mode)
                return out, sy.grad(out.sum(), x)[0]

            program = static.trace(dropped, x, np.float64(0.5),
                                   names=["x", "p"])
            for share in (0.0, 0.3, 1.0):
                leaf = sy.tensor(x, requires_grad=True)
                want = dropped(leaf, sy.tensor(np.float64(share)))
                got = program(x, np.float64(share))
                for one, other in zip(want, got):
                    self.assertEqual(one.numpy().tobytes(),
                                     other.numpy().tobytes())

    def test_share_of_dropout_in_training(self):
        def dropped(x, p):
            out = sy.ops.dropout(x, p=p)
            return out, sy.grad(out.sum(), x)[0]

        x = np.abs(floats(4096)) + np.float32(1)
        program = static.trace(dropped, x, np.float32(0.5), names=["x", "p"])
        for share in (0.0, 0.25, 1.0):
            leaf = sy.tensor(x, requires_grad=True)
            for out, grad in (program(x, np.float32(share)),
                              dropped(leaf, sy.tensor(np.float32(share)))):
                out, grad = out.numpy(), grad.numpy()
                kept = out != 0
                self.assertAlmostEqual(kept.mean(), 1 - share, delta=0.05)
                factor = np.float32(1 / (1 - share) if share < 1 else 1)
                np.testing.assert_allclose(out, np.where(kept, x * factor, 0),
                                           rtol=1e-6)
                np.testing.assert_array_equal(grad, np.where(kept, factor, 0))
        for share in (1.5, np.nan):
            with self.assertRaisesRegex(ValueError,
                                        r"dropout: p must be in \[0, 1\], got"):
                program(x, np.float32(share))
            with self.assertRaisesRegex(ValueError,
                                        r"dropout: p must be in \[0, 1\], got"):
                sy.ops.dropout(sy.tensor(x), p=sy.tensor(np.float32(share)))


if __name__ == "__main__":
    unittest.main()
