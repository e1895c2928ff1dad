# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX where they are easily computed otherwise: what a generator
of single nodes found, against NumPy."""
import unittest

import numpy as np
import onnx_models as onnx
from onnx_checks import RNG, OnnxCase, floats


def windows_of(x, kernel, strides, dilations, pads, fill):
    """[..., outputs, elements] of windows over the two last axes."""
    x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])],
               constant_values=fill)
    span = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, span, axis=(2, 3))
    view = view[:, :, ::strides[0], ::strides[1],
                ::dilations[0], ::dilations[1]]
    return view.reshape(view.shape[:4] + (-1,))


class PoolingTest(OnnxCase):

    WINDOW = dict(kernel_shape=[3, 2], strides=[2, 1], dilations=[1, 2],
                  pads=[1, 0, 0, 1])

    def windows(self, x, fill):
        window = self.WINDOW
        return windows_of(x, window["kernel_shape"], window["strides"],
                          window["dilations"], window["pads"], fill)

    def test_places_of_maxima_in_windows_with_gaps(self):
        """They count rows first, or columns."""
        x = floats(2, 3, 6, 7)
        for order in (0, 1):
            got, at = self.one("MaxPool", x, outputs=2, storage_order=order,
                               **self.WINDOW)
            np.testing.assert_array_equal(got,
                                          self.windows(x, -np.inf).max(-1))
            flat = x if order == 0 else x.swapaxes(2, 3)
            np.testing.assert_array_equal(flat.reshape(-1)[at], got)

    def test_places_in_volumes_by_columns(self):
        x = floats(1, 2, 3, 4, 5)
        got, at = self.one("MaxPool", x, outputs=2, storage_order=1,
                           kernel_shape=[2, 2, 2])
        np.testing.assert_array_equal(
            x.transpose(0, 1, 4, 3, 2).reshape(-1)[at], got)

    def test_means_of_windows_with_gaps(self):
        x = floats(2, 3, 6, 7)
        zeros = self.windows(x, 0)
        inside = self.windows(np.ones_like(x), 0).sum(-1)
        for counts in (0, 1):
            got = self.one("AveragePool", x, opset=19,
                           count_include_pad=counts, **self.WINDOW)
            count = zeros.shape[-1] if counts else inside
            np.testing.assert_allclose(got, zeros.sum(-1) / count, 1e-5, 1e-6)

    def test_pads_count_at_the_end_of_volumes(self):
        x = floats(1, 1, 4, 5, 3)
        got = self.one("AveragePool", x, kernel_shape=[2, 2, 2],
                       strides=[2, 2, 1], pads=[0, 0, 0, 0, 1, 0],
                       count_include_pad=1)
        padded = np.pad(x, [(0, 0), (0, 0), (0, 0), (0, 1), (0, 0)])
        view = np.lib.stride_tricks.sliding_window_view(
            padded, (2, 2, 2), axis=(2, 3, 4))[:, :, ::2, ::2]
        np.testing.assert_allclose(got, view.mean((-1, -2, -3)), 1e-5, 1e-6)

    def test_norms_of_windows(self):
        x = floats(2, 3, 6, 7)
        for p in (1, 2, 3):
            got = self.one("LpPool", x, opset=18, p=p, **self.WINDOW)
            sums = (np.abs(self.windows(x, 0)) ** p).sum(-1)
            np.testing.assert_allclose(got, sums ** (1 / p), 1e-5, 1e-6)
            got = self.one("GlobalLpPool", x, p=p)
            sums = (np.abs(x) ** p).sum((2, 3), keepdims=True)
            np.testing.assert_allclose(got, sums ** (1 / p), 1e-5, 1e-6)


class IndexTest(OnnxCase):

    def test_fewer_indices_than_data(self):
        """The elements beside them are not gathered, and stay."""
        x = floats(4, 5, 3)
        index = np.array([[[0, -1]], [[2, 1]]])
        got = self.one("GatherElements", x, index, axis=1)
        np.testing.assert_array_equal(
            got, np.take_along_axis(x[:2, :, :2], index, 1))
        updates = floats(2, 1, 2)
        for reduction in ("none", "add", "mul", "max", "min"):
            wanted = x.copy()
            for place in np.ndindex(index.shape):
                at = (place[0], index[place], place[2])
                wanted[at] = {"none": updates[place],
                              "add": wanted[at] + updates[place],
                              "mul": wanted[at] * updates[place],
                              "max": max(wanted[at], updates[place]),
                              "min": min(wanted[at], updates[place])}[reduction]
            got = self.one("ScatterElements", x, index, updates, opset=18,
                           axis=1, reduction=reduction)
            np.testing.assert_allclose(got, wanted, 1e-6)

    def test_reductions_of_rows(self):
        x = floats(3, 4, 2)
        index = np.array([[0, 1], [2, -1], [0, 1]])
        updates = floats(3, 2)
        for reduction, ufunc in (("mul", np.multiply), ("max", np.maximum),
                                 ("min", np.minimum)):
            wanted = x.copy()
            ufunc.at(wanted, tuple(index.T), updates)
            got = self.one("ScatterND", x, index, updates, opset=18,
                           reduction=reduction)
            np.testing.assert_allclose(got, wanted, 1e-6)

    def test_a_sequence_has_no_place_beyond_its_end(self):
        nodes = [onnx.node("SequenceConstruct", ["a", "b"], ["s"]),
                 onnx.node("SequenceErase", ["s", "at"], ["rest"]),
                 onnx.node("ConcatFromSequence", ["rest"], ["y"], axis=0)]
        feeds = {"a": floats(2), "b": floats(3), "at": np.array(1)}
        program = self.load(nodes, feeds, ["y"])
        for run in (program.run, program.run_eagerly):
            for at, left in ((1, "a"), (-2, "b")):
                got = run({**feeds, "at": np.array(at)})
                np.testing.assert_array_equal(got["y"], feeds[left])
            for at in (2, 7, -3):
                with self.assertRaises(IndexError):
                    run({**feeds, "at": np.array(at)})


class NumbersTest(OnnxCase):

    def test_long_integers_keep_their_digits(self):
        number = np.array([4141027233845532407])
        got = self.one("ConstantOfShape", np.array([2]), value=number)
        np.testing.assert_array_equal(got, np.repeat(number, 2))

    def test_integers_shrink_by_fractions(self):
        x = np.array([5, -8, 0, 1])
        got = self.one("Shrink", x, lambd=0.1, bias=0.25)
        np.testing.assert_array_equal(got, [4, -7, 0, 0])

    def test_small_integers_are_reduced(self):
        for dtype in (np.int8, np.uint8, np.int16):
            x = RNG.integers(0, 100, (3, 4)).astype(dtype)
            for kind, ours in (("ReduceMax", np.max), ("ReduceMin", np.min)):
                got = self.one(kind, x, axes=[1])
                self.assertEqual(got.dtype, dtype)
                np.testing.assert_array_equal(got, ours(x, 1, keepdims=True))

    def test_no_label_has_no_mean(self):
        """A mean of nothing is no number; a sum of it is 0."""
        x, label = floats(2, 3), np.array([1, 1])
        mean = self.one("NegativeLogLikelihoodLoss", x, label, ignore_index=1)
        self.assertTrue(np.isnan(mean))
        mean = self.one("NegativeLogLikelihoodLoss", x, np.array([1, 0]),
                        ignore_index=1)
        np.testing.assert_allclose(mean, -x[1, 0], 1e-6)

    def test_resizing_down_before_version_11(self):
        """ONNX's own test of version 10 takes the later of two elements."""
        x = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4)
        scales = np.array([1, 1, 0.6, 0.6], np.float32)
        nodes = [onnx.node("Resize", ["x", "s"], ["y"], mode="nearest")]
        [got] = self.run_both(nodes, {"x": x}, ["y"], opset=10,
                              tensors=[("s", scales)])
        np.testing.assert_array_equal(got, [[[[1, 3]]]])

    def test_halves_are_resized_in_float32(self):
        """Rounded once, at the end."""
        x = floats(1, 1, 4, 5)
        halves = x.astype(np.float16)
        wide = halves.astype(np.float32)
        scales = ("s", np.array([1, 1, 2.3, 1.7], np.float32))
        results = []
        for feed in (halves, wide):
            results += self.run_both(
                [onnx.node("Resize", ["x", "", "s"], ["y"], mode="linear")],
                {"x": feed}, ["y"], tensors=[scales])
        np.testing.assert_array_equal(results[0],
                                      results[1].astype(np.float16))

    def test_halves_are_summed_in_float32(self):
        """Over axes that are known when the program runs, too."""
        x = floats(3, 2, 40).astype(np.float16)
        for axis in (0, 2):
            got = self.one("ReduceLogSumExp", x, np.array([axis]), opset=18)
            wanted = np.log(np.exp(x.astype(np.float64)).sum(
                axis, keepdims=True))
            np.testing.assert_array_equal(got, wanted.astype(np.float16))

    def test_halves_are_normalised(self):
        x = floats(2, 3, 4).astype(np.float16)
        scale, bias, mean = (floats(3).astype(np.float16) for _ in range(3))
        variance = np.abs(floats(3)).astype(np.float16) + np.float16(0.1)
        got = self.one("BatchNormalization", x, scale, bias, mean, variance)
        self.assertEqual(got.dtype, np.float16)
        wide = [a.astype(np.float64)[:, None]
                for a in (scale, bias, mean, variance)]
        wanted = (x - wide[2]) / np.sqrt(wide[3] + 1e-5) * wide[0] + wide[1]
        np.testing.assert_allclose(got, wanted, 4e-3, 4e-3)

    def test_both_directions_have_the_plain_activations(self):
        """They are two layers whose results stand side by side."""
        x = floats(4, 2, 3)
        for kind, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
            w, r = floats(2, gates * 5, 3), floats(2, gates * 5, 5)
            both = self.one(kind, x, w, r, hidden_size=5,
                            direction="bidirectional")
            for i, direction in enumerate(("forward", "reverse")):
                one = self.one(kind, x, w[i:i + 1], r[i:i + 1], hidden_size=5,
                               direction=direction)
                np.testing.assert_array_equal(both[:, i], one[:, 0])


