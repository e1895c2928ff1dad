# SPDX-License-Identifier: Apache-2.0
"""Kernels that a plugin brings for operators without rules of their own.

Such an operator is written as others, which say what it yields. The plugin's
kernels fill their results with 7. group_norm and instance_norm have kernels and
rules beside their composite: the plugin's comes first.
"""
import json
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 6, 3)).astype(np.float32)
ROW = RNG.normal(size=6).astype(np.float32)
MASK = X > 0.25
PLACES = np.array([[0, 5], [2, 2], [1, 0], [4, 3]])


def rows(x):
    """x as a matrix [4, 6]."""
    return x.sum(axis=[2])


# Operator, its call on X, and which result is compared.
CALLS = {
    "cross": lambda x: sy.ops.cross(x, sy.tensor(X[::-1].copy()), axis=2),
    "dot": lambda x: sy.ops.dot(rows(x), sy.tensor(X[:, :, 0].copy())),
    "group_norm": lambda x: sy.ops.group_norm(x, None, None, groups=3)[0],
    "index_sample": lambda x: sy.ops.index_sample(rows(x), sy.tensor(PLACES)),
    "instance_norm": lambda x: sy.ops.instance_norm(x, None, None)[0],
    "kron": lambda x: sy.ops.kron(rows(x), sy.tensor(X[0].copy())),
    "label_smooth": lambda x: sy.ops.label_smooth(x, None, epsilon=0.1),
    "masked_fill": lambda x: sy.ops.masked_fill(x, sy.tensor(MASK),
                                                sy.tensor(np.float32(2))),
    "masked_select": lambda x: sy.ops.masked_select(x, sy.tensor(MASK)),
    "maxout": lambda x: sy.ops.maxout(x, groups=2),
    "mv": lambda x: sy.ops.mv(rows(x), sy.tensor(ROW)),
    "soft_relu": sy.ops.soft_relu,
}


def gradient(op, x=X):
    """The eager gradient of the sum of the call."""
    leaf = sy.tensor(x, requires_grad=True)
    CALLS[op](leaf).sum().backward()
    return leaf.grad.numpy()


def facts(op, *tensors, **attributes):
    """The candidates that explain names, with their outcomes."""
    told = json.loads(sy.explain(op, *tensors, json=True, **attributes))
    return ([(candidate.get("backend", candidate["kernel"]), candidate["outcome"])
             for candidate in told["candidates"]], told["composed"])


# Those that have kernels without the plugin, and gradients of their own.
WITH_KERNELS = ("group_norm", "instance_norm")

# Before the plugin is there.
VALUES = {op: call(sy.tensor(X)).numpy() for op, call in CALLS.items()}
GRADIENTS = {op: gradient(op) for op in CALLS}
DOUBLE = {op: call(sy.tensor(X.astype("float64"))).numpy()
          for op, call in CALLS.items() if op in ("group_norm", "soft_relu")}
TRACED_BEFORE = static.trace(CALLS["soft_relu"], X)
sy.plugins.load(pathlib.Path("phi/capi/testdata/composed.so"))
OTHERS = sy.policy(backends=["cpu", "onednn"])


def sevens(op):
    """The result of the plugin's kernel: two elements of masked_select."""
    shape = (2,) if op == "masked_select" else VALUES[op].shape
    return np.full(shape, 7, np.float32)


