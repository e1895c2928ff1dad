# SPDX-License-Identifier: Apache-2.0
"""Tensor arrays against plain lists of NumPy arrays, with gradients, by the
kernels that run and the reference ones. In programs: python/tests."""
import json
import pathlib
import re
import unittest

import numpy as np

from tests.samples import samples
from tests.samples.array_cases import eager_argument
import switchyard as sy

POLICIES = ({"backends": ["cpu"]}, {"backends": ["reference"]})
CHOICE = re.compile(r"(\w+) .*-> (?:fluid )?(\w+) (\w+)(?: (\w+))? \(")
FAMILY = pathlib.Path("docs/ops/generated/tensor_array.json")


def floats(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def elements_of(array):
    """The elements of an eager array, None where it is empty."""
    found = []
    for i in range(int(sy.array_length(array).numpy()[0])):
        try:
            found.append(sy.array_read(array, i).numpy().copy())
        except ValueError as error:
            assert "i must be a position that was written" in str(error)
            found.append(None)
    return found


class ListTest(unittest.TestCase):
    """Random operators on an array and on a list."""

    def assert_holds(self, array, want):
        got = elements_of(array)
        self.assertEqual(len(got), len(want))
        self.assertEqual(len(array), len(want))
        for one, other in zip(got, want):
            self.assertEqual(one is None, other is None)
            if one is not None:
                np.testing.assert_array_equal(one, other)

    def run_steps(self, dtype, rng):
        array, want = sy.create_array(dtype, element_shape=[-1, 2]), []
        kept = []
        for step in range(30):
            kept.append((array, list(want)))
            if want and want[-1] is not None and step % 5 == 4:
                array, popped = sy.array_pop(array)
                np.testing.assert_array_equal(popped.numpy(), want.pop())
                continue
            at = int(rng.integers(0, len(want) + 2))
            x = rng.integers(0, 9, (int(rng.integers(0, 4)), 2)).astype(dtype)
            array = sy.array_write(sy.tensor(x), at, array)
            want.extend([None] * (at + 1 - len(want)))
            want[at] = x
        kept.append((array, want))
        for one, other in kept:  # What was written later changed none of them.
            self.assert_holds(one, other)

    def test_random_steps(self):
        for policy in POLICIES:
            with sy.policy(**policy):
                for seed, dtype in enumerate(("float32", "int64", "bool")):
                    self.run_steps(dtype, np.random.default_rng(seed))

    def test_joined(self):
        parts = [floats(n, 3, seed=n) for n in (2, 0, 4)]
        alike = [floats(2, 3, seed=n) for n in range(3)]
        for policy in POLICIES:
            with sy.policy(**policy):
                out, sizes = sy.array_to_tensor(sy.create_array("float32", parts))
                np.testing.assert_array_equal(out.numpy(), np.concatenate(parts))
                np.testing.assert_array_equal(sizes.numpy(), [2, 0, 4])
                self.assertEqual(sizes.dtype, "int32")
                array = sy.create_array("float32", alike)
                self.assertEqual((array.kind, array.shape),
                                 ("tensor_array", (3, 2, 3)))
                for axis in (0, 1, 2, -1):
                    out, sizes = sy.array_to_tensor(array, axis, use_stack=True)
                    np.testing.assert_array_equal(out.numpy(),
                                                  np.stack(alike, axis))
                    np.testing.assert_array_equal(sizes.numpy(), [1, 1, 1])
                out, _ = sy.array_to_tensor(array, 1)
                np.testing.assert_array_equal(out.numpy(),
                                              np.concatenate(alike, 1))

    def test_elements_are_copies(self):
        x = sy.tensor(floats(3))
        array = sy.array_write(x, 0)
        kept = x.numpy().copy()
        x.copy_(sy.tensor(np.zeros(3, np.float32)))
        read = sy.array_read(array, 0)
        np.testing.assert_array_equal(read.numpy(), kept)
        read.copy_(x)
        np.testing.assert_array_equal(sy.array_read(array, 0).numpy(), kept)

    def test_pop_of_any_position(self):
        parts = [floats(2, seed=n) for n in range(4)]
        for policy in POLICIES:
            for index in (0, 2, -1, -4):
                with sy.policy(**policy):
                    array, out = sy.array_pop(sy.create_array("float32", parts),
                                              index)
                rest = list(parts)
                np.testing.assert_array_equal(out.numpy(), rest.pop(index))
                self.assert_holds(array, rest)


class ErrorTest(unittest.TestCase):

    def test_values(self):
        array = sy.array_write(sy.tensor(floats(2)), 2)
        empty = sy.create_array("float32")
        for policy in POLICIES:
            with sy.policy(**policy):
                with self.assertRaisesRegex(IndexError, r"i must be in \[0, 3\), got 3"):
                    sy.array_read(array, 3)
                with self.assertRaisesRegex(IndexError, r"i must be in \[0, 3\), got -1"):
                    sy.array_read(array, -1)
                with self.assertRaisesRegex(ValueError, "i must be a position that was "
                                                        "written, got 1"):
                    sy.array_read(array, 1)
                with self.assertRaisesRegex(IndexError, "i must be in .0, 1048576., got"):
                    sy.array_write(sy.tensor(floats(2)), 1 << 40)
                with self.assertRaisesRegex(ValueError, "array must be written at each "
                                                        "position, got nothing at 0"):
                    sy.array_to_tensor(array)
                with self.assertRaisesRegex(ValueError, "of one element or more"):
                    sy.array_to_tensor(sy.create_array("float32", element_shape=[2]))
                nothing, counts = sy.array_to_tensor(
                    sy.create_array("float32", element_shape=[2, -1]), axis=1,
                    use_stack=True)
                self.assertEqual((nothing.shape, counts.shape), ((2, 0, 0), (0,)))
                with self.assertRaisesRegex(IndexError, r"index must be in \[0, 0\)"):
                    sy.array_pop(empty)
                with self.assertRaisesRegex(ValueError, "array must be of elements like"):
                    sy.array_to_tensor(sy.create_array(
                        "float32", [floats(2, 3), floats(2, 4)]))

    def test_types(self):
        array = sy.create_array("float32", [floats(2, 3)])
        with self.assertRaisesRegex(TypeError, "x must be float32, got int64"):
            sy.array_write(sy.tensor(np.zeros((2, 3), np.int64)), 0, array)
        with self.assertRaisesRegex(ValueError, r"x must be .*\[2, 3\]"):
            sy.array_write(sy.tensor(floats(2, 4)), 0, array)
        with self.assertRaisesRegex(TypeError, "numpy: tensor must be dense"):
            array.numpy()
        with self.assertRaisesRegex(TypeError, "requires_grad must be set on"):
            array.requires_grad = True
        with self.assertRaisesRegex(NotImplementedError, "x must be dense, got "
                                                         "tensor_array"):
            sy.relu(array)
        self.assertIn("tensor_array float32[1, 2, 3]", repr(array))

    def test_invalid_samples(self):
        entries = [e for e in samples.yaml.safe_load(
            (samples.FOLDER / "tensor_array.yaml").read_text())]
        raises = {"invalid_argument": ValueError, "type_error": TypeError,
                  "out_of_range": IndexError}
        count = 0
        for entry in entries:
            for row in entry["invalid"]:
                arguments = {name: eager_argument(value)
                             for name, value in row["call"].items()}
                with self.assertRaisesRegex(
                        raises[row["code"]],
                        rf"^{entry['op']}: {row['argument']}\b.* must .*, got "):
                    getattr(sy.ops, entry["op"])(**arguments)
                count += 1
        self.assertGreater(count, 12)


def mixed(xs):
    """A function of tensors [2, 3] that uses every operator."""
    array = sy.create_array("float64", element_shape=[2, 3])
    for i, x in enumerate(xs):
        array = sy.array_write(x * x, i, array)
    array = sy.array_write(xs[0] * 3.0, 1, array)  # The old one is gone.
    twice = sy.array_read(array, 0) + sy.array_read(array, 0)
    shorter, last = sy.array_pop(array)
    stacked, _ = sy.array_to_tensor(array, 1, use_stack=True)
    joined, _ = sy.array_to_tensor(shorter, 0)
    weights = sy.tensor(np.arange(stacked.numpy().size, dtype=np.float64)
                        .reshape(stacked.shape))
    return ((stacked * weights).sum() + sy.tanh(joined).sum()
            + (last * last).sum() + (twice * xs[1]).sum())


class GradientTest(unittest.TestCase):

    def gradients(self, arrays):
        leaves = [sy.tensor(a, requires_grad=True) for a in arrays]
        mixed(leaves).backward()
        return [leaf.grad.numpy().copy() for leaf in leaves]

    def test_central_differences(self):
        rng = np.random.default_rng(4)
        arrays = [rng.normal(size=(2, 3)) for _ in range(4)]
        for policy in POLICIES:
            with sy.policy(**policy):
                for array, got in zip(arrays, self.gradients(arrays)):
                    numeric = np.zeros_like(array)
                    for at in np.ndindex(array.shape):
                        sides = []
                        for step in (1e-6, -1e-6):
                            kept, array[at] = array[at], array[at] + step
                            sides.append(mixed(
                                [sy.tensor(a) for a in arrays]).item())
                            array[at] = kept
                        numeric[at] = (sides[0] - sides[1]) / 2e-6
                    np.testing.assert_allclose(got, numeric, rtol=1e-7, atol=1e-6)

    def test_what_does_not_reach_the_loss_is_zero(self):
        x, y = (sy.tensor(floats(3, seed=s), requires_grad=True) for s in (1, 2))
        array = sy.array_write(y, 1, sy.array_write(x, 0))
        sy.array_read(array, 1).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), np.zeros(3))
        np.testing.assert_array_equal(y.grad.numpy(), np.ones(3))

    def test_elements_of_different_shapes(self):
        parts = [sy.tensor(floats(n, 2, seed=n), requires_grad=True)
                 for n in (1, 3)]
        out, _ = sy.array_to_tensor(sy.create_array("float32", parts))
        weights = floats(4, 2, seed=9)
        (out * sy.tensor(weights)).sum().backward()
        np.testing.assert_array_equal(parts[0].grad.numpy(), weights[:1])
        np.testing.assert_array_equal(parts[1].grad.numpy(), weights[1:])


