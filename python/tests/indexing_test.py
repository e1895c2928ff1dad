# SPDX-License-Identifier: Apache-2.0
"""x[...] and x[...] = v do what NumPy does."""
import itertools
import unittest

import numpy as np

import switchyard as sy

# For an array of shape (4, 3, 5).
SUBSCRIPTS = [
    0, -1, 3, slice(None), slice(1, 3), slice(-2, None), slice(10, 20),
    slice(3, 1), Ellipsis, None, (0, 1), (0, 1, 2), (-1, -1, -1),
    (slice(None), 1), (Ellipsis, 2), (0, Ellipsis), (None, 0, None, Ellipsis),
    (slice(None), None, slice(1, None)), (), (slice(0, 0),),
    slice(None, None, 2), slice(None, None, -1), slice(3, None, -2),
    slice(1, 4, 2), (slice(None), slice(None, None, -1), slice(4, 0, -3)),
    (Ellipsis, slice(None, None, 2)), (1, slice(None, None, 2), None),
    np.int64(2), (np.int32(1), np.int64(-1)),
    [0, 2], [[0, 1], [2, 3]], [-1, -4], [], np.array([1, 1, 1]), np.array(2),
    range(1, 4, 2),
    ([0, 1], [1, 2]), ([0, 1], slice(None), [3, 4]), ([[0], [1]], [0, 2]),
    (slice(None), [0, 2]), (slice(None), [0, 2], [1, 4]), (0, [1, 2]),
    (0, slice(None), [1, 2]), ([1, 2], 0), (slice(None), 1, [0, 4]),
    ([0, 1], Ellipsis), (Ellipsis, [0, 1]), (None, [0, 1]), ([0, 1], None),
    (slice(None, None, 2), [0, 1], slice(None, None, -1)),
    (slice(1, 3), [2, 0], 1), ([3], [0], [4]), (np.zeros((2, 0), int), 1),
    np.array([True, False, True, True]), [False, True, False, False],
    (slice(None), np.array([True, False, True])),
    (np.array([True, False, True, True]), 1),
    (np.array([True, False, True, False]), [0, 2]),
    np.arange(12).reshape(4, 3) % 2 == 0,
    (np.arange(12).reshape(4, 3) % 2 == 0, slice(1, 3)),
    np.arange(60).reshape(4, 3, 5) % 7 == 0, np.zeros(4, bool),
]

WRONG = [4, -5, (0, 3), (0, 0, 5), (0, 0, 0, 0), [4], [-5], ([0], [3]),
         (Ellipsis, Ellipsis), np.ones(3, bool), np.ones((4, 4), bool),
         ([0, 1], [0, 1, 2])]
OPEN = sy.static.InputSpec((None, None, None))


class ReadingTest(unittest.TestCase):

    def setUp(self):
        self.array = np.arange(60, dtype=np.float32).reshape(4, 3, 5)
        self.x = sy.tensor(self.array)

    def test_numpys_results(self):
        for subscript in SUBSCRIPTS:
            with self.subTest(str(subscript)):
                want = self.array[subscript]
                got = self.x[subscript]
                self.assertEqual(got.shape, want.shape)
                np.testing.assert_array_equal(got.numpy(), want)

    def test_all_pairs_of_parts(self):
        parts = [1, slice(1, None), slice(None, None, -2), None, [2, 0], Ellipsis]
        for pair in itertools.product(parts, repeat=3):
            if sum(part is Ellipsis for part in pair) > 1:
                continue
            with self.subTest(str(pair)):
                want = self.array[:, :, :3][pair]
                np.testing.assert_array_equal(self.x[:, :, :3][pair].numpy(),
                                              want)

    def test_tensors_without_elements(self):
        none = np.zeros((1, 0), int)
        for shape, subscripts in [
                ((0, 3), [none, (none, 1), (slice(None), [0, 1]),
                          (slice(None, None, -1), [[0], [1]]),
                          np.zeros((0, 3), bool)]),
                ((3, 0), [[0, 2], [[0], [2]], (1, none), np.ones(3, bool)]),
                ((2, 0, 4), [([0, 1], slice(None), [2, 3]),
                             (slice(None), none, [[1]])])]:
            array = np.zeros(shape, np.float32)
            x = sy.tensor(array, requires_grad=True)
            for subscript in subscripts:
                with self.subTest(str((shape, subscript))):
                    got = x[subscript]
                    self.assertEqual(got.shape, array[subscript].shape)
                    x.grad = None
                    got.sum().backward()
                    self.assertEqual(x.grad.shape, shape)
        self.assertEqual(sy.zeros((0, 3)).reshape(2, 0).shape, (2, 0))
        self.assertEqual(sy.zeros((0, 3), "bool").reshape(0, 5).shape, (0, 5))

    def test_tensors_as_indices(self):
        np.testing.assert_array_equal(self.x[sy.tensor([2, 0])].numpy(),
                                      self.array[[2, 0]])
        np.testing.assert_array_equal(self.x[self.x > 30].numpy(),
                                      self.array[self.array > 30])
        np.testing.assert_array_equal(self.x[sy.tensor(1)].numpy(),
                                      self.array[1])

    def test_errors_are_numpys(self):
        for subscript in WRONG:
            with self.subTest(str(subscript)), self.assertRaises(IndexError):
                self.array[subscript]
            with self.subTest(str(subscript)), self.assertRaises(IndexError):
                # On a device an index is read later.
                self.x[subscript].numpy()
        for subscript in ("a", 1.5, {}, ([0.5],)):
            with self.subTest(str(subscript)), self.assertRaises(TypeError):
                self.x[subscript]

    def test_slices_are_views(self):
        self.x[1:3, :, 0].numpy()[...] = -1
        self.array[1:3, :, 0] = -1
        np.testing.assert_array_equal(self.x.numpy(), self.array)

    def test_gradients(self):
        for subscript in SUBSCRIPTS:
            with self.subTest(str(subscript)):
                x = sy.tensor(self.array, requires_grad=True)
                picked = x[subscript]
                weights = np.arange(1.0, picked.size + 1).reshape(picked.shape)
                (picked * weights.astype(np.float32)).sum().backward()
                want = np.zeros_like(self.array)
                np.add.at(want, subscript, weights)
                np.testing.assert_array_equal(x.grad.numpy(), want)