class ImageTest(OnnxCase):

    def test_middles(self):
        """An odd element more is cut off, or added, at the end."""
        x = floats(4, 5, 2)
        nodes = [onnx.node("CenterCropPad", ["x", "shape"], ["y"])]
        [got] = self.run_both(nodes, {"x": x}, ["y"], opset=18,
                              tensors=[("shape", np.array([7, 2, 2]))])
        wanted = np.zeros((7, 2, 2), np.float32)
        wanted[1:5] = x[:, 1:3]
        np.testing.assert_array_equal(got, wanted)

    def test_columns_become_images(self):
        """A sum of the windows that hold an element."""
        x = floats(1, 2 * 4, 6)
        nodes = [onnx.node("Col2Im", ["x", "image", "block"], ["y"])]
        [got] = self.run_both(
            nodes, {"x": x}, ["y"], opset=18,
            tensors=[("image", np.array([3, 4])), ("block", np.array([2, 2]))])
        wanted = np.zeros((1, 2, 3, 4), np.float32)
        columns = x.reshape(1, 2, 2, 2, 2, 3)
        for i, j, row, column in np.ndindex(2, 2, 2, 3):
            wanted[:, :, row + i, column + j] += columns[:, :, i, j, row,
                                                         column]
        np.testing.assert_allclose(got, wanted, 1e-6)

    def test_grids_of_matrices(self):
        theta = floats(1, 2, 3)
        nodes = [onnx.node("AffineGrid", ["t", "size"], ["y"])]
        [got] = self.run_both(nodes, {"t": theta}, ["y"], opset=20,
                              tensors=[("size", np.array([1, 1, 2, 3]))])
        y, x = np.meshgrid([-0.5, 0.5], [-2 / 3, 0, 2 / 3], indexing="ij")
        places = np.stack([x, y, np.ones_like(x)], -1)
        np.testing.assert_allclose(got[0], places @ theta[0].T, 1e-5, 1e-6)

    def test_taps_that_do_not_move(self):
        """A deformable convolution without offsets is a convolution."""
        x, w, bias = floats(1, 4, 6, 5), floats(2, 2, 3, 2), floats(2)
        options = dict(group=2, pads=[1, 0, 2, 1], strides=[2, 1],
                       kernel_shape=[3, 2])
        wanted = self.one("Conv", x, w, bias, **options)
        still = np.zeros((1, 2 * 6) + wanted.shape[2:], np.float32)
        got = self.one("DeformConv", x, w, still, bias, opset=19, **options)
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)


