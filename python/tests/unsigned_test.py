# SPDX-License-Identifier: Apache-2.0
"""uint16, uint32 and uint64 against NumPy, at both ends of their ranges: arithmetic
that wraps around, comparison, bits, casts, what moves and what reduces, this of
integers of 8 and 16 bits too."""

import itertools
import unittest
import warnings

import numpy as np

import switchyard as sy

UNSIGNED = ("uint16", "uint32", "uint64")
SHORT = (*UNSIGNED, "uint8", "int8", "int16")


def edges(dtype):
    top = int(np.iinfo(dtype).max)
    half = top // 2 + 1
    return np.array([0, 1, 2, 3, 7, 200, half - 1, half, half + 1, top - 1, top], dtype)


def pairs(dtype):
    return (np.array(each, dtype) for each in zip(
        *itertools.product(edges(dtype), edges(dtype))))


class UnsignedTest(unittest.TestCase):

    def setUp(self):
        warnings.simplefilter("ignore")  # NumPy's, of casts that leave a range.

    def same(self, got, want, *about):
        got = got.numpy()
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape), about)
        np.testing.assert_array_equal(got, want, str(about))

    def test_two_numbers(self):
        for dtype in UNSIGNED:
            a, b = pairs(dtype)
            x, y = sy.tensor(a), sy.tensor(b)
            for name, theirs in (
                    ("add", np.add), ("subtract", np.subtract),
                    ("multiply", np.multiply), ("maximum", np.maximum),
                    ("minimum", np.minimum), ("fmax", np.fmax), ("fmin", np.fmin),
                    ("bitwise_and", np.bitwise_and), ("bitwise_or", np.bitwise_or),
                    ("bitwise_xor", np.bitwise_xor), ("equal", np.equal),
                    ("not_equal", np.not_equal), ("less", np.less),
                    ("less_equal", np.less_equal), ("greater", np.greater),
                    ("greater_equal", np.greater_equal),
                    ("logical_and", np.logical_and), ("logical_or", np.logical_or),
                    ("logical_xor", np.logical_xor)):
                self.same(getattr(sy, name)(x, y), theirs(a, b), name, dtype)
            nonzero = b != 0
            a, b = a[nonzero], b[nonzero]
            x, y = sy.tensor(a), sy.tensor(b)
            for name, theirs in (("floor_divide", np.floor_divide),
                                 ("remainder", np.remainder), ("fmod", np.fmod)):
                self.same(getattr(sy, name)(x, y), theirs(a, b), name, dtype)
            with self.assertRaisesRegex(ValueError, "y must be nonzero"):
                sy.floor_divide(x, sy.zeros_like(x)).numpy()

    def test_powers_and_shifts_wrap_around(self):
        for dtype in UNSIGNED:
            bits = np.iinfo(dtype).bits
            a = np.repeat(edges(dtype), 6)
            b = np.tile(np.array([0, 1, 2, 5, bits - 1, bits], dtype), len(edges(dtype)))
            x, y = sy.tensor(a), sy.tensor(b)
            numbers = list(zip(a.tolist(), b.tolist()))
            for got, want in (
                    (sy.pow(x, y), [pow(n, k, 2**bits) for n, k in numbers]),
                    (sy.bitwise_left_shift(x, y), [n << k for n, k in numbers]),
                    (sy.bitwise_right_shift(x, y), [n >> k for n, k in numbers])):
                self.same(got, np.array([n % 2**bits for n in want], dtype), dtype)

    def test_one_number(self):
        for dtype in UNSIGNED:
            a = edges(dtype)
            x = sy.tensor(a)
            self.same(sy.bitwise_invert(x), ~a, dtype)
            self.same(sy.square(x), a * a, dtype)
            self.same(sy.abs(x), a, dtype)
            self.same(-x, -a, dtype)
            self.same(sy.sign(x), np.sign(a), dtype)
            for low, high in ((2, 300), (-5, 3), (0, 2**15)):
                want = np.array([min(max(n, low), high) for n in a.tolist()], dtype)
                self.same(sy.clip(x, low, high), want, low, high, dtype)
            self.same(sy.isfinite(x), np.isfinite(a), dtype)
            self.same(sy.logical_not(x), np.logical_not(a), dtype)
            self.same(x + 1, a + np.array(1, dtype), dtype)
            self.same(x * 3, a * np.array(3, dtype), dtype)

    def test_strides_and_broadcasting(self):
        for dtype in UNSIGNED:
            a = np.arange(3000, dtype=dtype).reshape(60, 50) * np.array(21, dtype)
            x = sy.tensor(a)
            self.same(x.T + x.T, a.T + a.T, dtype)
            self.same(x[::2, 1:] * x[:1, 1:], a[::2, 1:] * a[:1, 1:], dtype)
            self.same(sy.maximum(x[:, :1], x[3]), np.maximum(a[:, :1], a[3]), dtype)

    def test_casts_to_every_dtype(self):
        for dtype in UNSIGNED:
            a = edges(dtype)
            x = sy.tensor(a)
            for other in ("bool", "uint8", "int8", "int16", "int32", "int64", "uint16",
                          "uint32", "uint64", "float32", "float64", "complex64",
                          "complex128"):
                self.same(x.astype(other), a.astype(other), dtype, other)
            for other in ("float16", "bfloat16"):
                got = x.astype(other).astype("float64").numpy()
                want = sy.tensor(a.astype(np.float64)).astype(other).astype("float64")
                np.testing.assert_array_equal(got, want.numpy(), f"{dtype} {other}")

    def test_casts_from_every_dtype(self):
        numbers = np.array([0, 1, 100, -1, -128, 127])
        for dtype in UNSIGNED:
            for other in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                          "uint32", "uint64"):
                a = numbers.astype(other)
                self.same(sy.tensor(a).astype(dtype), a.astype(dtype), other, dtype)
            top = int(np.iinfo(dtype).max)
            for other in ("float32", "float64"):
                a = np.array([0.0, -0.0, 0.9, 1.5, 200.7, -3.0, -np.inf, np.inf, np.nan,
                              2.0**64, 2.0**70, float(top // 2 + 1)], other)
                want = np.array([0, 0, 0, 1, 200, 0, 0, top, 0, top, top, top // 2 + 1],
                                dtype)
                self.same(sy.tensor(a).astype(dtype), want, other, dtype)

    def test_creation(self):
        for dtype in UNSIGNED:
            self.same(sy.zeros([2, 3], dtype), np.zeros((2, 3), dtype))
            self.same(sy.ones([4], dtype), np.ones(4, dtype))
            self.same(sy.full([3], 60000, dtype), np.full(3, 60000, dtype))
            x = sy.tensor(edges(dtype))
            self.same(sy.full_like(x, 7), np.full_like(edges(dtype), 7))
            for wrong in (-1, 2**64):
                with self.assertRaisesRegex(ValueError, f"number that {dtype} holds"):
                    sy.full([1], wrong, dtype)

    def test_what_moves(self):
        for dtype in UNSIGNED:
            top = int(np.iinfo(dtype).max)
            a = (np.arange(24, dtype=dtype) + np.array(top - 11, dtype)).reshape(2, 3, 4)
            x = sy.tensor(a)
            where = np.array([1, 0, 1])
            mask = a > top // 2
            for got, want in (
                    (x.reshape([6, 4]), a.reshape(6, 4)),
                    (x.transpose([2, 0, 1]), a.transpose(2, 0, 1)),
                    (x[1, :, ::2], a[1, :, ::2]),
                    (sy.concat([x, x], 1), np.concatenate([a, a], 1)),
                    (sy.stack([x, x], 0), np.stack([a, a])),
                    (sy.split(x, 2, 2)[1], a[:, :, 2:]),
                    (sy.tile(x, [1, 2, 1]), np.tile(a, (1, 2, 1))),
                    (sy.flip(x, 0), a[::-1]),
                    (sy.roll(x, 1, 2), np.roll(a, 1, 2)),
                    (sy.take(x, sy.tensor(where), axis=1), a[:, where]),
                    (x[sy.tensor(mask)], a[mask]),
                    (sy.where(sy.tensor(mask), x, sy.zeros_like(x)),
                     np.where(mask, a, np.array(0, dtype))),
                    (sy.tril(x), np.tril(a)),
                    (sy.scatter(x, 1, sy.tensor(np.zeros((2, 1, 4), np.int64)), x[:, 2:]),
                     np.concatenate([a[:, 2:], a[:, 1:]], 1))):
                self.same(got, want, dtype)

    def test_what_reduces_and_sorts(self):
        for dtype in SHORT:
            top, least = int(np.iinfo(dtype).max), int(np.iinfo(dtype).min)
            wide = "uint64" if dtype in UNSIGNED else "int64"
            a = np.array([[5, top, least, top // 2], [top // 2 + 1, 9, top - 1, 9]], dtype)
            x = sy.tensor(a)
            for axis in (None, 0, 1):
                self.same(sy.sum(x, axis), np.sum(a, axis, dtype=wide), dtype, axis)
                self.same(sy.prod(x, axis), np.prod(a, axis, dtype=wide), dtype, axis)
                self.same(sy.max(x, axis), np.asarray(np.max(a, axis)), dtype, axis)
                self.same(sy.min(x, axis), np.asarray(np.min(a, axis)), dtype, axis)
                self.same(sy.any(x, axis), np.asarray(np.any(a, axis)), dtype, axis)
                self.same(sy.all(x, axis), np.asarray(np.all(a, axis)), dtype, axis)
                self.same(sy.argmax(x, axis), np.asarray(np.argmax(a, axis)), dtype, axis)
                self.same(sy.argmin(x, axis), np.asarray(np.argmin(a, axis)), dtype, axis)
                np.testing.assert_allclose(sy.mean(x, axis).numpy(), np.mean(a, axis),
                                           rtol=1e-6)
            self.same(sy.cumsum(x, 1), np.cumsum(a, 1, dtype=wide), dtype)
            self.same(sy.sort(x), np.sort(a), dtype)
            self.same(sy.argsort(x, stable=True), np.argsort(a, kind="stable"), dtype)
            self.same(sy.topk(x, 2)[0], np.sort(a)[:, :-3:-1], dtype)
            self.same(sy.unique(x), np.unique(a), dtype)
            self.same(sy.isin(x, x[0]), np.isin(a, a[0]), dtype)
            row = np.sort(a[0])
            self.same(sy.searchsorted(sy.tensor(row), x), np.searchsorted(row, a), dtype)

    def test_products_wrap_around(self):
        for dtype in SHORT:
            a = edges(dtype)[:8].reshape(2, 4)
            x = sy.tensor(a)
            for got, want in (
                    (sy.matmul(x, x.T), a @ a.T), (sy.einsum("ij,kj->ik", x, x), a @ a.T),
                    (sy.tensordot(x, x.T, 1), a @ a.T), (sy.outer(x[0], x[1]),
                                                        np.outer(a[0], a[1])),
                    (sy.vecdot(x, x), np.sum(a * a, 1, dtype=dtype)),
                    (sy.dot(x[0], x[1]), np.asarray(np.dot(a[0], a[1]))),
                    (sy.addmm(x[:, :2], x, x.T), a[:, :2] + a @ a.T),
                    (sy.cross(x[:, :3], x[:, 1:]), np.cross(a[:, :3], a[:, 1:])),
                    (sy.index_add(x, 0, sy.tensor([1]), x[:1]), np.stack([a[0], a[0] + a[1]])),
                    (sy.kron(x[0], x[1]), np.kron(a[0], a[1]))):
                self.same(got, want, dtype)
            for other in ("int8", "uint16", "int64", "float32", "complex64"):
                if dtype == "uint64" and other.startswith("int"):
                    continue  # No integers hold both.
                y = x.astype(other)
                program = sy.static.trace(sy.matmul, x, y.T)
                eager = sy.matmul(x, y.T)
                self.same(program(x, y.T), eager.numpy(), dtype, other)
                self.assertEqual(eager.dtype, sy.result_type(x, y), (dtype, other))
            counts = sy.bincount(sy.tensor(np.array([1, 3, 1], dtype)))
            self.assertEqual(counts.tolist(), [0, 2, 0, 1])

    def test_division_of_reals(self):
        """Numbers beyond the dtype, and two dtypes that no integers hold."""
        for dtype in SHORT:
            a = edges(dtype)
            x, y = sy.tensor(a), sy.tensor(np.arange(1, len(a) + 1))
            for function in (lambda x, y: x / -1, lambda x, y: x / 2**40,
                             lambda x, y: -300 / (x + 1), lambda x, y: x / y,
                             lambda x, y: y / (x + 1), sy.atan2):
                eager, program = function(x, y), sy.static.trace(function, x, y)
                self.same(program(x, y), eager.numpy(), dtype)
                self.assertEqual(eager.dtype, "float32")
            np.testing.assert_array_equal((x / -1).numpy(), a.astype(np.float32) / -1)

    def test_short_integers_in_programs(self):
        for dtype in SHORT:
            a = edges(dtype)[:8].reshape(2, 4)
            program = sy.static.trace(lambda x: (sy.max(x, 1), sy.sort(x), sy.matmul(
                x, x.T)), a)
            for got, want in zip(program(a), (a.max(1), np.sort(a), a @ a.T)):
                self.same(got, want, dtype)


if __name__ == "__main__":
    unittest.main()