class WritingTest(unittest.TestCase):

    def test_numpys_results(self):
        for subscript in SUBSCRIPTS:
            with self.subTest(str(subscript)):
                want = np.arange(60.0).reshape(4, 3, 5)
                x = sy.tensor(want)
                want[subscript] = -7
                x[subscript] = -7
                np.testing.assert_array_equal(x.numpy(), want)

    def test_broadcast_views_and_dtypes(self):
        for dtype in ("float32", "int64", "bool", "float16", "bfloat16"):
            with self.subTest(dtype):
                x = sy.zeros((2, 3), dtype)
                x[:, 1:] = sy.tensor([[1], [1]], dtype)
                self.assertEqual(x.tolist(), [[0, 1, 1], [0, 1, 1]])
        x = sy.zeros((2, 3))
        row = x[1]
        row[0] = 5
        self.assertEqual(x.tolist(), [[0, 0, 0], [5, 0, 0]])

    def test_errors_change_nothing(self):
        x = sy.tensor([1.0, 2.0])
        with self.assertRaises(IndexError):
            x[2] = 1
        with self.assertRaises(ValueError):
            x[:] = sy.tensor([1.0, 2.0, 3.0])
        with self.assertRaises(TypeError):
            del x[0]
        with self.assertRaisesRegex(RuntimeError, "expanded"):
            x.expand(3, 2)[0] = 5.0
        self.assertEqual(x.tolist(), [1.0, 2.0])

    def test_nothing_written_gives_zeros(self):
        for shape, subscript, part in (((3,), np.zeros(3, bool), (1,)), ((3, 4), slice(0, 0), (1, 4)),
                                       ((0, 4), slice(None), (4,)), ((2, 0), Ellipsis, ())):
            with self.subTest(shape=shape, subscript=subscript):
                x, value = (sy.tensor(np.ones(s), requires_grad=True) for s in (shape, part))
                y = x * 2
                y[subscript] = value
                (y * 3).sum().backward()
                np.testing.assert_array_equal(x.grad.numpy(), np.full(shape, 6.0))
                np.testing.assert_array_equal(value.grad.numpy(), np.zeros(part))
        y = sy.ones((3,), requires_grad=True) * 2
        with self.assertRaisesRegex(ValueError, r"got \[0\] for x \[7\]"):
            y[np.zeros(3, bool)] = sy.ones((7,))

    def test_autograd_is_told(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, "a leaf that requires grad"):
            x[0] = 3.0
        y = x * 1.0
        out = (y * y).sum()
        with sy.no_grad():
            y[0] = 3.0
        with self.assertRaisesRegex(RuntimeError, "y|x|version|written"):
            out.backward()


