# SPDX-License-Identifier: Apache-2.0
"""When the outputs of a node agree."""

import numpy as np

RELATIVE, ABSOLUTE = 1e-3, 1e-5


def agree(got, wanted, times=1):
    """Whether dtypes, shapes and elements do, floats within `times` the usual;
    integers are equal."""
    return len(got) == len(wanted) and all(
        _same(np.asarray(a), np.asarray(b), times)
        for a, b in zip(got, wanted))


def _same(got, wanted, times):
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return False
    if got.dtype.kind != "f":
        return bool(np.array_equal(got, wanted))
    half = got.dtype == np.float16
    got, wanted = got.astype(np.float64), wanted.astype(np.float64)
    if half:
        # Whether a sum near the range's end overflows is its order's.
        near = np.abs(wanted) < 6e4
        got, wanted = got[near | np.isnan(wanted)], wanted[
            near | np.isnan(wanted)]
        return bool(np.allclose(got, wanted, 4 * times * RELATIVE,
                                100 * times * ABSOLUTE,
                                equal_nan=True))
    return bool(np.allclose(got, wanted, times * RELATIVE, times * ABSOLUTE,
                            equal_nan=True))
