# SPDX-License-Identifier: Apache-2.0
"""Resize of ONNX by regions of its input, and Gradient, against NumPy."""
import itertools
import unittest

import numpy as np
import onnx_models as onnx
from onnx_checks import OnnxCase, floats

CROPS = "tf_crop_and_resize"


def places(start, end, extent, made):
    """Where the elements of one resized axis lie in the input."""
    if made == 1:
        return np.array([0.5 * (start + end) * (extent - 1)])
    return start * (extent - 1) + np.arange(made) * (end - start) * (
        extent - 1) / (made - 1)


def cropped(x, roi, made, fill, rounded=None):
    """The elements of regions of `x`, one by one, in float64."""
    ends = np.asarray(roi, np.float64).reshape(2, x.ndim)
    axes = [places(ends[0, i], ends[1, i], x.shape[i], made[i])
            for i in range(x.ndim)]
    out = np.empty(made)
    for at in np.ndindex(*made):
        point = [axes[i][at[i]] for i in range(x.ndim)]
        if any(p < 0 or p > n - 1 for p, n in zip(point, x.shape)):
            out[at] = fill
            continue
        if rounded is not None:
            out[at] = x[tuple(int(rounded(p)) for p in point)]
            continue
        total = 0.0
        for corner in itertools.product((0, 1), repeat=x.ndim):
            weight = 1.0
            index = []
            for p, n, far in zip(point, x.shape, corner):
                low = int(np.floor(p))
                weight *= p - low if far else 1 - (p - low)
                index.append(min(low + far, n - 1))
            total += weight * x[tuple(index)]
        out[at] = total
    return out


class RegionsTest(OnnxCase):

    ROI = np.array([0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7], np.float32)

    def resized(self, x, sizes=None, scales=None, roi=ROI, known=True, opset=13, **attributes):
        tensors = [("r", roi)]
        names = ["x", "r", "", ""]
        if scales is not None:
            tensors.append(("s", np.array(scales, np.float32)))
            names[2] = "s"
        else:
            tensors.append(("n", np.array(sizes, np.int64)))
            names[3] = "n"
        feeds = {"x": x}
        if not known:
            feeds.update(dict(tensors))
            tensors = []
        nodes = [onnx.node("Resize", names, ["y"], coordinate_transformation_mode=CROPS,
                           **attributes)]
        return self.run_both(nodes, feeds, ["y"], opset=opset, tensors=tensors)[0]

    def test_regions_that_leave_the_input(self):
        x = floats(1, 2, 5, 6)
        for known in (True, False):
            got = self.resized(x, [1, 2, 3, 4], known=known, mode="linear", extrapolation_value=10.0)
            np.testing.assert_allclose(got, cropped(x, self.ROI, (1, 2, 3, 4), 10), 1e-5, 1e-6)

    def test_a_region_of_equal_extents_moves_the_elements(self):
        x = floats(1, 1, 4, 5)
        roi = np.array([0, 0, 1, 0, 1, 1, 0, 1], np.float32)  # Rows upside down.
        got = self.resized(x, [1, 1, 4, 5], roi=roi, mode="linear")
        np.testing.assert_array_equal(got, x[:, :, ::-1])

    def test_the_middle_of_a_region(self):
        x = floats(1, 1, 7, 6)
        for mode, rounded in (("linear", None), ("nearest", lambda p: np.ceil(p - 0.5))):
            got = self.resized(x, [1, 1, 1, 5], mode=mode, extrapolation_value=-1.0)
            np.testing.assert_allclose(got, cropped(x, self.ROI, (1, 1, 1, 5), -1, rounded), 1e-5, 1e-6)

    def test_scales_are_those_of_the_region(self):
        x = floats(1, 1, 8, 10)
        roi = np.array([0, 0, 0.25, 0.5, 1, 1, 0.75, 1], np.float32)
        for known in (True, False):
            got = self.resized(x, scales=[1, 1, 1, 2], roi=roi, known=known, mode="linear")
            np.testing.assert_allclose(got, cropped(x, roi, (1, 1, 4, 10), 0), 1e-5, 1e-6)

    def test_regions_of_some_axes(self):
        x = floats(1, 2, 5, 6)
        roi = np.array([0.4, 0.6, 1.2, 1.7], np.float32)
        got = self.resized(x, [3, 4], roi=roi, opset=18, mode="linear", axes=[2, 3])
        np.testing.assert_allclose(got, cropped(x, self.ROI, (1, 2, 3, 4), 0), 1e-5, 1e-6)

    def test_regions_of_another_count(self):
        with self.assertRaisesRegex(ValueError, r"roi must be of shape \[8\], got \[4\]"):
            self.resized(floats(1, 1, 4, 4), [1, 1, 2, 2], roi=self.ROI[:4], mode="linear")


class GradientTest(OnnxCase):

    DOMAIN = "ai.onnx.preview.training"

    def gradients(self, nodes, feeds, xs, y):
        names = [f"d{x}" for x in xs]
        nodes = nodes + [onnx.node("Gradient", xs, names, self.DOMAIN, xs=list(xs), y=y)]
        return self.run_both(nodes, feeds, [y] + names, opset=13, domains=[(self.DOMAIN, 1)])

    def test_of_a_product_and_a_sum(self):
        a, b = np.float32(3), np.float32(5)
        nodes = [onnx.node("Add", ["a", "b"], ["c"]), onnx.node("Mul", ["c", "a"], ["d"])]
        self.assertEqual([float(v) for v in self.gradients(nodes, {"a": a, "b": b}, ["a", "b"], "d")],
                         [24, 11, 3])

    def test_by_a_tensor_between_and_one_that_does_not_count(self):
        x, z = floats(3, 4), floats(2)
        nodes = [onnx.node("Exp", ["x"], ["e"]), onnx.node("ReduceSum", ["e"], ["s"], keepdims=0)]
        _, by_x, by_e, by_z = self.gradients(nodes, {"x": x, "z": z}, ["x", "e", "z"], "s")
        np.testing.assert_allclose(by_x, np.exp(x.astype(np.float64)), 1e-6)
        np.testing.assert_array_equal(by_e, np.ones_like(x))
        np.testing.assert_array_equal(by_z, np.zeros_like(z))

    def test_what_it_refuses(self):
        x = floats(3)
        nodes = [onnx.node("Exp", ["x"], ["e"])]
        with self.assertRaisesRegex(ValueError, "target must be of one element"):
            self.gradients(nodes, {"x": x}, ["x"], "e")
        other = [onnx.node("Exp", ["x"], ["e"]),
                 onnx.node("Gradient", ["e"], ["d"], self.DOMAIN, xs=["x"], y="e")]
        with self.assertRaisesRegex(NotImplementedError, "its inputs must be the tensors that xs names"):
            self.run_both(other, {"x": x}, ["d"], opset=13, domains=[(self.DOMAIN, 1)])


if __name__ == "__main__":
    unittest.main()