class WrittenOutTest(unittest.TestCase):

    def test_eager(self):
        for op, call in CALLS.items():
            with self.subTest(op):
                for _ in range(2):  # The second call is remembered.
                    with sy.record_selections() as log:
                        got = call(sy.tensor(X))
                    np.testing.assert_array_equal(got.numpy(), sevens(op))
                    said, = [line for line in log if line.startswith(f"{op} ")]
                    self.assertIn("-> sevens float32", said)
                    np.testing.assert_array_equal(call(sy.tensor(X)).numpy(),
                                                  sevens(op))
                with OTHERS:
                    np.testing.assert_array_equal(call(sy.tensor(X)).numpy(),
                                                  VALUES[op])
                with sy.policy(prefer=["composed"]):
                    same = (np.testing.assert_allclose if op in WITH_KERNELS
                            else np.testing.assert_array_equal)
                    same(call(sy.tensor(X)).numpy(), VALUES[op],
                         *((2e-6, 2e-6) if op in WITH_KERNELS else ()))

    def test_programs(self):
        for op, call in CALLS.items():
            with self.subTest(op):
                traced = static.trace(call, X)
                self.assertIn(f"op.{op}", traced.text())
                np.testing.assert_array_equal(traced(X).numpy(), sevens(op))
                self.assertIn("-> sevens float32",
                              "\n".join(traced.selections({"x0": X})))
                with OTHERS:
                    np.testing.assert_array_equal(static.trace(call, X)(X).numpy(),
                                                  VALUES[op])

    # No kernel has the dtype.
    def test_another_dtype(self):
        for op, value in DOUBLE.items():
            x = X.astype("float64")
            np.testing.assert_array_equal(CALLS[op](sy.tensor(x)).numpy(), value)
            np.testing.assert_array_equal(static.trace(CALLS[op], x)(x).numpy(),
                                          value)

    # The others have no backward operator: the composite has gradients.
    def test_a_recorded_call_is_composed(self):
        for op in CALLS:
            with self.subTest(op), OTHERS:
                np.testing.assert_array_equal(gradient(op), GRADIENTS[op])
        leaf = sy.tensor(X, requires_grad=True)
        np.testing.assert_array_equal(CALLS["soft_relu"](leaf).detach().numpy(),
                                      VALUES["soft_relu"])
        for op in WITH_KERNELS:  # Their gradients are theirs, whoever answers.
            np.testing.assert_array_equal(CALLS[op](leaf).detach().numpy(), sevens(op))

    # A program that a gradient is taken through has the bits of eager calls,
    # in a branch too.
    def test_a_differentiated_call_of_a_program_is_composed(self):
        def plain(x):
            y = sy.ops.soft_relu(x)
            grad, = sy.grad((y * sy.tensor(X)).sum(), x, retain_graph=True)
            return y, grad, y + 1

        def branch(x):
            y = static.cond(x.sum() < 1e6, lambda: sy.ops.soft_relu(x), lambda: x)
            return y, sy.grad((y * sy.tensor(X)).sum(), x)[0]

        for function in (plain, branch):
            leaf = sy.tensor(X, requires_grad=True)
            traced = static.trace(function, X)
            self.assertNotIn("soft_relu", "\n".join(traced.selections({"x0": X})))
            for want, got in zip(function(leaf), traced(X)):
                self.assertEqual(want.detach().numpy().tobytes(),
                                 got.numpy().tobytes())
        # A call that depends on nothing with a gradient is the kernel's.
        traced = static.trace(lambda x, z: (sy.ops.soft_relu(z), *plain(x)), X, X)
        out = [each.numpy() for each in traced(X, X)]
        np.testing.assert_array_equal(out[0], sevens("soft_relu"))
        np.testing.assert_array_equal(out[1], VALUES["soft_relu"])

    def test_a_training_step_is_composed(self):
        class Layer(sy.nn.Module):

            def __init__(self):
                super().__init__()
                self.weight = sy.nn.Parameter(sy.tensor(X))

            def forward(self, scale):
                return sy.ops.soft_relu(self.weight) * scale

        model = Layer()
        step = static.train_step(model, lambda out, _: out.sum(),
                                 sy.optim.SGD(model.parameters(), 1.0),
                                 policy=None)
        one = np.ones(1, np.float32)
        self.assertEqual(step(one, one).numpy(),
                         sy.tensor(VALUES["soft_relu"]).sum().numpy())

    def test_explain(self):
        x = sy.tensor(X)
        self.assertEqual(facts("soft_relu", x=x),
                         ([("sevens", "chosen"), ("composed", "not asked")], False))
        with OTHERS:
            self.assertEqual(facts("soft_relu", x=x),
                             ([("sevens", "refused"), ("composed", "chosen")], True))
            self.assertIn("exp", sy.explain("soft_relu", x=x))

    def test_explain_of_kernels_beside_a_composite(self):
        x = sy.tensor(X)
        listed, composed = facts("group_norm", x=x, groups=3)
        self.assertEqual(listed[0], ("sevens", "chosen"))
        self.assertIn(("cpu", "not asked"), listed)
        self.assertEqual((listed[-1], composed), (("composed", "not asked"), False))
        with OTHERS:
            listed, _ = facts("group_norm", x=x, groups=3)
            self.assertIn(("cpu", "chosen"), listed)
            self.assertEqual(listed[-1], ("composed", "not asked"))
        with sy.policy(backends=["sevens"]):
            listed, composed = facts("group_norm", x=sy.tensor(X.astype("float64")),
                                     groups=3)
            self.assertEqual((listed[-1], composed), (("composed", "chosen"), True))

    def test_open_extents(self):
        for op in ("group_norm", "masked_select", "soft_relu"):
            with self.subTest(op):
                traced = static.trace(lambda x, call=CALLS[op]: call(x), X)
                np.testing.assert_array_equal(traced(X).numpy(), sevens(op))
        traced = static.trace(CALLS["soft_relu"], X)
        for count in (4, 2, 7):
            x = np.resize(X, (count,) + X.shape[1:])
            np.testing.assert_array_equal(traced(x).numpy(), np.full_like(x, 7))

    # The words are those of the parts, as before.
    def test_errors(self):
        x = sy.tensor(X)
        with self.assertRaisesRegex(ValueError, "^group_norm: .*groups"):
            sy.ops.group_norm(x, None, None, groups=4)
        with self.assertRaisesRegex((ValueError, TypeError), "^masked_select: "):
            sy.ops.masked_select(x, x)

    def test_a_locked_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/program.sy"
            static.trace(CALLS["maxout"], X).save(path, lock_kernels=True)
            loaded = sy.load(path, strict_kernels=True)
            np.testing.assert_array_equal(loaded(X).numpy(), sevens("maxout"))

    def test_a_program_of_before_holds_the_parts(self):
        np.testing.assert_array_equal(TRACED_BEFORE(X).numpy(),
                                      VALUES["soft_relu"])


if __name__ == "__main__":
    unittest.main()
