# SPDX-License-Identifier: Apache-2.0
"""Functions of one number and their gradients of every float16 and bfloat16, beside
float64 rounded, which is compared with the 60-digit table of exact_values/ first.

Bounds are those of elementwise_accuracy_test.py, in units in the last place of the
dtype; SY_LONG=1 takes every number, a call without it every 101st.
"""
import os
import unittest

import numpy as np
from elementwise_accuracy_test import table
from exact_values.calls import BENT, function_of
from exact_values.halves import LIMITS
from exact_values.points import unary_points

import switchyard as sy

EVERY = 1 if os.environ.get("SY_LONG") else 101
# (bits of the fraction with the leading one, exponent of the least number, the
# least that rounds to infinity).
DTYPES = {"float16": (11, -24, 65520.0), "bfloat16": (8, -133, 3.3961775e38)}
NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126}
# Where a slope changes at once.
BENDS = {"hardsigmoid": (-3, 3), "hardswish": (-3, 3), "hardtanh": (-1, 1),
         "relu6": (0, 6), "softshrink": (-0.5, 0.5), "hardshrink": (-0.5, 0.5)}
# Functions that read a sum of terms in the gradient: it is as good as the largest.
SUMMED = frozenset(name.rstrip("'") for name in table("unary.xz") if name[-2:] == "''")


def names():
    """Those of the table; angle refuses halves."""
    return [name for name in table("unary.xz") if "'" not in name and name != "angle"]


def numbers(dtype):
    """Every number of a dtype but NaN, as float64."""
    bits = np.arange(0, 1 << 16, EVERY, dtype=np.uint32)
    ends = np.array([0, 0x8000, 1, 0x8001], np.uint32)
    bits = np.concatenate([bits, ends])
    if dtype == "bfloat16":
        found = (bits << 16).view(np.float32).astype(np.float64)
    else:
        found = bits.astype(np.uint16).view(np.float16).astype(np.float64)
    return found[~np.isnan(found)]


def both(function, x):
    """The values and the gradients of a list."""
    x = x.detach()
    x.requires_grad = True
    y = function(x)
    slope = sy.grad(y.sum(), [x])[0]
    return [sy.ops.cast(part.detach(), "float64").numpy() for part in (y, slope)]


def bends(name, x):
    return np.isin(x, BENDS.get(name, ()))


def units(got, want, scale, dtype):
    """How far each is off, in units in the last place of the larger of ``want`` and
    ``scale``; infinite where one alone is."""
    digits, least, end = DTYPES[dtype]
    want = np.where(np.abs(want) >= end, np.copysign(np.inf, want), want)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(want), np.abs(scale))
        exponent = np.floor(np.log2(np.where(np.isfinite(size), size, end)))
        place = np.exp2(np.maximum(exponent - digits + 1, least))
        off = np.abs(got - want) / place
        # The largest number's neighbour is infinity.
        close = np.isinf(want) & (np.abs(got) > end * (1 - 2.0**(1 - digits))) & (
            np.sign(got) == np.sign(want))
    same = (got == want) | (np.isnan(got) & np.isnan(want)) | close
    return np.nan_to_num(np.where(same, 0.0, off), nan=np.inf)


class HalvesTest(unittest.TestCase):

    def test_float64_beside_the_table(self):
        """The table holds 31 bits, which are more than any 16-bit number needs."""
        exact, x = table("unary.xz"), unary_points()
        wide = sy.tensor(x, "float64")
        for name in names():
            y, slope = both(function_of(name), wide)
            with np.errstate(all="ignore"):
                moved = np.abs(x.astype(np.float64) * slope) if name in BENT else 0.0
            scale = np.abs(exact.get(name + "''", np.zeros(1))[:len(x)])
            for column, got, terms in ((name, y, moved), (name + "'", slope, scale)):
                right = exact[column][:len(x)]
                there = np.isfinite(right) & (np.abs(right) > 1.2e-38)
                with np.errstate(all="ignore"):
                    size = np.maximum(np.abs(right), np.where(np.isfinite(terms), terms,
                                                              0.0))
                    off = np.abs(got - right) / size
                worst = off[there].max(initial=0.0)
                limit = LIMITS.get(f"float64 {column}", 2.0**-28)
                with self.subTest(column=column):
                    self.assertLessEqual(worst, limit)

    def test_every_number(self):
        wrong = []
        for dtype in DTYPES:
            x = numbers(dtype)
            for name in names():
                function = function_of(name)
                narrow = both(function, sy.ops.cast(sy.tensor(x), dtype))
                wide = both(function, sy.tensor(x))
                with np.errstate(all="ignore"):
                    moved = np.abs(x * wide[1]) if name in BENT else np.zeros(1)
                    terms = np.maximum(1.0, np.abs(x)) if name in SUMMED else (
                        np.zeros(1))
                moved = np.where(np.isfinite(moved), moved, 0.0)
                for column, got, want, scale, bound in (
                        (name, narrow[0], wide[0], moved, 2.0),
                        (name + "'", narrow[1], wide[1], terms, 4.0)):
                    off = units(got, want, scale, dtype)
                    # Below the least normal number and at bends any slope is right.
                    size = np.maximum(np.abs(want), np.abs(scale))
                    counts = (size >= NORMAL[dtype]) | (want == 0) & (
                        np.abs(got) >= NORMAL[dtype])
                    off = np.where(counts & ~bends(name, x), off, 0.0)
                    at = int(np.argmax(off))
                    limit = LIMITS.get(f"{dtype} {column}", bound)
                    if off[at] > limit:
                        wrong.append(f"{dtype} {column}: {off[at]:.4g} units (limit "
                                     f"{limit}) at {x[at]!r}: {got[at]!r}, exactly "
                                     f"{want[at]!r}")
        self.assertFalse(wrong, "\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
