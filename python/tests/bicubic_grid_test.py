# SPDX-License-Identifier: Apache-2.0
"""grid_sample by cubic convolution, against the sum over places in float64, and
against interpolate."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
RANDOM = np.random.default_rng(7)


def kernel(v):
    v, a = abs(v), -0.75
    if v <= 1:
        return (a + 2) * v**3 - (a + 3) * v**2 + 1
    return a * v**3 - 5 * a * v**2 + 8 * a * v - 4 * a if v < 2 else 0.0


def place(i, extent, mode, align):
    """The index of the pixel that stands for place i, or None."""
    if mode == "zeros":
        return i if 0 <= i < extent else None
    if mode == "border":
        return min(max(i, 0), extent - 1)
    if align and extent == 1:
        return 0
    # Mirrored at the centres of the outer pixels, or half a pixel further out.
    further = 0 if align else 1
    while not 0 <= i < extent:
        i = -further - i if i < 0 else 2 * (extent - 1) + further - i
    return i


def sample(image, x, y, mode, align):
    height, width = image.shape
    x = (x + 1) / 2 * (width - 1) if align else ((x + 1) * width - 1) / 2
    y = (y + 1) / 2 * (height - 1) if align else ((y + 1) * height - 1) / 2
    total = 0.0
    for i in range(math.floor(y) - 1, math.floor(y) + 3):
        for j in range(math.floor(x) - 1, math.floor(x) + 3):
            row, column = place(i, height, mode, align), place(j, width, mode, align)
            if row is not None and column is not None:
                total += kernel(y - i) * kernel(x - j) * image[row, column]
    return total


class BicubicGridTest(unittest.TestCase):

    def test_sums_over_places(self):
        for height, width in ((5, 4), (1, 3)):
            x = RANDOM.normal(size=[2, 2, height, width])
            grid = RANDOM.uniform(-2.5, 2.5, size=[2, 3, 4, 2])
            for mode in ("zeros", "border", "reflection"):
                for align in (True, False):
                    with self.subTest(mode=mode, align=align, height=height):
                        got = F.grid_sample(sy.tensor(x), sy.tensor(grid), "bicubic",
                                            mode, align).numpy()
                        want = np.array([[[[sample(image, *at, mode, align)
                                            for at in row] for row in points]
                                          for image in images]
                                         for images, points in zip(x, grid)])
                        np.testing.assert_allclose(got, want, 1e-9, 1e-9)

    def test_interpolate(self):
        x = sy.tensor(RANDOM.normal(size=[1, 2, 4, 5]))
        for align in (True, False):
            theta = sy.tensor(np.array([[[1.0, 0, 0], [0, 1.0, 0]]]))
            grid = F.affine_grid(theta, [1, 2, 7, 9], align)
            got = F.grid_sample(x, grid, "bicubic", "border", align)
            want = F.interpolate(x, [7, 9], mode="bicubic", align_corners=align)
            np.testing.assert_allclose(got.numpy(), want.numpy(), 1e-6, 1e-6)

    def test_gradients(self):
        x = RANDOM.normal(size=[1, 2, 4, 5])
        grid = RANDOM.uniform(-0.9, 0.9, size=[1, 2, 2, 2])
        weight = RANDOM.normal(size=[1, 2, 2, 2])
        leaves = [sy.tensor(each, requires_grad=True) for each in (x, grid)]
        grads = sy.grad([F.grid_sample(*leaves, "bicubic")], leaves,
                        [sy.tensor(weight)])
        for i, grad in enumerate(grads):
            way = RANDOM.normal(size=grad.shape)
            moved = []
            for step in (1e-6, -1e-6):
                given = [x, grid]
                given[i] = given[i] + step * way
                moved.append((F.grid_sample(*map(sy.tensor, given), "bicubic").numpy()
                              * weight).sum())
            self.assertAlmostEqual((grad.numpy() * way).sum(),
                                   (moved[0] - moved[1]) / 2e-6, 5)

    def test_what_is_not_read(self):
        """NaN and infinite positions are outside; pixels outside have no part."""
        x = sy.tensor(np.full([1, 1, 3, 3], np.inf, np.float32))
        far = sy.full([1, 1, 2, 2], 9.0)
        self.assertEqual(F.grid_sample(x, far, "bicubic").tolist(), [[[[0.0, 0.0]]]])
        wild = sy.tensor(np.float32([[[[np.nan, 0], [np.inf, -np.inf]]]]))
        for mode in ("zeros", "border", "reflection"):
            self.assertEqual(F.grid_sample(sy.ones([1, 1, 3, 3]), wild, "bicubic",
                                           mode).shape, (1, 1, 1, 2))

    def test_errors(self):
        x, grid = sy.ones([1, 1, 3, 3]), sy.zeros([1, 2, 2, 2])
        for text, call in (
                ("padding_mode must be", lambda: F.grid_sample(
                    x, grid, "bicubic", "edge")),
                ("must be images", lambda: F.grid_sample(
                    sy.ones([1, 1, 3, 3, 3]), grid, "bicubic")),
                ("must have the batch 1", lambda: F.grid_sample(
                    x, sy.zeros([2, 2, 2, 2]), "bicubic")),
                ("must have pixels", lambda: F.grid_sample(
                    sy.ones([1, 1, 0, 3]), grid, "bicubic")),
                ("mode must be", lambda: F.grid_sample(x, grid, "cubic"))):
            with self.assertRaisesRegex(ValueError, text):
                call()


if __name__ == "__main__":
    unittest.main()