class TracedTest(unittest.TestCase):

    def test_values_are_indexed_alike(self):
        array = np.arange(60, dtype=np.float32).reshape(4, 3, 5)
        for subscript in SUBSCRIPTS:
            if isinstance(subscript, tuple) and any(
                    isinstance(part, np.ndarray) and part.dtype == bool
                    for part in subscript):
                continue
            with self.subTest(str(subscript)):
                spec = sy.static.InputSpec((4, 3, 5))
                program = sy.static.trace(lambda x: x[subscript] * 2.0, spec)
                np.testing.assert_array_equal(
                    program.run({"x0": array})["out"], array[subscript] * 2)

    def test_unknown_first_axis(self):
        program = sy.static.trace(lambda x: (x[-1], x[1:], x[:, 0], x[[0, 1]]),
                                  np.zeros((4, 3), np.float32))
        array = np.arange(15, dtype=np.float32).reshape(5, 3)
        got = program.run({"x0": array})
        for name, want in (("out0", array[-1]), ("out1", array[1:]),
                           ("out2", array[:, 0]), ("out3", array[[0, 1]])):
            np.testing.assert_array_equal(got[name], want)

    def test_no_extent_is_known(self):
        array = np.arange(60, dtype=np.float32).reshape(4, 3, 5)
        for subscript in SUBSCRIPTS:
            with self.subTest(str(subscript)):
                program = sy.static.trace(lambda x: x[subscript] * 2.0, OPEN)
                np.testing.assert_array_equal(program(array).numpy(), array[subscript] * 2)

    def test_indices_that_an_axis_has_not(self):
        """Neither another row of the joined axes nor one counted from the end twice."""
        array = np.zeros((4, 3, 5), np.float32)

        def write(x, subscript):
            x = x + 0.0
            x[subscript] = 1.0
            return x

        for call in (lambda x, subscript: x[subscript], write):
            for spec in (OPEN, sy.static.InputSpec((4, 3, 5))):
                for subscript, axis in (
                        (lambda i: i, 4), (lambda i: (0, i), 3), (lambda i: (i, [0, 1]), 4),
                        (lambda i: (slice(None), i), 3), (lambda i: ([0, 1], i), 3),
                        (lambda i: (i, slice(None), i), 4), (lambda i: (i, 0, 0), 4)):
                    program = sy.static.trace(lambda x, i: call(x, subscript(i)), spec,
                                              np.array([0]))
                    program(array, np.array([-axis]))
                    for wrong in (axis, -axis - 1, -2 * axis):
                        with self.subTest(axis=axis, wrong=wrong), self.assertRaisesRegex(
                                IndexError, rf"must be in \[-{axis}, {axis}\), got {wrong}"):
                            program(array, np.array([wrong]))

    def test_masks_of_other_extents(self):
        """As many elements are not enough."""
        array, mask = np.arange(12, dtype=np.float32).reshape(4, 3), np.eye(3, 4) > 0
        square, wide = [sy.static.InputSpec(shape, dtype) for shape, dtype in (
            ((None, None), "float32"), ((None, None), "bool"))]

        def write(x, mask, value):
            x = x + 0.0
            x[mask] = value
            return x

        calls = (lambda x, mask: x[mask], lambda x, mask: write(x, mask, 1.0),
                 lambda x, mask: write(x, mask, x[:, 0]))
        for call in calls:
            program = sy.static.trace(call, square, wide)
            np.testing.assert_array_equal(program(array[:3], mask[:, :3]).numpy(),
                                          call(sy.tensor(array[:3]), mask[:, :3]).numpy())
            for wrong in (mask, mask[:2], mask[:1], mask[:1, :1]):
                with self.assertRaises(ValueError):
                    program(array, wrong)
            with self.assertRaises(ValueError):
                sy.static.trace(lambda x: call(x, mask), square)(array)
            with self.assertRaisesRegex(IndexError, "the mask's axis 0 has extent 3, the "
                                        "tensor's axis 0 4"):
                sy.static.trace(call, sy.static.InputSpec((4, 3)),
                                sy.static.InputSpec((3, 4), "bool"))

    def test_index_values(self):
        program = sy.static.trace(
            lambda x, i: x[i], sy.static.InputSpec((4, 3)),
            np.array([0, 1]))
        array = np.arange(12, dtype=np.float32).reshape(4, 3)
        got = program.run({"x0": array, "x1": np.array([2, -1, 0])})["out"]
        np.testing.assert_array_equal(got, array[[2, -1, 0]])

    def test_no_truth(self):
        with self.assertRaises(TypeError):
            sy.static.trace(lambda x: x if x.sum() > 0 else -x,
                            np.zeros(2, np.float32))


if __name__ == "__main__":
    unittest.main()
