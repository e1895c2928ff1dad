# SPDX-License-Identifier: Apache-2.0
"""Programs whose first extents are open and turn out to be 1: each public function
and layer gives eager code's bits, values and gradients, or an error as eager code
does. An extent of 1 is not repeated where eager code refuses it."""

import inspect
import unittest
import warnings

import argument_names as names
import argument_rows as rows
import numpy as np

import switchyard as sy
from switchyard import nn, static

RNG = np.random.default_rng(0)
MANY = 3
# Functions of no tensors, of files, of other kinds of tensors, and those that write.
OTHERS = ("optim.", "io.", "distributions.", "static.", "autograd.", "plugins.", "amp.",
          "nn.init.", "nn.utils.", "sparse.", "strings.", "signal.")
# A run refuses what eager code takes: the number of results, or their axes, are the
# trace's.
REFUSED = {"chunk", "unsafe_chunk", "squeeze_copy", "scatter", "scatter_add", "scatter_reduce"}
# Another order of sums, in the last bits.
ROUNDED = {"einsum", "kron", "svd"}
# Memory that nothing has written, and of arrays alone.
UNDETERMINED = {"empty_like", "from_dlpack"}


def flat(result):
    if isinstance(result, (list, tuple)):
        return [x for part in result for x in flat(part)]
    return [result] if isinstance(result, (sy.Tensor, static.Value)) else []


def outcome(function, arrays):
    """The results as (dtype, shape, bytes), or None for an error."""
    sy.seed(3)
    try:
        results = flat(function(*map(sy.tensor, arrays)))
    except (TypeError, ValueError, IndexError, NotImplementedError, RuntimeError):
        return None
    return [(x.dtype, tuple(x.shape), x.numpy().tobytes()) for x in results]


def gradients(function):
    """The function's gradients: of the sum of its floating results' squares."""
    def found(*tensors):
        for x in tensors:
            if isinstance(x, sy.Tensor):
                x.requires_grad = True
        total = 0.0
        for y in flat(function(*tensors)):
            if "float" in str(y.dtype):
                total = total + sy.sum(sy.square(y))
        return sy.grad(total, list(tensors))
    return found


def array_of(tensor):
    array = tensor.numpy()
    if array.dtype.kind == "f":
        array = RNG.uniform(0.1, 0.9, array.shape).astype(array.dtype)
    return array


def calls():
    """(name, function of tensors, arrays) of each public function and layer that
    has a row."""
    for name, function in names.public().items():
        if name.startswith(OTHERS) or name in rows.NO_ROWS | UNDETERMINED or (
                name.endswith("_")):
            continue
        row = names.row_of(name, function)
        if row is None:
            continue
        if inspect.isclass(function):
            if not name.startswith("nn.") or not issubclass(function, nn.Module):
                continue
            try:
                made = names.layer_call(name[3:], row)
            except (TypeError, ValueError, NotImplementedError):  # Containers, bases.
                continue
            if made is None:
                continue
            function, args, kwargs = made
        else:
            args, kwargs = row.made()
        dense = [isinstance(a, sy.Tensor) and a.kind == "dense" for a in args]
        arrays = [array_of(a) for a, is_dense in zip(args, dense) if is_dense]
        if arrays and arrays[0].ndim:
            yield name, bound(function, args, kwargs, dense), arrays


def bound(function, args, kwargs, dense):
    def call(*tensors):
        given = iter(tensors)
        return function(*[next(given) if is_dense else a
                          for a, is_dense in zip(args, dense)], **kwargs)
    return call


def resized(array, count):
    repeats = -(-count // max(1, len(array)))
    return np.concatenate([array] * repeats)[:count] if len(array) else array


def traced(function, arrays, batched):
    try:
        return static.trace(function, *[
            static.InputSpec([None if open_ else a.shape[0], *a.shape[1:]]
                             if a.ndim else [], a.dtype.name)
            for a, open_ in zip(arrays, batched)])
    except (TypeError, ValueError, IndexError, NotImplementedError, RuntimeError,
            AttributeError):
        return None


class OpenBatchTest(unittest.TestCase):

    def check(self, name, function, arrays):
        """All batches of 1, then each alone beside others of MANY, and the other way
        round; returns whether there was a program."""
        count = arrays[0].shape[0]
        batched = [a.ndim > 0 and a.shape[0] == count for a in arrays]
        program = traced(function, arrays, batched)
        if program is None:
            return False
        places = [i for i, open_ in enumerate(batched) if open_]
        ones = [set(places)]
        if len(places) > 1:
            ones += [{i} for i in places] + [set(places) - {i} for i in places]
        for one in ones:
            given = [resized(a, 1 if i in one else MANY) if open_ else a
                     for i, (a, open_) in enumerate(zip(arrays, batched))]
            right, got = (outcome(form, given) for form in (function, program))
            if got is None and name in REFUSED:
                continue
            with self.subTest(name=name, of_one=sorted(one)):
                if name in ROUNDED and right is not None:
                    self.assertEqual([r[:2] for r in got], [r[:2] for r in right])
                else:
                    self.assertEqual(got, right)
        return True

    def test_every_function(self):
        programs = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, function, arrays in calls():
                programs += self.check(name, function, arrays)
                if all(a.dtype.kind == "f" for a in arrays) and outcome(
                        gradients(function), arrays):
                    programs += self.check(name, gradients(function), arrays)
        self.assertGreater(programs, 800)

    def test_the_message(self):
        program = static.trace(nn.functional.mse_loss, *[
            static.InputSpec([None, 3])] * 2)
        with self.assertRaisesRegex(ValueError, r"of 1 elements|of 3 elements, got "
                                                r"\[3, 3\].*open_batch_test"):
            program(np.ones((3, 3), np.float32), np.ones((1, 3), np.float32))

    def test_second_gradients_of_batch_norm(self):
        """One value a channel is passed on, whether its number is known or not."""
        def second(x, w):
            mean, variance = sy.zeros([3]), sy.ones([3])
            if isinstance(x, sy.Tensor):
                x.requires_grad = w.requires_grad = True
            y = sy.ops.batch_norm(x, mean, variance, w, None)[0]
            first = sy.grad(sy.sum(y * y * y), [x, w], create_graph=True)
            return sy.grad(sy.sum(first[0] * first[0]) + sy.sum(first[1] ** 2), [x, w])
        program = static.trace(second, static.InputSpec([None, 3]),
                               static.InputSpec([3]))
        for rows_ in (1, 2, 5):
            x, w = (RNG.normal(size=s).astype(np.float32) for s in ((rows_, 3), (3,)))
            for got, right in zip(program(x, w), second(sy.tensor(x), sy.tensor(w))):
                np.testing.assert_allclose(got.numpy(), right.numpy(), 1e-5, 1e-6)


if __name__ == "__main__":
    unittest.main()