def smoothed(x, scale, cubic):
    """The last axis made smaller by a filter as many times wider; what lies
    beside the ends is as the ends are."""
    reach = int(np.ceil((2 if cubic else 1) / scale))
    out = []
    for i in range(int(x.shape[-1] * scale)):
        place = (i + 0.5) / scale - 0.5
        at = np.arange(int(np.floor(place)) - reach,
                       int(np.floor(place)) + reach + 2)
        far = np.abs(at - place) * scale
        weights = np.maximum(1 - far, 0)
        if cubic:
            a = -0.75
            near = (a + 2) * far**3 - (a + 3) * far**2 + 1
            beside = a * far**3 - 5 * a * far**2 + 8 * a * far - 4 * a
            weights = np.where(far <= 1, near, np.where(far < 2, beside, 0))
        weights /= weights.sum()
        out.append(x[..., np.clip(at, 0, x.shape[-1] - 1)] @ weights)
    return np.stack(out, -1)


class ResizeTest(OnnxCase):

    def test_antialias(self):
        x = floats(1, 2, 3, 11)
        for scale in (0.5, 0.3):
            for mode in ("linear", "cubic"):
                got, = self.run_both(
                    [onnx.node("Resize", ["x", "", "scales"], ["y"], mode=mode,
                               antialias=1)], {"x": x}, ["y"], opset=18,
                    tensors=[("scales", np.float32([1, 1, 1, scale]))])
                np.testing.assert_allclose(
                    got, smoothed(x, np.float32(scale), mode == "cubic"), 1e-4,
                    1e-5)

    def test_one_ratio_for_all_axes(self):
        """Rounded extents leave it as it is."""
        x = np.arange(12.0, dtype=np.float32).reshape(1, 1, 4, 3)
        got, = self.run_both(
            [onnx.node("Resize", ["x", "", "", "sizes"], ["y"], mode="nearest",
                       coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor", axes=[2, 3],
                       keep_aspect_ratio_policy="not_smaller")],
            {"x": x}, ["y"], opset=19, tensors=[("sizes", np.array([4, 8]))])
        rows, columns = (np.floor(np.arange(n) / (8 / 3)).astype(int)
                         for n in (11, 8))
        np.testing.assert_array_equal(got[0, 0], x[0, 0][rows][:, columns])


