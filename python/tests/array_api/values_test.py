# SPDX-License-Identifier: Apache-2.0
"""The functions of the Array API give the standard's values, dtypes, shapes.

The oracle is array-api-strict; arguments are Hypothesis's, with empty arrays,
scalars and broadcasts.
"""

import unittest
import warnings

import array_api_strict as strict
import hypothesis
import numpy as np

import standard
import switchyard as sy
from calls_by_name import CALLS

EXAMPLES = 25
_TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "complex64": 2e-5,
              "complex128": 1e-12}

# The dtype that stands for one that the package lacks.
_DTYPE_INSTEAD = {"uint64": "int64"}
# The default floating dtype is float32.
_OF_DEFAULT_DTYPE = {"arange", "empty", "eye", "fft.fftfreq", "fft.rfftfreq",
                     "full", "linspace", "ones", "zeros"}
# Linear algebra in a few roundings more.
_LOOSE = {"linalg.": 20.0, "fft.": 4.0, "matmul": 4.0, "tensordot": 4.0,
          "vecdot": 4.0, "var": 4.0, "std": 4.0}


def for_strict(argument, dtype):
    """An argument as array-api-strict takes it; ``dtype``: names are dtypes."""
    if isinstance(argument, np.ndarray):
        return strict.asarray(argument)
    if isinstance(argument, list):
        return [for_strict(each, dtype) for each in argument]
    return getattr(strict, argument) if dtype and isinstance(argument, str) else (
        argument)


def strictly(name, positional, keywords):
    """The oracle's result."""
    named = {key: for_strict(each, key == "dtype")
             for key, each in keywords.items()}
    of_kind = name == "isdtype"  # Its second argument is a word.
    return standard.functions()[name](
        *[for_strict(each, not (of_kind and i)) for i, each in
          enumerate(positional)], **named)


def for_us(argument):
    if isinstance(argument, np.ndarray):
        return sy.tensor(argument)
    if isinstance(argument, list):
        return [for_us(each) for each in argument]
    return argument


def flat(result):
    if isinstance(result, (tuple, list)) and not hasattr(result, "bits"):
        return [leaf for part in result for leaf in flat(part)]
    return [result]


def leaf_of(result):
    """A result as something that can be compared: an array, else a plain one."""
    if isinstance(result, sy.Tensor):
        return result.numpy()
    if hasattr(result, "__array_namespace__"):
        return np.asarray(result._array)
    if hasattr(result, "bits"):
        return {key: getattr(result, key) for key in (
            "bits", "max", "min", "eps", "smallest_normal")
            if hasattr(result, key)}
    return result if isinstance(result, (bool, int, str)) else str(
        getattr(result, "_np_dtype", result))


class ValuesTest(unittest.TestCase):

    def check(self, name, positional, keywords):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = strictly(name, positional, keywords)
        got = standard.ours(name)(
            *[for_us(each) for each in positional],
            **{key: for_us(each) for key, each in keywords.items()})
        expected, got = flat(expected), flat(got)
        self.assertEqual(len(got), len(expected), "the number of results")
        for mine, theirs in zip(map(leaf_of, got), map(leaf_of, expected)):
            if not isinstance(theirs, np.ndarray):
                self.assertEqual(mine, theirs)
                continue
            wanted = theirs.dtype.name
            if name in _OF_DEFAULT_DTYPE and keywords.get("dtype") is None:
                wanted = {"float64": "float32"}.get(wanted, wanted)
            self.compare(name, mine, theirs, _DTYPE_INSTEAD.get(wanted, wanted))

    def compare(self, name, mine, theirs, wanted):
        self.assertEqual(mine.shape, theirs.shape)
        self.assertEqual(mine.dtype.name, wanted)
        if name.startswith("empty"):
            return
        tolerance = _TOLERANCE.get(wanted, 0.0)
        for prefix, factor in _LOOSE.items():
            if name.startswith(prefix):
                tolerance *= factor
        np.testing.assert_allclose(mine, theirs.astype(wanted), rtol=tolerance,
                                   atol=tolerance)


def test_of(name, strategy):
    @hypothesis.settings(
        max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(strategy)
    def test(self, call):
        self.check(name, *call)
    return test


for _name, _strategy in CALLS.items():
    setattr(ValuesTest, "test_" + _name.replace(".", "_"),
            test_of(_name, _strategy))


if __name__ == "__main__":
    unittest.main()