class KernelTest(unittest.TestCase):

    def test_every_kernel_in_every_dtype(self):
        ran = set()
        for policy in POLICIES:
            # Arrays hold neither complex numbers nor the unsigned integers beside uint8.
            for dtype in (*samples.FLOATS, "bool", "int8", "uint8", "int16", "int32", "int64"):
                with sy.policy(**policy), sy.record_selections() as log:
                    self.run_all(dtype)
                for line in log:
                    op, backend, of, kernel = CHOICE.match(line).groups()
                    ran.add((kernel or op, backend, of))
        arithmetic = json.loads(
            (FAMILY.parent / "arithmetic.json").read_text())
        entries = json.loads(FAMILY.read_text())
        wanted = {(kernel, backend, dtype) for op in entries + arithmetic
                  for kernel, coverage in op["kernels"].items()
                  for backend, dtypes in coverage.items() for dtype in dtypes
                  if op in entries or kernel == "add_arrays"}
        self.assertGreater(len(wanted), 140)
        self.assertEqual([], sorted(wanted - ran))

    def run_all(self, dtype):
        ones = np.ones((2, 2), np.float32)
        xs = [sy.tensor(ones * k, dtype=dtype) for k in (1, 0)]
        for x in xs if dtype in samples.FLOATS else ():
            x.requires_grad = True
        array = sy.create_array(dtype, xs)
        shorter, last = sy.array_pop(array)
        self.assertEqual(sy.array_length(shorter).item(), 1)
        outs = [last, sy.array_read(array, 0), sy.array_to_tensor(array)[0]]
        if dtype in samples.FLOATS:
            sy.grad(outs, xs, [sy.tensor(np.ones(o.shape), dtype=dtype)
                               for o in outs])


if __name__ == "__main__":
    unittest.main()
