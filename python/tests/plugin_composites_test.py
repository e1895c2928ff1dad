# SPDX-License-Identifier: Apache-2.0
"""Kernels that a plugin brings for operators that are composed of others.

The plugin's kernels fill their results with 7.
"""
import json
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

X = np.array([[0.5, 2, 0.25], [3, 4, 1], [1, 0.5, 8]], np.float32)
LABELS = np.array([[0], [2], [1]])
EDGES = np.array([0, 1, 2])

# Operators whose gradient is composed.
GRADIENTS = ("relu6", "leaky_relu", "hardswish", "exp", "sqrt", "square", "sin",
             "cos", "softplus", "elu", "mish", "multiply")
FORWARD = {
    "cross_entropy": lambda x: sy.ops.cross_entropy(x, sy.tensor(LABELS)),
    "cvm": lambda x: sy.ops.cvm(x, sy.tensor(X[:, :2])),
    "frobenius_norm": lambda x: sy.ops.frobenius_norm(x, axis=[1]),
    "logsumexp": lambda x: sy.ops.logsumexp(x, axis=[1]),
    "p_norm": lambda x: sy.ops.p_norm(x, porder=3.0),
    "sigmoid_cross_entropy_with_logits":
        lambda x: sy.ops.sigmoid_cross_entropy_with_logits(x, sy.tensor(X), None),
    "slogdet": sy.ops.slogdet,
    "send_u_recv":
        lambda x: sy.ops.send_u_recv(x, sy.tensor(EDGES), sy.tensor(EDGES))[0],
}


def forward(op):
    """The call of an operator of one argument."""
    if op == "multiply":
        return lambda x: sy.ops.multiply(x, sy.tensor(X))
    return getattr(sy.ops, op)


def gradient(op, x=X):
    """The eager gradient of the sum of op(x)."""
    leaf = sy.tensor(x, requires_grad=True)
    forward(op)(leaf).sum().backward()
    return leaf.grad.numpy()


class Applied(sy.nn.Module):
    """op(weight) * scale of a parameter."""

    def __init__(self, op, x):
        super().__init__()
        self.op, self.weight = op, sy.nn.Parameter(sy.tensor(x))

    def forward(self, scale):
        return forward(self.op)(self.weight) * scale


def step_gradient(op, x=X, policy=None):
    """Returns what a step of SGD with rate 1, as a program, takes from x."""
    model = Applied(op, x)
    step = static.train_step(model, lambda out, _: out.sum(),
                             sy.optim.SGD(model.parameters(), 1.0), policy=policy)
    one = np.ones(1, x.dtype)
    step(one, one)
    return x - model.weight.numpy()


# Before the plugin is there: what the composites compute, and a graph that
# keeps no elements of `X`, since nothing asks for the gradient of the other.
COMPOSED = {op: gradient(op) for op in GRADIENTS + ("log",)}
STEPS = {op: step_gradient(op) for op in GRADIENTS + ("log",)}
VALUES = {op: call(sy.tensor(X)).numpy() for op, call in FORWARD.items()}
LEAF_BEFORE = sy.tensor(X, requires_grad=True)
SUM_BEFORE = forward("multiply")(LEAF_BEFORE).sum()
TRACED_BEFORE = static.trace(FORWARD["p_norm"], X)
PLUGIN = sy.plugins.load(pathlib.Path("phi/capi/testdata/composed.so"))
OTHERS = sy.policy(backends=["cpu", "onednn"])


def chosen(op, **arguments):
    """The outcome of each candidate, and whether the call is composed."""
    facts = json.loads(sy.explain(op, json=True, **arguments))
    return ([(candidate.get("backend", candidate["kernel"]), candidate["outcome"])
             for candidate in facts["candidates"]], facts["composed"])


