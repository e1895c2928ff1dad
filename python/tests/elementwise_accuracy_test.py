# SPDX-License-Identifier: Apache-2.0
"""Functions of one and of two numbers, and their gradients, in float32 beside
60-digit arithmetic (exact_values/), over all binades.

A value is within 2 units in the last place of an exact one above the least
normal number, or of |x| times the derivative where that is larger: near a zero
or a pole the argument's own rounding moves it by as much. A gradient is within
4 units, or of its largest term where it crosses 0. Functions that are not are
listed in exact_values/limits.py with the units measured, or with the range where
they are.
"""
import os
import unittest

import numpy as np

import switchyard as sy
from exact_values.calls import BENT, function_of
from exact_values.limits import LIMITS, READ_RESULT
from exact_values.points import (SPECIAL, binary_points, last_place, unary_points,
                                 unpack)

LEAST = np.finfo(np.float32).tiny

# Functions whose operators have a composite, too; and the largest term of the sum
# that it is, of which far from 0 little is left.
COMPOSED = {
    **{name: (name, np.zeros_like) for name in (
        "celu", "elu", "hardswish", "leaky_relu", "logsigmoid", "mish", "relu6",
        "rsqrt", "sigmoid", "silu", "softplus", "swish")},
    "gelu": ("gelu", lambda x: np.where(np.isfinite(x), np.abs(x) / 2, 0)),
    "gelu_by_tanh": ("gelu", np.zeros_like),
    "hardsigmoid": ("hardsigmoid", lambda x: np.full_like(x, 0.5)),
}
COMPOSED_LIMITS = {"gelu_by_tanh": 47, "hardswish": 2.1}


def table(name):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exact_values")
    with open(os.path.join(folder, name), "rb") as file:
        return unpack(file.read())


def units(got, exact, scale=0.0, zero=False):
    """How far each is from the exact number, in units in the last place of it or
    of ``scale`` where that is larger; infinite where one alone is finite."""
    got = got.astype(np.float64)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(exact), np.abs(scale))
        place = last_place(np.where(size > 3.4028234e38, np.float32(3e38), size))
        away = np.abs(got - exact) / place
    # The largest float's neighbour is infinity.
    at_end = np.isinf(exact) & (np.abs(got) > 3.402822e38) & (
        np.sign(got) == np.sign(exact))
    # The sign of a pole at 0 is that of the zero.
    pole = np.isinf(exact) & np.isinf(got) & zero
    away = np.where((got == exact) | at_end | pole, 0.0, away)
    return np.where(np.isnan(away), np.inf, away)


class AccuracyTest(unittest.TestCase):

    def worst(self, found, name, x, got, exact, scale=0.0, where=True):
        """Notes the largest error of one column."""
        above = np.maximum(np.abs(exact), np.abs(scale)) >= LEAST
        special = np.isinf(exact) | (exact == 0)
        keep = where & (above | special) & ~np.isnan(exact)
        at_zero = (x if x.ndim == 1 else x[:, 1]) == 0
        away = np.where(keep, units(got, exact, scale, at_zero), 0.0)
        # A zero that is exact because it is tiny may be a denormal number.
        away = np.where(special & (exact == 0) & (np.abs(got) < LEAST), 0.0, away)
        at = int(np.argmax(away))
        found[name] = (float(away[at]), x[at], float(got[at]), float(exact[at]))

    def check(self, found, most):
        """Every column within its limit, and no limit that is wide for no reason."""
        wrong = []
        for name, (away, x, got, exact) in found.items():
            bound = most(name)
            limit = LIMITS.get(name, bound)
            if away > limit or (name in LIMITS and away <= limit * 0.9 - 0.1):
                wrong.append(f"{name}: {away:.4g} units (limit {limit}) at {x}: "
                             f"{got!r}, exactly {exact!r}")
        self.assertFalse(wrong, "\n".join(wrong))

    def test_one_number(self):
        exact = table("unary.xz")
        x = np.concatenate([unary_points(), SPECIAL])
        found = {}
        for name in (n for n in exact if "'" not in n):
            f = function_of(name)
            leaf = sy.tensor(x, requires_grad=True)
            y = f(leaf)
            slope = sy.grad(y.sum(), [leaf])[0].numpy()
            value, right = exact[name], exact[name + "'"]
            if name == "digamma":  # The table knows no sign of zero.
                value = np.where(x == 0, -np.copysign(np.inf, x), value)
                right = np.where(x == 0, np.inf, right)
            with np.errstate(all="ignore"):
                moved = np.abs(x * right) if name in BENT else 0.0
            moved = np.where(np.isfinite(moved), moved, 0.0)
            self.worst(found, name, x, y.numpy(), value, moved)
            where = ~np.isnan(value)
            if name + "'" in READ_RESULT:
                least, most = READ_RESULT[name + "'"]
                self.assertLess(np.abs(slope - right).max(), 2.0**-23, name)
                where &= (least <= x) & (x <= most)
            self.worst(found, name + "'", x, slope, right,
                       exact.get(name + "''", 0.0), where=where)
            none = np.isnan(value)
            self.assertTrue(np.isnan(y.numpy()[none]).all(), name)
        self.check(found, lambda name: 4 if name.endswith("'") else 2)

    def test_two_numbers(self):
        exact = table("binary.xz")
        points = binary_points()
        found = {}
        for name in (n for n in exact if "'" not in n):
            f = function_of(name)
            sides = [s for s in "xy" if f"{name}'{s}" in exact]
            leaves = [sy.tensor(v, requires_grad=side in sides)
                      for v, side in zip(points, "xy")]
            y = f(*leaves)
            value = exact[name]
            with np.errstate(all="ignore"):
                moved = [np.abs(v * exact.get(name + "'" + side, 0.0))
                         for v, side in zip(points, "xy")]
            scale = np.maximum(*moved) if name in BENT else 0.0
            x = np.stack(points, 1)
            self.worst(found, name, x, y.numpy(), value,
                       np.where(np.isfinite(scale), scale, 0.0))
            slopes = sides and sy.grad(
                y.sum(), [leaf for leaf in leaves if leaf.requires_grad])
            for side, slope in zip(sides, slopes):
                self.worst(found, f"{name}'{side}", x, slope.numpy(),
                           exact[f"{name}'{side}"], where=~np.isnan(value))
        self.check(found, lambda name: 4 if "'" in name else 2)

    def test_composites(self):
        """Composites of operators whose kernels are refused, in the same bounds."""
        exact = table("unary.xz")
        x = np.concatenate([unary_points(), SPECIAL])
        found = {}
        for name, (op, term) in COMPOSED.items():
            f = function_of(name)
            with sy.policy(decompose=[op]):
                y = f(sy.tensor(x)).numpy()
            with np.errstate(all="ignore"):
                self.worst(found, name, x, y, exact[name], term(x))
        for name, (away, at, got, right) in found.items():
            self.assertLessEqual(away, COMPOSED_LIMITS.get(name, 2),
                                 f"{name}({at}): {got!r}, exactly {right!r}")

    def test_not_a_number_stays(self):
        for name in (n for n in table("unary.xz") if "'" not in n):
            f = function_of(name)
            self.assertTrue(np.isnan(f(sy.tensor([np.nan])).item()), name)

    def test_the_list_names_columns(self):
        columns = {*table("unary.xz"), *table("binary.xz")}
        self.assertLessEqual(set(LIMITS) | set(READ_RESULT), columns)


if __name__ == "__main__":
    unittest.main()
