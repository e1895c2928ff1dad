# SPDX-License-Identifier: Apache-2.0
"""Operators that are made of others and name a gradient: an eager call and a
program have the same one, where a part of what they are made of has none too."""
import json
import pathlib
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import _core


def made_of_others():
    """Forward operators without kernels that name a backward operator."""
    return {op["name"]
            for path in pathlib.Path("docs/ops/generated").glob("*.json")
            for op in json.loads(path.read_text())
            if not op["forward"] and op["backward"] and not op["kernels"]}


def zeroed(array):
    return np.zeros_like(array)


def tied(array):
    return np.full_like(array, 0.5)


def partly_zero(array):
    changed = np.array(array, order="C")
    changed.reshape(-1)[::2] = 0
    return changed


def infinite(array):
    changed = np.array(array, order="C")
    changed.reshape(-1)[:1] = -np.inf
    return changed


def changed(arrays, change):
    def each(array):
        floating = np.issubdtype(array.dtype, np.floating)
        return np.array(change(array) if floating else array, order="C")
    return {name: each(array) for name, array in arrays.items()}


def eager_gradients(sample, arrays):
    """(whether an output takes a gradient, for each; the gradients by name)."""
    inputs = {name: sy.tensor(array) for name, array in arrays.items()}
    leaves = {name: x for name, x in inputs.items()
              if x.dtype.startswith("float")}
    for x in leaves.values():
        x.requires_grad = True
    outputs = samples.flat(getattr(sy.ops, sample.op)(**inputs,
                                                      **sample.attributes()))
    takes = [o.requires_grad for o in outputs]
    live = [o for o in outputs if o.requires_grad]
    weights = [sy.tensor(samples.weights_for(o).astype(o.dtype)) for o in live]
    found = sy.grad(live, list(leaves.values()), weights, allow_unused=True)
    return takes, dict(zip(leaves, found))


def program_gradients(sample, arrays, takes):
    builder = _core.GraphBuilder(sample.op)
    inputs = {name: builder.feed(name, list(array.shape),
                                 samples.dtype_of(array))
              for name, array in arrays.items()}
    outputs = samples.flat(getattr(sy.ops, sample.op)(**inputs,
                                                      **sample.attributes()))
    loss = None
    for output in [o for o, one in zip(outputs, takes) if one]:
        weights = sy.tensor(samples.weights_for(output).astype(output.dtype))
        part = (output * weights).sum()
        loss = part if loss is None else loss + part
    names = [name for name, value in inputs.items()
             if value.dtype.startswith("float")]
    found = builder.gradients(loss, [inputs[name] for name in names])
    for name, gradient in zip(names, found):
        if gradient is not None:
            builder.fetch(name, gradient)
    feeds = {name: sy.tensor(array) for name, array in arrays.items()}
    return builder.finish().run(feeds, _core.State())


class OneGradientTest(unittest.TestCase):

    def check(self, sample, arrays):
        takes, eager = eager_gradients(sample, arrays)
        program = program_gradients(sample, arrays, takes)
        for name, gradient in eager.items():
            if gradient is None:
                self.assertNotIn(name, program)
            else:
                np.testing.assert_array_equal(program[name], gradient.numpy())

    def test_samples(self):
        names = made_of_others()
        self.assertLessEqual({"logsumexp", "p_norm", "cross_entropy2"}, names)
        valid = samples.load("valid")
        count = 0
        for name in sorted(names):
            if not samples.wanted(name):
                continue
            for sample in valid[name]:
                arrays = samples.arrays_of(sample)
                # NumPy has no bfloat16, integers have no gradients.
                dtypes = {samples.dtype_of(a) for a in arrays.values()}
                if "bfloat16" in dtypes or not dtypes & {
                        "float16", "float32", "float64"}:
                    continue
                for change in (np.asarray, zeroed, tied, partly_zero, infinite):
                    # A singular matrix has no determinant to differentiate.
                    if name == "slogdet" and change is not np.asarray:
                        continue
                    with self.subTest(str(sample), change=change.__name__):
                        self.check(sample, changed(arrays, change))
                        count += 1
        samples.check_count(self, count, 100)

    def gradient(self, function, array):
        x = sy.tensor(np.asarray(array, np.float32), requires_grad=True)
        function(x).sum().backward()
        return x.grad.tolist()

    def test_where_a_part_has_no_gradient(self):
        ops = sy.ops
        self.assertEqual(self.gradient(ops.p_norm, [0, 0]), [0, 0])
        self.assertEqual(self.gradient(
            lambda x: ops.p_norm(x, porder=3.0), [0, 0]), [0, 0])
        self.assertEqual(self.gradient(ops.frobenius_norm, [[0, 0]]), [[0, 0]])
        self.assertEqual(self.gradient(ops.logsumexp, [1, 1]), [0.5, 0.5])
        label = sy.tensor(np.array([1, 0.25], np.float32))
        self.assertEqual(self.gradient(
            lambda x: ops.sigmoid_cross_entropy_with_logits(x, label), [0, 0]),
            [-0.5, 0.25])
        classes = sy.tensor(np.array([[0]]))
        for function in (ops.cross_entropy,
                         lambda x, y: ops.cross_entropy2(x, y)[0]):
            self.assertEqual(self.gradient(
                lambda x: function(x, classes), [[0, 1]]), [[-np.inf, 0]])


if __name__ == "__main__":
    unittest.main()
