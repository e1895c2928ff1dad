# SPDX-License-Identifier: Apache-2.0
"""Where functions are compared, and how the table of their values is packed.

A number of the table is a float32 and what is left of the exact one, in 128ths
of the float's last place: five bytes, which are kept plane by plane, since most
planes of most functions are the same all over.
"""
import json
import lzma

import numpy as np

# Odd fractions, so that no function of them is exact by chance.
FRACTIONS = (0x000000, 0x155555, 0x3b9aca, 0x6c1f3b)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf], np.float32)


def floats(bits):
    return np.array(bits, np.uint32).view(np.float32)


def unary_points():
    """Four numbers of each binade and one of each binade of denormals, of both
    signs, and the even numbers and halves up to 24, where functions bend."""
    bits = [1 << i | (1 << i) // 3 for i in range(23)]
    bits += [e << 23 | f for e in range(1, 255) for f in FRACTIONS]
    x = np.concatenate([floats(bits), np.arange(0.5, 24, 0.5, np.float32),
                        np.arange(1, 30, dtype=np.float32) / np.float32(7)])
    return np.concatenate([x, -x])


def binary_points():
    """Pairs of numbers of binades all over the range, with close pairs."""
    exponents = (1, 3, 40, 87, 103, 115, 123, 126, 127, 128, 131, 137, 150, 190,
                 230, 252, 254)
    size = floats([e << 23 | f for e, f in zip(exponents, FRACTIONS[1:] * 6)])
    other = floats([e << 23 | f for e, f in zip(exponents, FRACTIONS[::-1] * 5)])
    x, y = (a.ravel() for a in np.meshgrid(size, other))
    near = floats([127 << 23, 129 << 23 | 0x155555, 150 << 23 | 0x6c1f3b])
    x = np.concatenate([x, near, np.nextafter(near, np.float32(0)), near])
    y = np.concatenate([y, np.nextafter(near, np.float32(0)), near, near])
    return (np.concatenate([x, x, -x, -x]), np.concatenate([y, -y, y, -y]))


def last_place(x):
    """The unit in the last place of float32 numbers, as float64."""
    exponent = np.frexp(np.abs(x).astype(np.float64))[1]
    exponent = np.where(np.isfinite(x), np.maximum(exponent, -125), 128)
    return np.ldexp(1.0, exponent - 24)


def pack(columns):
    """The bytes of a table {name: list of (float32, 128ths)}."""
    names = list(columns)
    numbers = np.array([[n for n, _ in columns[k]] for k in names], np.float32)
    rests = np.array([[r for _, r in columns[k]] for k in names], np.int8)
    planes = numbers.view(np.uint8).reshape(*numbers.shape, 4)
    planes = np.moveaxis(planes, -1, 1)  # [names, 4, points]
    data = np.concatenate([planes, rests.view(np.uint8)[:, None]], axis=1)
    header = json.dumps([names, numbers.shape[1]]).encode()
    return lzma.compress(header + b"\n" + data.tobytes(), preset=9)


def unpack(blob):
    """{name: float64 array} with NaN where there is no value."""
    header, data = lzma.decompress(blob).split(b"\n", 1)
    names, count = json.loads(header)
    planes = np.frombuffer(data, np.uint8).reshape(len(names), 5, count)
    table = {}
    for name, plane in zip(names, planes):
        number = np.ascontiguousarray(plane[:4].T).view(np.float32)[:, 0]
        rest = plane[4].view(np.int8) / 128.0
        with np.errstate(invalid="ignore"):
            exact = number.astype(np.float64) + rest * last_place(number)
        table[name] = np.where(np.isfinite(number), exact, number)
    return table
