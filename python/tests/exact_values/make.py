# SPDX-License-Identifier: Apache-2.0
"""Makes unary.xz and binary.xz, or makes some functions of them again. It needs
mpmath and some minutes:

    python3 python/tests/exact_values/make.py [function ...]
"""
import os
import sys

import mpmath as mp
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from binary import BINARY  # pylint: disable=wrong-import-position
from points import SPECIAL, binary_points, last_place, pack, unary_points, unpack
from unary import UNARY

GREATEST = mp.mpf(float(np.finfo(np.float32).max))


def entry(exact):
    """(float32, 128ths of its last place) of an exact number."""
    if exact is None or mp.isnan(exact):
        return np.float32(np.nan), 0
    # From here on it rounds to infinity.
    if abs(exact) >= GREATEST + mp.mpf(2) ** 103:
        return np.float32(np.inf if exact > 0 else -np.inf), 0
    number = np.float32(float(exact))
    place = mp.mpf(float(last_place(number)))
    return number, int(mp.nint((exact - mp.mpf(float(number))) / place * 128))


def unary_columns(name, xs):
    f, low, high = UNARY[name]
    rows = [f(mp.mpf(float(x))) for x in xs]
    rows += [f(mp.mpf(0))] * 2 + [high, low]
    columns = {name: [entry(r[0]) for r in rows],
               name + "'": [entry(r[1]) for r in rows]}
    if any(len(r) > 2 for r in rows):
        columns[name + "''"] = [entry(r[2] if len(r) > 2 else r[1]) for r in rows]
    return columns


def binary_columns(name, pairs):
    rows = [BINARY[name](*pair) for pair in pairs]
    return {column: [entry(r[i]) for r in rows]
            for i, column in enumerate((name, name + "'x", name + "'y"))
            if any(r[i] is not None for r in rows)}


def write(path, functions, wanted, columns_of):
    """Makes the columns of the functions that are wanted; others stay."""
    columns = {}
    if wanted:
        with open(path, "rb") as file:
            old = unpack(file.read())
        columns = {name: [entry(mp.mpf(float(v))) for v in column]
                   for name, column in old.items() if name.split("'")[0] in functions}
    for name in functions:
        if not wanted or name in wanted:
            columns.update(columns_of(name))
            print(name, flush=True)
    blob = pack(columns)
    with open(path, "wb") as file:
        file.write(blob)
    print(path, len(columns), "columns", len(blob), "bytes")


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    wanted = set(sys.argv[1:])
    xs = unary_points()
    assert len(SPECIAL) == 4
    write(os.path.join(folder, "unary.xz"), UNARY, wanted,
          lambda name: unary_columns(name, xs))
    pairs = [[mp.mpf(float(v)) for v in pair] for pair in zip(*binary_points())]
    write(os.path.join(folder, "binary.xz"), BINARY, wanted,
          lambda name: binary_columns(name, pairs))


if __name__ == "__main__":
    main()
