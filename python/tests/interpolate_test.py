# SPDX-License-Identifier: Apache-2.0
"""Resampling: sizes in float64, and elements of weight 0."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

F = nn.functional


class InterpolateTest(unittest.TestCase):
    # As math.floor(extent * factor) has them, also 1 below what was meant.
    CASES = ((100, 2.3, 229), (90, 0.7, 62), (19, 27 / 19, 27),
             (88, 120 / 88, 119))

    def test_sizes(self):
        for extent, factor, want in self.CASES:
            for mode in ("nearest", "bilinear", "bicubic", "area"):
                y = F.interpolate(sy.ones([1, 1, 2, extent]), mode=mode,
                                  scale_factor=(1.0, factor))
                self.assertEqual(y.shape, (1, 1, 2, want))
            for mode in ("nearest", "linear"):
                y = nn.Upsample(scale_factor=factor, mode=mode)(
                    sy.ones([1, 1, extent]))
                self.assertEqual(y.shape, (1, 1, want))
            y = F.interpolate(sy.ones([1, 1, 1, extent, 1]), mode="trilinear",
                              scale_factor=(1.0, factor, 1.0))
            self.assertEqual(y.shape, (1, 1, 1, want, 1))

    def test_open_extents(self):
        """The program has the eager call's shape and bits."""
        spec = static.InputSpec([None, 1, None, None], "float32")
        for extent, factor, want in self.CASES:
            for mode in ("nearest", "bilinear", "bicubic"):
                program = static.trace(
                    lambda x: F.interpolate(x, scale_factor=(2.0, factor),
                                            mode=mode), spec)
                x = np.random.default_rng(0).normal(
                    size=(2, 1, 3, extent)).astype(np.float32)
                got = program(x)
                self.assertEqual(got.shape, (2, 1, 6, want))
                np.testing.assert_array_equal(
                    got.numpy(), F.interpolate(
                        sy.tensor(x), scale_factor=(2.0, factor),
                        mode=mode).numpy())

    def test_one_element(self):
        """A single element lies at the centre, or with align_corners at the first."""
        def along(x, axis, position, taps):
            extent, first = x.shape[axis], math.floor(position)
            parts = [x.take(min(max(first + i, 0), extent - 1), axis) * taps(
                position - first - i) for i in ((0, 1) if taps is linear else range(-1, 3))]
            return np.expand_dims(sum(parts), axis)

        def linear(distance):
            return 1 - abs(distance)

        def cubic(distance):
            d = abs(distance)
            return (1.25 * d - 2.25) * d * d + 1 if d <= 1 else (
                (-0.75 * d + 3.75) * d - 6) * d + 3

        rng = np.random.default_rng(5)
        for mode, taps, axes in (("linear", linear, 1), ("bilinear", linear, 2),
                                 ("trilinear", linear, 3), ("bicubic", cubic, 2)):
            x = rng.normal(size=(2, 1, *(5, 4, 2)[:axes]))
            want = x
            for axis in range(2, 2 + axes):
                want = along(want, axis, 0.5 * x.shape[axis] - 0.5, taps)
            spec = static.InputSpec([None] * x.ndim, "float64")
            ones = (1,) * axes
            for how in ({"size": ones}, {"size": ones, "align_corners": False}):
                got = F.interpolate(sy.tensor(x), mode=mode, **how).numpy()
                np.testing.assert_allclose(got, want, 1e-5, 1e-6)
                program = static.trace(lambda y: F.interpolate(y, mode=mode, **how), spec)
                np.testing.assert_array_equal(program(x).numpy(), got)
            first = F.interpolate(sy.tensor(x), size=ones, mode=mode, align_corners=True)
            np.testing.assert_array_equal(first.numpy(), x[(..., *[slice(1)] * axes)])
            # The factor says the centre, not the extents.
            x = rng.normal(size=(1, 1, *[4] * axes))
            want = x
            for axis in range(2, 2 + axes):
                want = along(want, axis, 0.5 / 0.4 - 0.5, taps)
            got = F.interpolate(sy.tensor(x), scale_factor=0.4, mode=mode).numpy()
            np.testing.assert_allclose(got, want, 1e-5, 1e-6)

    def test_refused(self):
        for factor in (0, -1, math.nan, math.inf, 1e-9, 1e300):
            with self.assertRaisesRegex(ValueError, "interpolate: scale_factor "
                                        "must be"):
                F.interpolate(sy.ones([1, 1, 3, 3]), scale_factor=factor)

    def test_what_is_not_finite_stays_where_it_is(self):
        """An element of weight 0 is no part of a sum, of values nor of
        gradients."""
        for value in (math.nan, math.inf, -math.inf):
            for mode, sides in (("linear", (5,)), ("bilinear", (4, 5)),
                                ("bicubic", (4, 5)), ("trilinear", (3, 4, 5))):
                for corners in (False, True):
                    x = np.random.default_rng(3).normal(
                        size=(1, 2, *sides)).astype(np.float32)
                    x[(0, 0, *[1] * len(sides))] = value
                    given = sy.tensor(x, requires_grad=True)
                    y = F.interpolate(given, size=sides, mode=mode,
                                      align_corners=corners)
                    np.testing.assert_array_equal(y.numpy(), x)
                    grad, = sy.grad(y, [given], [sy.tensor(x)])
                    np.testing.assert_array_equal(grad.numpy(), x)

    def test_edges_of_larger_images(self):
        x = np.array([[[math.nan, 1, 2, 3, math.inf]]], np.float32)
        y = F.interpolate(sy.tensor(x), size=9, mode="linear",
                          align_corners=True).numpy()[0, 0]
        np.testing.assert_array_equal(
            y, [math.nan, math.nan, 1, 1.5, 2, 2.5, 3, math.inf, math.inf])


if __name__ == "__main__":
    unittest.main()