class KnownTest(OnnxCase):

    def test_shape_that_is_fed(self):
        x = floats(5, 4, 2)
        for wanted in ([2, 7], [8, 1]):
            got, = self.run_both(
                [onnx.node("CenterCropPad", ["x", "to"], ["y"], axes=[0, 1])],
                {"x": x, "to": np.array(wanted)}, ["y"], opset=18)
            known, = self.run_both(
                [onnx.node("CenterCropPad", ["x", "to"], ["y"], axes=[0, 1])],
                {"x": x}, ["y"], opset=18, tensors=[("to", np.array(wanted))])
            self.assertEqual(got.shape, (*wanted, 2))
            np.testing.assert_array_equal(got, known)

    def test_no_bools(self):
        nothing = np.zeros((0, 2), bool)
        for kind, wanted in (("ReduceMax", False), ("ReduceMin", True)):
            got = self.one(kind, nothing, opset=20)
            np.testing.assert_array_equal(got, np.full((1, 1), wanted))

    def test_statistics_of_doubles(self):
        """They are kept in float32, whatever x is."""
        x = floats(3, 4).astype(np.float64)
        y, mean, inverse = self.one("LayerNormalization", x, np.ones(4),
                                    outputs=3)
        self.assertEqual((y.dtype, mean.dtype, inverse.dtype),
                         (np.float64, np.float32, np.float32))
        np.testing.assert_allclose(mean, x.mean(1, keepdims=True), 1e-6)

    def test_range_of_extents(self):
        """Axes need the number of its elements."""
        x = floats(2, 3, 4)
        nodes = [
            onnx.node("Shape", ["x"], ["shape"]),
            onnx.node("Size", ["shape"], ["rank"]),
            onnx.node("Range", ["one", "rank", "one"], ["axes"]),
            onnx.node("ReduceMean", ["x", "axes"], ["y"]),
        ]
        got, = self.run_both(nodes, {"x": x}, ["y"], opset=18,
                             tensors=[("one", np.array(1))])
        np.testing.assert_allclose(got, x.mean((1, 2), keepdims=True), 1e-5)

    def test_loops_that_run_no_time(self):
        """Collected values have no rows then."""
        body = onnx.graph(
            [onnx.node("Identity", ["going"], ["on"]),
             onnx.node("Add", ["x", "x"], ["row"])],
            [onnx.port("i", "int64", ()), onnx.port("going", "bool", ())],
            ["on", "row"])
        x = floats(2, 3)
        for times in (0, 2):
            rows, = self.run_both(
                [onnx.node("Loop", ["times", ""], ["rows"], body=body)],
                {"x": x, "times": np.array(times)}, ["rows"])
            self.assertEqual(rows.shape, (times, 2, 3))
            for row in rows:
                np.testing.assert_array_equal(row, x + x)


if __name__ == "__main__":
    unittest.main()