class PluginCompositesTest(unittest.TestCase):

    def test_gradients(self):
        for op in GRADIENTS:
            with self.subTest(op):
                with sy.record_selections() as log:
                    got = gradient(op)
                np.testing.assert_array_equal(got, np.full_like(X, 7))
                self.assertIn(f"{op}_grad ", log[-1])
                self.assertIn("-> sevens float32", log[-1])
                with OTHERS:
                    np.testing.assert_array_equal(gradient(op), COMPOSED[op])
                # No kernel has the dtype.
                np.testing.assert_allclose(gradient(op, X.astype("float64")),
                                           COMPOSED[op], rtol=1e-5)

    def test_gradients_in_programs(self):
        for op in GRADIENTS:
            with self.subTest(op):
                np.testing.assert_array_equal(step_gradient(op),
                                              X - (X - np.float32(7)))
                np.testing.assert_array_equal(
                    step_gradient(op, policy=OTHERS), STEPS[op])
                np.testing.assert_allclose(step_gradient(op, X.astype("float64")),
                                           COMPOSED[op], rtol=1e-5)

    def test_forward(self):
        for op, call in FORWARD.items():
            with self.subTest(op):
                with sy.record_selections() as log:
                    got = call(sy.tensor(X))
                sevens = np.full_like(VALUES[op], 7)
                np.testing.assert_array_equal(got.numpy(), sevens)
                said, = [line for line in log if line.startswith(f"{op} ")]
                self.assertIn("-> sevens float32", said)
                traced = static.trace(call, X)
                np.testing.assert_array_equal(traced(X).numpy(), sevens)
                self.assertIn("-> sevens float32",
                              "\n".join(traced.selections({"x0": X})))
                with OTHERS:
                    np.testing.assert_array_equal(call(sy.tensor(X)).numpy(),
                                                  VALUES[op])
                    np.testing.assert_array_equal(static.trace(call, X)(X).numpy(),
                                                  VALUES[op])

    # The entry's backward operator, which has no kernel here, is the gradient
    # of the plugin's kernel too.
    def test_a_gradient_belongs_to_the_entry(self):
        leaf = sy.tensor(X, requires_grad=True)
        out = FORWARD["logsumexp"](leaf)
        np.testing.assert_array_equal(out.numpy(), np.full(3, 7, np.float32))
        out.sum().backward()
        np.testing.assert_allclose(leaf.grad.numpy(), np.exp(X - np.float32(7)),
                                   rtol=1e-6)

    # A kernel of a gradient has no gradient, so a recorded call takes the
    # composite.
    def test_second_order(self):
        leaf = sy.tensor(X, requires_grad=True)
        (first,) = sy.grad(sy.sin(leaf).sum(), leaf, create_graph=True)
        np.testing.assert_allclose(first.numpy(), np.cos(X), rtol=1e-6)
        with OTHERS:  # The composite's own gradients have kernels, too.
            (second,) = sy.grad(first.sum(), leaf)
        np.testing.assert_allclose(second.numpy(), -np.sin(X), rtol=1e-6)

    def test_second_order_in_programs(self):
        def twice(x):
            first = sy.grad(sy.sin(x).sum(), x, create_graph=True)[0]
            with OTHERS:
                return first, sy.grad(first.sum(), x)[0]

        traced = static.trace(twice, X)
        want = twice(sy.tensor(X, requires_grad=True))
        got = traced(X)
        self.assertEqual(got[0].numpy().tobytes(),
                         want[0].detach().numpy().tobytes())
        self.assertNotIn("sin_grad", "\n".join(traced.selections({"x0": X})))

    def test_explain(self):
        x = sy.tensor(X)
        self.assertEqual(chosen("exp_grad", out=x, out_grad=x),
                         ([("sevens", "chosen"), ("composed", "not asked")], False))
        text = sy.explain("exp_grad", out=x, out_grad=x)
        self.assertRegex(text, r"1\. sevens float32 sevens \(.*composed_plugin\.c")
        self.assertIn("  2. composed\n       not asked\n", text)
        with OTHERS:
            self.assertEqual(chosen("exp_grad", out=x, out_grad=x),
                             ([("sevens", "refused"), ("composed", "chosen")], True))
            text = sy.explain("exp_grad", out=x, out_grad=x)
            self.assertIn("chosen: composed: it runs as 1 call\n", text)
            self.assertIn("multiply float32[3, 3], float32[3, 3]", text)
        with sy.policy(prefer=["composed"]):
            self.assertEqual(chosen("exp_grad", out=x, out_grad=x), ([], True))
            self.assertIn("preferred: composed",
                          sy.explain("exp_grad", out=x, out_grad=x))
            np.testing.assert_array_equal(gradient("exp"), COMPOSED["exp"])
            np.testing.assert_array_equal(step_gradient("exp"), STEPS["exp"])

    def test_a_condition_refuses_the_kernel(self):
        narrow = X[:1]
        np.testing.assert_array_equal(gradient("log"), np.full_like(X, 7))
        np.testing.assert_array_equal(gradient("log", narrow), COMPOSED["log"][:1])
        # The gradient of the product with `scale` is 7.
        np.testing.assert_allclose(step_gradient("log", narrow),
                                   7 * STEPS["log"][:1], rtol=1e-5)
        x = sy.tensor(narrow)
        self.assertEqual(chosen("log_grad", x=x, out_grad=x),
                         ([("sevens", "refused"), ("composed", "chosen")], True))
        self.assertIn("extent(x, 0) must be at least 2, got 1",
                      sy.explain("log_grad", x=x, out_grad=x))

    # Whether the kernel serves hangs on an extent that is not known when the
    # program is lowered, and no other kernel comes after it.
    def test_an_open_condition_composes(self):
        log_gradient = lambda x: sy.grad(sy.log(x).sum(), x)[0]
        traced = static.trace(log_gradient, X)
        self.assertNotIn("sevens", "\n".join(traced.selections()))
        np.testing.assert_array_equal(traced(X).numpy(), COMPOSED["log"])
        exp_gradient = lambda x: sy.grad(sy.exp(x).sum(), x)[0]
        traced = static.trace(exp_gradient, X)
        np.testing.assert_array_equal(traced(X).numpy(), np.full_like(X, 7))
        np.testing.assert_array_equal(traced(X[:2]).numpy(),
                                      np.full_like(X[:2], 7))

    def test_a_locked_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/program.sy"
            static.trace(FORWARD["p_norm"], X).save(path, lock_kernels=True)
            loaded = sy.load(path, strict_kernels=True)
            np.testing.assert_array_equal(loaded(X).numpy(),
                                          np.full(3, 7, np.float32))

    def test_a_graph_that_was_recorded_before(self):
        SUM_BEFORE.backward()
        np.testing.assert_array_equal(LEAF_BEFORE.grad.numpy(), X)

    def test_a_program_keeps_the_kernels_that_it_was_compiled_for(self):
        np.testing.assert_array_equal(TRACED_BEFORE(X).numpy(), VALUES["p_norm"])


if __name__ == "__main__":
    unittest.main()
