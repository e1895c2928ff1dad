# SPDX-License-Identifier: Apache-2.0
"""Writes storage_types.npz: what `ml_dtypes` has for the codes of its types, and for
numbers in these types. Run where it is installed: make_storage_types.py FILE.npz"""

import sys
import warnings

import ml_dtypes
import numpy as np

NAMES = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
         "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2")


def main():
    warnings.simplefilter("ignore")
    arrays = {}
    integers = np.concatenate([np.arange(-1100, 1101),
                               [2**15, 2**20 + 1, 57344, 61439, 61440, -61440, 2**31 - 1]])
    arrays["integers"] = integers
    for name in NAMES:
        dtype = getattr(ml_dtypes, name)
        bits = ml_dtypes.iinfo(dtype).bits if "int" in name else ml_dtypes.finfo(dtype).bits
        values = np.arange(2**bits, dtype=np.uint8).view(dtype)
        numbers = values.astype(np.float64)
        arrays[f"{name}.numbers"] = numbers
        for other in NAMES:
            exact = values.astype(np.int32 if "int" in name else np.float32)
            arrays[f"{name}.{other}"] = exact.astype(getattr(ml_dtypes, other)).view(np.uint8)
        arrays[f"{name}.integers"] = integers.astype(dtype).view(np.uint8)
        if "int" in name:
            continue
        finite = np.unique(numbers[np.isfinite(numbers)]).astype(np.float32)
        # Where it rounds: the middle between two, one float32 before it, one after it;
        # and beyond the greatest.
        middle = (finite[1:] + finite[:-1]) / np.float32(2)
        # Below that its result is not the nearest.
        middle = middle[(middle < 0) | (middle > 2.0**-100)]
        top = finite[-1]
        ends = np.array([top * k for k in (1.01, 1.0714, 1.1, 1.1667, 1.2, 1.25, 2)], np.float32)
        halves = np.concatenate([middle, ends, -ends])
        given = np.concatenate([finite, np.float32([0.0, -0.0, np.inf, -np.inf, np.nan]), halves,
                                np.nextafter(halves, np.float32(np.inf)),
                                np.nextafter(halves, np.float32(-np.inf))])
        arrays[f"{name}.given"] = given
        arrays[f"{name}.rounded"] = given.astype(dtype).view(np.uint8)
    np.savez_compressed(sys.argv[1], **arrays)


main()
