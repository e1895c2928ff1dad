# SPDX-License-Identifier: Apache-2.0
"""Quotients, remainders, shifts, divisors and powers of integers beside Python's own
of any length, wrapped around, at the ends of each dtype: eager, in programs, in place
and with numbers of Python."""

import math
import operator
import unittest

import numpy as np

import switchyard as sy

DTYPES = ("uint8", "int8", "int16", "int32", "int64")


def wrapped(number, dtype):
    """Returns the lower bits of a number, as a dtype has them."""
    ends = np.iinfo(dtype)
    number %= 1 << ends.bits
    return number - (1 << ends.bits) if number > ends.max else number


def ends(dtype):
    """Numbers at the ends of a dtype and around 0."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    numbers = [0, 1, 2, 3, 5, 7, high // 2, high - 1, high]
    return numbers + [-1, -2, -3, -5, -7, low, low + 1, low // 2] * (low < 0)


def toward_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def rest(a, b):
    return a - b * toward_zero(a, b)


def left(a, count, dtype):
    return a << count if 0 <= count < np.iinfo(dtype).bits else 0


def right(a, count, dtype):
    """The sign, where every bit of the number leaves."""
    return a >> count if 0 <= count < np.iinfo(dtype).bits else -(a < 0)


def rounded(name, mode):
    return lambda x, y: getattr(sy, name)(x, y, rounding_mode=mode)


# {name: (function, the exact one)} of two integers, the second not 0.
DIVISIONS = {
    "//": (operator.floordiv, operator.floordiv), "%": (operator.mod, operator.mod),
    "floor_divide": (sy.floor_divide, operator.floordiv),
    "remainder": (sy.remainder, operator.mod), "fmod": (sy.fmod, rest),
    **{f"{name} {mode}": (rounded(name, mode), exact) for name in ("div", "divide")
       for mode, exact in (("floor", operator.floordiv), ("trunc", toward_zero))},
    "ops.floor_divide": (sy.ops.floor_divide, operator.floordiv),
    "ops.remainder": (sy.ops.remainder, operator.mod),
    "ops.fmod": (sy.ops.fmod, rest),
}
DIVISORS = {"gcd": (sy.gcd, math.gcd), "lcm": (sy.lcm, math.lcm)}
SHIFTS = {"<<": (operator.lshift, left), ">>": (operator.rshift, right),
          "bitwise_left_shift": (sy.bitwise_left_shift, left),
          "bitwise_right_shift": (sy.bitwise_right_shift, right)}
# {name: (the function in place, the exact one)}.
IN_PLACE = {"floor_divide_": operator.floordiv, "remainder_": operator.mod,
            "fmod_": rest}


class WholeNumbersTest(unittest.TestCase):

    def check(self, name, function, dtype, pairs, exact):
        """function of the pairs as tensors, in a program and as numbers."""
        want = [wrapped(each, dtype) for each in exact]
        x, y = (np.array(side, dtype) for side in zip(*pairs))
        program = sy.static.trace(function, x, y)
        for form in (function, program):
            got = form(sy.tensor(x), sy.tensor(y))
            with self.subTest(name=name, dtype=dtype, form=type(form).__name__):
                self.assertEqual(got.dtype, dtype)
                self.assertEqual(got.tolist(), want)
        for second in sorted(set(y.tolist())):
            chosen = [i for i, b in enumerate(y.tolist()) if b == second]
            got = function(sy.tensor(x[chosen]), second)
            with self.subTest(name=name, dtype=dtype, second=second):
                self.assertEqual(got.dtype, dtype)
                self.assertEqual(got.tolist(), [want[i] for i in chosen])

    def reflected(self, name, function, dtype, pairs, exact):
        """A number of Python on the left of an operator."""
        for first in sorted({a for a, _ in pairs}):
            chosen = [i for i, (a, _) in enumerate(pairs) if a == first]
            got = function(first, sy.tensor([pairs[i][1] for i in chosen], dtype))
            with self.subTest(name=name, dtype=dtype, first=first):
                self.assertEqual(got.tolist(),
                                 [wrapped(exact[i], dtype) for i in chosen])

    def test_divisions(self):
        for dtype in DTYPES:
            pairs = [(a, b) for a in ends(dtype) for b in ends(dtype) if b]
            for name, (function, right_one) in DIVISIONS.items():
                exact = [right_one(a, b) for a, b in pairs]
                self.check(name, function, dtype, pairs, exact)
                if name in ("//", "%"):
                    self.reflected(name, function, dtype, pairs, exact)
            for name, right_one in IN_PLACE.items():
                x, y = (sy.tensor(side, dtype) for side in zip(*pairs))
                getattr(x, name)(y)
                self.assertEqual(x.tolist(), [wrapped(right_one(a, b), dtype)
                                              for a, b in pairs], (name, dtype))

    def test_division_by_zero_is_an_error(self):
        for dtype in DTYPES:
            x, zero = sy.tensor([7, 7], dtype), sy.tensor([1, 0], dtype)
            for name, (function, _) in DIVISIONS.items():
                with self.assertRaisesRegex(ValueError, "y must be nonzero", msg=name):
                    function(x, zero).numpy()  # On a device the read raises it.

    def test_divisors(self):
        for dtype in DTYPES:
            pairs = [(a, b) for a in ends(dtype) for b in ends(dtype)]
            for name, (function, right_one) in DIVISORS.items():
                self.check(name, function, dtype, pairs,
                           [right_one(a, b) for a, b in pairs])

    def test_shifts(self):
        """Takes counts below 0, of the width and more, as far as the dtype goes."""
        for dtype in DTYPES:
            low, high, bits = *(getattr(np.iinfo(dtype), end) for end in (
                "min", "max")), np.iinfo(dtype).bits
            counts = sorted({0, 1, bits // 2, *range(bits - 2, bits + 2), 2 * bits,
                             31, 32, 63, 64, 65, 127} | (
                                 {-1, 1 - bits, -bits, -64, -128} if low else set()))
            counts = [count for count in counts if low <= count <= high]
            pairs = [(a, count) for a in ends(dtype) for count in counts]
            for name, (function, right_one) in SHIFTS.items():
                exact = [right_one(a, count, dtype) for a, count in pairs]
                self.check(name, function, dtype, pairs, exact)
                if name in ("<<", ">>"):
                    self.reflected(name, function, dtype, pairs, exact)
            for function, right_one in ((operator.ilshift, left),
                                        (operator.irshift, right)):
                x, y = (sy.tensor(side, dtype) for side in zip(*pairs))
                x = function(x, y)
                self.assertEqual(x.tolist(), [wrapped(right_one(a, c, dtype), dtype)
                                              for a, c in pairs])

    def test_powers_of_matrices(self):
        """Checks exponents that are negative or odd, which are halved."""
        x = np.array([[2.0, 1.0], [1.0, 1.0]])
        for n in range(-9, 10):
            for function in (sy.matrix_power, sy.linalg.matrix_power):
                np.testing.assert_allclose(function(sy.tensor(x), n).numpy(),
                                           np.linalg.matrix_power(x, n), 1e-9)


class PowersOfTwoTest(unittest.TestCase):
    """ldexp and frexp, whose power of two may be out of the range of the dtype."""

    NUMBERS = {dtype: [1.0, -3.0, 1.9, 0.0, -0.0, np.inf, np.nan, *(
        float(getattr(np.finfo(dtype), end))
        for end in ("max", "min", "tiny", "smallest_subnormal"))]
        for dtype in ("float16", "float32", "float64")}

    def test_ldexp(self):
        powers = np.array([0, 1, -1, 15, 16, -14, -24, -25, 40, -40, 127, 128, -126,
                           -149, -150, 200, -200, 277, 1023, 1024, -1022, -1074, -1075,
                           1100, -1100, 2097, -2098, 5000, -5000, 2**31 - 1, -2**31])
        for dtype, numbers in self.NUMBERS.items():
            x = np.repeat(np.array(numbers, dtype), len(powers))
            power = np.tile(powers, len(numbers))
            with np.errstate(over="ignore", under="ignore"):
                want = np.ldexp(x, np.clip(power, -9999, 9999))
            program = sy.static.trace(sy.ldexp, x, power)
            for form in (sy.ldexp, program):
                got = form(sy.tensor(x), sy.tensor(power))
                self.assertEqual(got.dtype, dtype)
                np.testing.assert_array_equal(got.numpy(), want)
                zero = want == 0
                np.testing.assert_array_equal(np.signbit(got.numpy()[zero]),
                                              np.signbit(want[zero]))

    def test_gradients_of_ldexp(self):
        x = sy.tensor([2.0**-100, 3.0], requires_grad=True)
        power = sy.tensor([120.0, -2.0], requires_grad=True)
        found = sy.grad(sy.ldexp(x, power).sum(), [x, power])
        np.testing.assert_allclose(found[0].numpy(), [2.0**120, 0.25], 1e-6)
        np.testing.assert_allclose(
            found[1].numpy(), [2.0**20 * math.log(2), 0.75 * math.log(2)], 1e-6)

    def test_frexp(self):
        for dtype, numbers in self.NUMBERS.items():
            x = np.array(numbers, dtype)
            x = np.concatenate([x, -x, np.nextafter(x, np.array(0, dtype))])
            for got, want in zip(sy.frexp(sy.tensor(x)), np.frexp(x)):
                finite = np.isfinite(x)  # Of others the exponent is free.
                np.testing.assert_array_equal(got.numpy()[finite], want[finite])


if __name__ == "__main__":
    unittest.main()
