# SPDX-License-Identifier: Apache-2.0
"""Tests custom operators that PaddlePaddle's programs know by a legacy type."""
import pathlib
import struct
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import legacy
from switchyard import ops


@sy.custom_op(legacy_type="shifted_square",
              legacy_names={"x": "X", "out": "Out", "shift": "offset"})
def square_plus(x, *, shift=1.0, twice=False):
    return (x * x + np.float32(shift)) * np.float32(2 if twice else 1)


@square_plus.backward
def _(x, out_grad, *, twice):
    return out_grad * x * np.float32(4 if twice else 2)


# Fields of the program format (static_graph/foreign/paddle_desc/program_desc.proto).


def varint(number):
    number &= (1 << 64) - 1
    text = b""
    while number >= 128:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def variable(name, kind, dims=()):
    of_type = field(1, kind)
    if dims:
        tensor = field(1, 5) + b"".join(field(2, dim) for dim in dims)
        of_type += field(3, field(1, tensor))
    return field(3, field(1, name) + field(2, of_type)
                 + field(3, int(not dims)))


def slots(number, names):
    return b"".join(field(number, field(1, slot) + field(2, name))
                    for slot, name in names.items())


def operator(kind, inputs, outputs, *attrs):
    return field(4, slots(1, inputs) + slots(2, outputs) + field(3, kind)
                 + b"".join(field(4, attr) for attr in attrs))


def int_attr(name, value):
    return field(1, name) + field(2, 0) + field(3, value)


def float_attr(name, value):
    return field(1, name) + field(2, 1) + field(4, value)


def program(attrs):
    """x -> relu -> shifted_square -> y."""
    return field(1, b"".join((
        field(1, 0), field(2, -1),
        variable("feed", 9), variable("fetch", 10),
        *(variable(name, 7, (-1, 3)) for name in ("x", "r", "y")),
        operator("feed", {"X": "feed"}, {"Out": "x"}, int_attr("col", 0)),
        operator("relu", {"X": "x"}, {"Out": "r"}),
        operator("shifted_square", {"X": "r"}, {"Out": "y"}, *attrs),
        operator("fetch", {"X": "y"}, {"Out": "fetch"}, int_attr("col", 0)),
    )))


def load(attrs):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "__model__").write_bytes(program(attrs))
        return sy.static.load(folder)


class CustomOpLegacyTest(unittest.TestCase):

    def test_a_program_contains_it(self):
        loaded = load([float_attr("offset", 0.5)])
        x = np.array([[-1, 2, 3], [4, 5, -6]], np.float32)
        got, = loaded.run({"x": x}).values()
        np.testing.assert_array_equal(got, np.maximum(x, 0) ** 2 + 0.5)
        self.assertIn("square_plus", loaded.text())

    def test_a_call_by_its_type_is_differentiable(self):
        self.assertTrue(legacy.has("shifted_square"))
        x = sy.tensor([1.0, 3.0], requires_grad=True)
        y = legacy.run("shifted_square", {"X": x}, {"offset": 2, "twice": True})
        self.assertEqual(y["Out"].tolist(), [6.0, 22.0])
        y["Out"].sum().backward()
        self.assertEqual(x.grad.tolist(), [4.0, 12.0])

    def test_the_gradients_type(self):
        x, g = sy.tensor([1.0, 3.0]), sy.tensor([10.0, 1.0])
        slots_of = {"X": x, "Out": square_plus(x), "Out@GRAD": g}
        got = legacy.run("shifted_square_grad", slots_of)
        self.assertEqual({key: value.tolist() for key, value in got.items()},
                         {"X@GRAD": [20.0, 6.0]})

    def test_what_it_refuses(self):
        x = sy.tensor([1.0])
        with self.assertRaisesRegex(ValueError, "shifted_square: .*shift"):
            legacy.run("shifted_square", {"X": x}, {"shift": 1.0})
        with self.assertRaisesRegex(
                TypeError, "shifted_square: offset must be .*, got str"):
            legacy.run("shifted_square", {"X": x}, {"offset": "much"})
        with self.assertRaisesRegex(ValueError, "shifted_square"):
            load([float_attr("shift", 0.5)])

    def test_definitions_that_are_refused(self):
        def fresh(x, *, factor=1.0):
            return x

        with self.assertRaisesRegex(ValueError, "no operator has, got 'relu'"):
            sy.custom_op(fresh, legacy_type="relu")
        with self.assertRaisesRegex(ValueError, "x, out, factor, got y"):
            sy.custom_op(fresh, legacy_type="fresh_type",
                         legacy_names={"y": "Y"})
        with self.assertRaisesRegex(ValueError, "distinct, got X, X, factor"):
            sy.custom_op(fresh, legacy_type="fresh_type",
                         legacy_names={"x": "X", "out": "X"})
        with self.assertRaisesRegex(TypeError, "texts, got 3"):
            sy.custom_op(fresh, legacy_type="fresh_type",
                         legacy_names={"x": 3})
        with self.assertRaisesRegex(TypeError, "come with a legacy_type"):
            sy.custom_op(fresh, legacy_names={"x": "X"})
        with self.assertRaisesRegex(ValueError, "computes something, got 'read'"):
            sy.custom_op(fresh, legacy_type="read")
        # Its gradient's type is taken, too, before it has one.
        sy.custom_op(fresh, name="first", legacy_type="first_type")
        with self.assertRaisesRegex(ValueError, "has, got 'first_type_grad'"):
            sy.custom_op(fresh, legacy_type="first_type_grad")
        self.assertFalse(legacy.has("fresh_type"))
        self.assertFalse(hasattr(ops, "fresh"))


if __name__ == "__main__":
    unittest.main()
