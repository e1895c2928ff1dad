# SPDX-License-Identifier: Apache-2.0
"""Subscripts, shapes and norms of traced values whose extents are open: one
program must give the results of eager code for each size."""
import itertools
import unittest

import numpy as np

import switchyard as sy
from switchyard import static
from switchyard.nn import functional as F


def traced(function, axes):
    return static.trace(function, static.InputSpec([None] * axes))


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


class OpenSubscriptsTest(unittest.TestCase):

    def test_slices_of_numbers(self):
        """NumPy's slices, backwards too, whatever the extent turns out to be."""
        ends = (None, 0, 2, 7, -1, -2, -7)
        for start, stop, step in itertools.product(ends, ends, (1, 2, -1, -3)):
            program = traced(lambda x: x[start:stop:step], 1)
            for extent in (0, 1, 2, 5, 8):
                x = numbers(extent)
                self.assertEqual(program(x).tolist(), x[start:stop:step].tolist(),
                                 (start, stop, step, extent))

    def test_slices_of_extents(self):
        cases = {
            "front": lambda x: x[:x.shape[0] // 2],
            "row of front": lambda x: x[:x.shape[0] // 2, 0],
            "rest": lambda x: x[x.shape[0] // 2:, ..., 1:x.shape[1] - 1],
            "new axis": lambda x: x[0:x.shape[0] // 2, None],
            "steps": lambda x: x[x.shape[0] // 3::2, :x.shape[1] - 1:2],
            "backwards": lambda x: x[x.shape[0] // 2::-1],
        }
        for name, function in cases.items():
            program = traced(function, 2)
            for shape in ((8, 3), (5, 4), (1, 2)):
                with self.subTest(name, shape=shape):
                    x = numbers(*shape)
                    np.testing.assert_array_equal(program(x).numpy(), function(x))

    def test_extents_that_turn_out_as_zero(self):
        """0 is an extent then; reshape's own 0 keeps one."""
        program = traced(lambda x: x.reshape(x.shape[1], x.shape[0], -1), 3)
        whole = traced(lambda x: x.reshape(x.shape[0] * x.shape[1], x.shape[2]), 3)
        turned = traced(lambda x: x.reshape(x.shape[1], x.shape[0], x.shape[2]), 3)
        for shape in ((0, 4, 2), (4, 0, 2), (3, 2, 2)):
            x = sy.tensor(numbers(*shape))
            swapped = (shape[1], shape[0], shape[2])
            self.assertEqual(turned(x).shape, swapped)
            self.assertEqual(whole(x).shape, (shape[0] * shape[1], shape[2]))
            if 0 not in shape:
                self.assertEqual(program(x).shape, swapped)

    def test_differences_and_vector_products(self):
        cases = {"diff": lambda x: sy.diff(x, n=2, axis=0),
                 "cross": lambda x: sy.cross(x, x[:1] * -1.0, axis=1),
                 "cross of all": lambda x: sy.cross(x, sy.flip(x, 0), axis=1)}
        for name, function in cases.items():
            program = static.trace(function, static.InputSpec([None, 3]))
            for rows in (0, 1, 2, 5):
                x = sy.tensor(numbers(rows, 3) - 4)
                if rows == 0 and name == "cross":
                    continue
                with self.subTest(name, rows=rows):
                    got, want = program(x).numpy(), function(x).numpy()
                    self.assertEqual((got.shape, got.tobytes()),
                                     (want.shape, want.tobytes()))
        with self.assertRaisesRegex(TypeError, "extent s1 is 3 is known only"):
            traced(lambda x: sy.cross(x, x, axis=1), 2)

    def test_norms_of_open_extents(self):
        for norm in (F.layer_norm, F.rms_norm):
            program = traced(lambda x: norm(x, x.shape[1:]), 3)
            for shape in ((2, 3, 4), (1, 5, 2)):
                x = sy.tensor(numbers(*shape))
                np.testing.assert_array_equal(program(x).numpy(),
                                              norm(x, shape[1:]).numpy())

    def test_norms_check_what_is_known(self):
        weight = sy.ones([5])
        program = traced(lambda x: F.layer_norm(x, x.shape[-1:], weight), 2)
        self.assertEqual(program(numbers(3, 5)).shape, (3, 5))
        with self.assertRaisesRegex(ValueError, r"layer_norm: scale must be of "
                                                r"shape \[4\], got \[5\]"):
            program(numbers(3, 4))
        with self.assertRaisesRegex(TypeError, "the extent s1 is s0 is known only"):
            traced(lambda x: F.layer_norm(x, x.shape[:1]), 2)
        with self.assertRaisesRegex(ValueError, "weight must have the shape"):
            traced(lambda x: F.layer_norm(x, x.shape[1:], weight), 3)

    def test_gradients_of_open_extents(self):
        """Writes to parts and products with vectors have gradients of which several
        extents are open."""
        def written(x, v):
            y = x * 2.0
            y[:, 1:2] = 7.0
            y[:, 0] = v
            return y

        cases = {"written": written,
                 "stack times vector": lambda x, v: sy.matmul(x, x[0, 0]),
                 "vector times stack": lambda x, v: sy.matmul(
                     v[0, :1] * sy.ones([x.shape[1]]), x)}
        for name, function in cases.items():
            def step(x, v):
                out = function(x, v)
                return sy.grad(sy.sum(out * out) + sy.sum(v), [x, v])

            program = static.trace(step, static.InputSpec([None] * 3),
                                   static.InputSpec([None] * 2))
            for shape in ((3, 2, 4), (2, 5, 3), (1, 2, 1)):
                x = sy.tensor(numbers(*shape), requires_grad=True)
                v = sy.tensor(numbers(shape[0], shape[2]) + 1, requires_grad=True)
                for got, want in zip(program(x, v), step(x, v)):
                    with self.subTest(name, shape=shape):
                        np.testing.assert_array_equal(got.numpy(), want.numpy())


if __name__ == "__main__":
    unittest.main()
