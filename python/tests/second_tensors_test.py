# SPDX-License-Identifier: Apache-2.0
"""Second tensors of the public functions and layers: of an extent too few or too
many, of another rank, of no elements, of other dtypes. Each is an error with a
sentence, or the documented broadcast; no part of a number is dropped.

A function's rows are those of argument_rows.py; tensors that go by a name (weights,
biases, masks, lengths, states) are in second_tensor_cases.py, with what is taken."""

import inspect
import unittest
import warnings

import argument_names as names
import argument_rows as rows
import numpy as np
from arguments_test import INNER
from second_tensor_cases import BROADCAST, NAMED, TAKEN

import switchyard as sy
from switchyard import nn

ERRORS = (TypeError, ValueError, IndexError, NotImplementedError, KeyError,
          RuntimeError)
# Functions of no tensors of numbers, and those that write into their arguments.
OTHERS = ("optim.", "io.", "autograd.", "static.", "amp.", "plugins.", "strings.",
          "nn.init.", "nn.utils.", "distributions.")
# None of these elements is read: all conditions are true, all x are positive.
UNREAD = ("where.y", "nn.functional.prelu.weight")
# NumPy's text, which is no sentence of a function.
PLAIN = "shape mismatch: objects cannot"


def shapes_of(array):
    """{what: array}: one extent changed, another rank, no elements."""
    found = {"axis before": array[None], "axis after": array[..., None],
             "twice": np.stack([array, array]),
             "empty": np.zeros((0,) * max(array.ndim, 1), array.dtype)}
    for axis, extent in enumerate(array.shape):
        if extent:
            found[f"fewer {axis}"] = np.delete(array, -1, axis)
            found[f"more {axis}"] = np.concatenate(
                [array, np.take(array, [0], axis)], axis)
        if extent > 1:
            found[f"one {axis}"] = np.take(array, [0], axis)
    if array.ndim:
        found["axis less"] = array[0]
    return found


def flat(result):
    if isinstance(result, (list, tuple)):
        return [x for part in result for x in flat(part)]
    return [result] if isinstance(result, sy.Tensor) and result.kind == "dense" else []


def outcome(function, array):
    """(results, None) or (None, error)."""
    sy.seed(1)
    try:
        return flat(function(sy.tensor(array))), None
    except Exception as error:  # pylint: disable=broad-except
        return None, error  # Its kind is what is tested.


def layer(name, make):
    """A layer in evaluation and its row, or None."""
    args, kwargs = make.made()
    made = getattr(nn, name)(*args, **kwargs)
    given = rows.FORWARDS.get(name)
    if given is None:
        needed = [p for p in inspect.signature(made.forward).parameters.values()
                  if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
        given = rows.Row.of(*[rows.matrix] * len(needed))
    return made.eval(), given


def calls():
    """(name.argument, function of that one tensor, its array) of all rows."""
    for name, function in names.public().items():
        if name.startswith(OTHERS) or name in rows.NO_ROWS:
            continue
        row = names.row_of(name, function)
        if row is None:
            continue
        signed = function
        if inspect.isclass(function):
            if not name.startswith("nn.") or not issubclass(function, nn.Module):
                continue
            try:
                function, row = layer(name[3:], row)
            except ERRORS:  # Containers and bases.
                continue
            signed = function.forward
        given = [isinstance(a, sy.Tensor) and a.kind == "dense" for a in row.made()[0]]
        arguments = list(inspect.signature(signed).parameters)
        for i in [i for i, is_tensor in enumerate(given) if is_tensor][1:]:
            def call(tensor, function=function, row=row, i=i):
                args, kwargs = row.made()
                args[i] = tensor
                return function(*args, **kwargs)
            argument = arguments[min(i, len(arguments) - 1)]
            yield f"{name}.{argument}", call, row.made()[0][i].numpy()
    for name, (call, array) in NAMED.items():
        yield name, call, array


class SecondTensorsTest(unittest.TestCase):

    def check_error(self, error):
        text = str(error)
        self.assertIsInstance(error, ERRORS, text)
        self.assertIsNone(INNER.search(text), text)
        self.assertNotIn(PLAIN, text)
        self.assertRegex(text, r"^[\w.\[\]= ]+: ")

    def test_shapes(self):
        seen, unused = 0, {f"{name} {what}" for name, all_ in TAKEN.items()
                           for what in all_}
        for name, call, array in calls():
            right, error = outcome(call, array)
            self.assertIsNone(error, name)
            taken = TAKEN.get(name, ())
            for what, given in shapes_of(array).items():
                got, error = outcome(call, given)
                seen += 1
                with self.subTest(name=name, what=what, shape=given.shape):
                    if error is not None:
                        self.check_error(error)
                    elif what in taken:
                        unused.discard(f"{name} {what}")
                    else:
                        self.assertIn(name, BROADCAST)
                        self.check_broadcast(call, array, given, got, right)
        self.assertEqual(unused, set(), "they are refused: take the rows out")
        self.assertGreater(seen, 1500)

    def check_broadcast(self, call, array, given, got, right):
        """``got`` is the result of the tensor that is written out."""
        shape = np.broadcast_shapes(array.shape, given.shape)
        want, error = outcome(call, np.ascontiguousarray(np.broadcast_to(given, shape)))
        self.assertIsNone(error)
        for x, y, plain in zip(got, want, right):
            self.assertEqual((x.dtype, x.shape), (y.dtype, y.shape))
            self.assertGreaterEqual(len(x.shape), len(plain.shape))
            np.testing.assert_array_equal(np.asarray(x.numpy()), np.asarray(y.numpy()))

    def test_dtypes(self):
        """Numbers of another dtype count as they are: as those of float64 do, and
        imaginary parts are read; or they are refused."""
        for name, call, array in calls():
            for dtype in ("bool", "uint8", "int32", "int64", "float16", "float32",
                          "float64", "complex64"):
                if dtype == array.dtype.name:
                    continue
                more = 3 if array.dtype.kind == "f" and "int" in dtype else 1
                given = (array * more).astype(dtype)
                got, error = outcome(call, given)
                with self.subTest(name=name, dtype=dtype):
                    if error is not None:
                        self.check_error(error)
                    elif dtype == "complex64":
                        self.check_imaginary(name, call, given, got)
                    elif array.dtype.kind == "f":
                        self.check_same(call, given, got)

    def check_same(self, call, given, got):
        for wider in ("float64", "float32"):
            want, error = outcome(call, given.astype(wider))
            if error is None:
                break
        else:
            return
        for x, y in zip(got, want):
            np.testing.assert_allclose(
                np.asarray(x.numpy(), np.complex128),
                np.asarray(y.numpy(), np.complex128), 4e-3, 4e-3)

    def check_imaginary(self, name, call, given, got):
        """The result is another with imaginary parts, small ones or large; truth values
        may not be."""
        if name in UNREAD or all(x.dtype == "bool" for x in got):
            return
        for size in (1e-3, 1.0):
            turned = given + 1j * np.linspace(size / 2, size, given.size).reshape(
                given.shape)
            other, error = outcome(call, turned.astype(given.dtype))
            if error is not None or not all(
                    np.array_equal(x.numpy(), y.numpy(), equal_nan=True)
                    for x, y in zip(got, other)):
                return
        self.fail("the imaginary part is dropped")


def setUpModule():
    warnings.simplefilter("ignore")


if __name__ == "__main__":
    unittest.main()
