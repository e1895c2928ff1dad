# SPDX-License-Identifier: Apache-2.0
"""Operators that have kernels and a composite, with the kernels refused
(``sy.policy(decompose=...)``): every sample's values and gradients within the
tolerance of the kernels', eager and traced with the same bits, in place too."""
import unittest

import numpy as np

from tests.samples import samples
from tests.samples.reference_test import (GRADIENT_TOLERANCE, TOLERANCE, gradients, inputs_of,
                                          run, sample_dtype)
import switchyard as sy
from switchyard import static

# Operators of networks that run without a kernel of their own.
LEAST = {
    "batch_norm", "celu", "cross_entropy_with_softmax", "dot_attention", "dropout", "elu",
    "embedding", "gelu", "group_norm", "hardsigmoid", "hardswish", "instance_norm", "layer_norm",
    "leaky_relu", "log_softmax", "logsigmoid", "mean", "mish", "relu6", "rsqrt",
    "sigmoid", "silu", "softmax", "softplus", "swish",
}
# Calls that a composite refuses and a kernel takes.
REFUSED = {"dropout": "dropout: the operator is composed of others in the test phase alone"}


def has_both(op):
    """Whether an operator has kernels and a composite."""
    try:
        sy.policy(decompose=[op])
    except ValueError:
        return False
    return True


def rows():
    """Every variant of the samples of such operators; those that are written as they stand
    first."""
    for op, of_op in samples.load("valid").items():
        if has_both(op):
            for row in of_op:
                for sample in samples.variants(row):
                    yield row, sample


class DecomposeTest(unittest.TestCase):

    def compare(self, got, want, scaled):
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertEqual(a is None, b is None)
            if a is None:
                continue
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            rtol, atol = TOLERANCE.get(a.dtype, (0, 0))
            if scaled:
                rtol = 0
                atol = GRADIENT_TOLERANCE[a.dtype] * max(
                    1.0, float(np.max(np.abs(b.numpy()), initial=0)))
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol, atol)

    def both(self, call, row, sample):
        """Results of the reference kernels and of the composite; None where they refuse alike."""
        try:
            want = call(sample, backends=["reference"])
        except (NotImplementedError, TypeError, ValueError):
            self.assertNotEqual(row, sample, str(sample))
            return None
        try:
            return want, call(sample, decompose=[sample.op])
        except NotImplementedError as error:
            self.assertIn(REFUSED.get(sample.op, "no operator refuses"), str(error))
            return None

    def test_values(self):
        seen = set()
        for row, sample in rows():
            with self.subTest(str(sample)):
                found = self.both(run, row, sample)
                if found is not None:
                    self.compare(found[1], found[0], False)
                    seen.add(sample.op)
        if samples.ONLY is None:
            self.assertEqual(LEAST - seen, set())
            self.assertGreaterEqual(len(seen), 29)

    def test_gradients_are_those_of_the_entry(self):
        for row, sample in rows():
            if row.gradient and sample.op[-1] != "_":
                with self.subTest(str(sample)):
                    found = self.both(gradients, row, sample)
                    if found is not None:
                        self.compare(found[1], found[0], True)

    def test_no_kernel_of_theirs_runs(self):
        for row, sample in rows():
            if row is not sample and row != sample:
                continue
            with self.subTest(str(sample)), sy.record_selections() as log:
                try:
                    run(sample, decompose=[sample.op])
                except NotImplementedError:
                    continue
            self.assertNotIn(sample.op, {line.split()[0] for line in log})

    def test_programs_have_the_bits_of_eager(self):
        count = 0
        for row, sample in rows():
            if row != sample or sample_dtype(sample) is None:
                continue
            tensors, _ = inputs_of(sample, False)
            if any(isinstance(value, (list, tuple)) or value is None or "rng" == name
                   for name, value in tensors.items()):
                continue
            names, policy = list(tensors), sy.policy(decompose=[sample.op])

            def call(*values, sample=sample, names=names):
                return samples.flat(getattr(sy.ops, sample.op)(
                    **dict(zip(names, values)), **sample.attributes()))

            with self.subTest(str(sample)):
                try:
                    with policy:
                        want = call(*tensors.values())
                except NotImplementedError:
                    continue
                traced = static.trace(call, *tensors.values(), policy=policy)
                got = samples.flat(traced(*tensors.values()))
                for a, b in zip(got, want):
                    self.assertEqual(a.numpy().tobytes(), b.numpy().tobytes())
                count += 1
        samples.check_count(self, count, 60)

    def test_in_place(self):
        """Writes the target, is the target, moves its version and has the gradient."""
        count = 0
        for row, sample in rows():
            name = sample.op + "_"
            tensors, _ = inputs_of(sample, False)
            if row != sample or not hasattr(sy.ops, name) or list(tensors) != ["x"]:
                continue
            with self.subTest(str(sample)), sy.policy(decompose=[sample.op]):
                x = tensors["x"]
                want = getattr(sy.ops, sample.op)(x, **sample.attributes()).numpy()
                if x.dtype not in samples.FLOATS:
                    continue
                # Every other element of a row of memory.
                apart = sy.stack([x.clone(), x.clone()], -1)[..., 0]
                for target in (x.clone(), apart):
                    got = getattr(sy.ops, name)(target, **sample.attributes())
                    self.assertIs(got, target)
                    self.assertEqual(target.numpy().tobytes(), want.tobytes())
                leaf = x.clone()
                leaf.requires_grad = True
                apart = getattr(sy.ops, sample.op)(leaf, **sample.attributes())
                dx, = sy.grad([apart.sum()], [leaf])
                inside = leaf * 1.0
                getattr(sy.ops, name)(inside, **sample.attributes())
                again, = sy.grad([inside.sum()], [leaf])
                np.testing.assert_array_equal(again.numpy(), dx.numpy())
                count += 1
        samples.check_count(self, count, 15)

    def test_in_place_refuses_what_the_gradient_needs(self):
        x = sy.tensor(np.ones(3, np.float32), requires_grad=True)
        with sy.policy(decompose=["softplus"]):
            y = x * 1.0
            z = sy.exp(y)  # Its gradient reads z.
            sy.ops.softplus_(z)
            with self.assertRaisesRegex(RuntimeError, "version|written|in place"):
                z.sum().backward()
                sy.grad([z.sum()], [x])

    def test_refusals(self):
        for op in ("relu", "linear", "no_such_operator"):
            with self.assertRaisesRegex(
                    ValueError, "policy: decompose must be of operators with kernels and a "
                    f"composite, got '{op}'"):
                sy.policy(decompose=[op])
        with sy.policy(decompose=["softmax"]), self.assertRaisesRegex(
                IndexError, "softmax: axis must be"):
            sy.softmax(sy.ones([2, 3]), 2)

    def test_as_text(self):
        text = str(sy.policy(decompose=["softmax", "gelu"]))
        for backend in ("cpu", "onednn", "reference"):
            self.assertIn(f"off={backend}:gelu+softmax", text)
        said = sy.explain("softmax", policy="decompose=softmax", x="float32[2, 3]", axis=1)
        self.assertIn("operator must be none that the policy keeps off cpu (softmax)", said)
        self.assertIn("chosen: composed: it runs as", said)


if __name__ == "__main__":
    unittest.main()
