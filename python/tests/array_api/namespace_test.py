# SPDX-License-Identifier: Apache-2.0
"""The array object and the namespace's own description, beside array-api-strict."""

import inspect
import unittest
import warnings

import array_api_strict as strict
import numpy as np

import switchyard as sy

# Names of the array object that are only Python's or array-api-strict's.
_ITS_OWN = {"__new__", "__repr__", "__reduce__", "__buffer__", "__array__",
            "__iter__"}
# Python calls the operator itself for x @= y and x <<= y.
_BY_PYTHON = {"__imatmul__", "__ilshift__", "__irshift__"}


def names_of(kind):
    return {name for name, thing in vars(kind).items()
            if (inspect.isfunction(thing) or isinstance(thing, property))
            and (not name.startswith("_") or name.endswith("__"))}


class NamespaceTest(unittest.TestCase):

    def test_the_array_object_has_all_names(self):
        names = names_of(type(strict.asarray(1))) - _ITS_OWN - _BY_PYTHON
        self.assertGreater(len(names), 60)
        missing = {name for name in names if not hasattr(sy.Tensor, name)}
        self.assertEqual(missing, set())

    def test_operators(self):
        x, y = np.array([[6, 3], [1, 12]]), np.array([[1, 2], [3, 1]])
        ours, theirs = (sy.tensor(x), sy.tensor(y)), (
            strict.asarray(x), strict.asarray(y))
        for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "and", "or",
                     "xor", "lshift", "rshift", "matmul", "eq", "ne", "lt", "le",
                     "gt", "ge"):
            method = f"__{name}__"
            got = getattr(ours[0], method)(ours[1]).numpy()
            expected = np.asarray(getattr(theirs[0], method)(theirs[1])._array)
            self.assertEqual(got.dtype, expected.dtype, name)
            np.testing.assert_array_equal(got, expected, name)
        for method in ("__neg__", "__pos__", "__abs__", "__invert__"):
            np.testing.assert_array_equal(
                getattr(ours[0], method)().numpy(),
                np.asarray(getattr(theirs[0], method)()._array), method)
        z = sy.tensor(x)
        z <<= 1
        np.testing.assert_array_equal(z.numpy(), x << 1)

    def test_the_namespace(self):
        x = sy.ones(2)
        self.assertIs(x.__array_namespace__(), sy)
        self.assertIs(x.__array_namespace__(api_version="2024.12"), sy)
        self.assertEqual(sy.__array_api_version__, "2024.12")
        with self.assertRaisesRegex(ValueError, "api_version must be one of"):
            x.__array_namespace__(api_version="1999.01")
        self.assertEqual((x.device, x.to_device("cpu") is x), ("cpu", True))
        with self.assertRaisesRegex(ValueError, "to_device: stream must be None"):
            x.to_device("cpu", stream=1)

    def test_the_description(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = strict.__array_namespace_info__()
            calls = {name for name in vars(type(theirs)) if name[0] != "_"}
            expected = theirs.dtypes()
            kinds = {kind: set(theirs.dtypes(kind=kind)) for kind in (
                "bool", "signed integer", "unsigned integer", "integral",
                "real floating", "complex floating", "numeric",
                ("bool", "integral"))}
        ours = sy.__array_namespace_info__()
        self.assertEqual(calls, {name for name in vars(type(ours))
                                 if name[0] != "_"})
        absent = {"uint16", "uint32", "uint64"}
        self.assertEqual(set(ours.dtypes()), set(expected) - absent)
        for kind, names in kinds.items():
            self.assertEqual(set(ours.dtypes(kind=kind)), names - absent, kind)
        for name, dtype in ours.dtypes().items():
            self.assertEqual(getattr(sy, name), dtype)
            self.assertEqual(sy.zeros(1, dtype=dtype).dtype, name)
        defaults = ours.default_dtypes()
        self.assertEqual(set(defaults), set(theirs.default_dtypes()))
        self.assertEqual(sy.asarray(1.0).dtype, defaults["real floating"])
        self.assertEqual(sy.asarray(1).dtype, defaults["integral"])
        self.assertEqual(sy.asarray(1j).dtype, defaults["complex floating"])
        self.assertEqual(sy.argmax(sy.ones(2)).dtype, defaults["indexing"])
        self.assertIn(ours.default_device(), ours.devices())
        for kind in ("word", ("bool", "word")):
            with self.assertRaisesRegex(ValueError, "dtypes: kind must be one of"):
                ours.dtypes(kind=kind)
        with self.assertRaisesRegex(ValueError, "dtypes: device must be one of"):
            ours.dtypes(device="moon:0")

    def test_capabilities_hold(self):
        told = sy.__array_namespace_info__().capabilities()
        self.assertEqual(set(told), {"boolean indexing", "data-dependent shapes",
                                     "max dimensions"})
        x = sy.arange(4)
        self.assertEqual(x[x > 1].tolist(), [2, 3])
        self.assertEqual(sy.unique_values(sy.tensor([1, 1])).shape, (1,))
        most = told["max dimensions"]
        self.assertEqual(sy.ones([1] * most).ndim, most)
        with self.assertRaises(ValueError):
            sy.ones([1] * (most + 1))


if __name__ == "__main__":
    unittest.main()
