# SPDX-License-Identifier: Apache-2.0
"""Every function of the Array API standard is here and called as it says."""

import inspect
import unittest

import missing
import standard
import switchyard as sy
from calls_by_name import CALLS

MOST_MISSING = 0.15

# Parameters that only one value is right for here, or that a default of another
# spelling stands for: the float32 of creation functions, dtype=None there.
SAME_DEFAULT = {("dtype", "float32"), ("copy", False), ("copy", True), ("copy", None)}


def parameters(function):
    return list(inspect.signature(function).parameters.values())


def how_to_call(function):
    """(positional, keywords): example arguments for every parameter."""
    positional, keywords = [], {}
    for p in parameters(function):
        if p.kind is p.VAR_POSITIONAL:
            positional += [0, 0]
        elif p.kind is p.POSITIONAL_ONLY or (p.kind is p.POSITIONAL_OR_KEYWORD
                                             and not keywords):
            positional.append(0)
        else:
            keywords[p.name] = 0
    return positional, keywords


class SignaturesTest(unittest.TestCase):

    def test_every_function_is_here_or_missing_for_a_reason(self):
        names = set(standard.functions())
        self.assertGreater(len(names), 150)
        here = {name for name in names if standard.ours(name) is not None}
        self.assertEqual(names - here, set(missing.MISSING))
        self.assertLessEqual(len(missing.MISSING), MOST_MISSING * len(names))
        self.assertTrue(all(missing.MISSING.values()))

    def test_every_function_here_has_its_values_checked(self):
        checked = {*CALLS, *missing.NOT_UNIQUE, *missing.EXCHANGE,
                   *missing.DESCRIPTION}
        self.assertEqual(checked, set(standard.functions()) - set(missing.MISSING))

    def test_calls_that_the_standard_allows_are_allowed(self):
        for name, function in standard.functions().items():
            if name in missing.MISSING:
                continue
            with self.subTest(name):
                own = inspect.signature(standard.ours(name))
                positional, keywords = how_to_call(function)
                own.bind(*positional, **keywords)
                for p in parameters(function):
                    if p.kind is p.POSITIONAL_OR_KEYWORD:
                        self.assertIn(p.name, own.parameters)

    def test_defaults(self):
        for name, function in standard.functions().items():
            if name in missing.MISSING:
                continue
            own = inspect.signature(standard.ours(name)).parameters
            for p in parameters(function):
                mine = own.get(p.name)
                if p.default is p.empty or mine is None:
                    continue
                with self.subTest(f"{name}: {p.name}"):
                    if p.name != "device" and (
                            p.name, mine.default) not in SAME_DEFAULT:
                        self.assertEqual(mine.default, p.default)


if __name__ == "__main__":
    unittest.main()
