# SPDX-License-Identifier: Apache-2.0
"""Operators that Python functions make: eager, traced, explained."""
import gc
import pathlib
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np

import switchyard as sy
from switchyard import static


@sy.custom_op
def cube(x, *, factor=1.0):
    """factor * x^3."""
    return factor * x ** 3


@cube.backward
def _(x, out_grad, *, factor):
    return 3 * factor * x ** 2 * out_grad


@sy.custom_op(outputs=["product", "total"])
def product_and_sum(x, y, sign: int = 1, *, axes: list[int] = (0,)):
    return x * y * sign, (x + y).sum(axis=tuple(axes), dtype=x.dtype)


@product_and_sum.infer
def _(x, y, sign, *, axes):
    kept = [extent for i, extent in enumerate(x.shape) if i not in axes]
    return x, sy.TensorSpec(kept, x.dtype)


@product_and_sum.backward
def _(x, y, product_grad, total_grad, sign, axes):
    total_grad = np.expand_dims(total_grad, tuple(axes))
    return (product_grad * y * sign + total_grad,
            product_grad * x * sign + total_grad)


@sy.custom_op(takes="tensors")
def normalized(x: sy.Tensor):
    return x / sy.sum(x)


@normalized.backward
def _(x, out, out_grad):
    return (out_grad - sy.sum(out_grad * out)) / sy.sum(x)


@sy.custom_op
def described(x, *, flag: bool = True, names: list[str] = ("a", "b, c"),
              weights=(0.5, 2.0), limit: int | float = 3,
              numbers: list[int | float] = (1, 2.5),
              dtype: np.dtype = np.dtype("float64"),
              dtypes: list[np.dtype] = ()):
    """x and a number made of the attributes."""
    seen.append((flag, names, weights, limit, numbers, dtype, dtypes))
    return x + sum(weights) * len(names) + limit


# The attributes of each call of `described`.
seen = []


def run(program, *arrays):
    """The program's one result."""
    (result,) = program.run(
        {f"x{i}": array for i, array in enumerate(arrays)}).values()
    return result


def numeric_gradient(function, arrays, i, step=1e-6):
    """Central differences of a function of float64 arrays by array i."""
    grad = np.zeros_like(arrays[i])
    for at in np.ndindex(grad.shape):
        values = []
        for sign in (1, -1):
            moved = [array.copy() for array in arrays]
            moved[i][at] += sign * step
            values.append(function(*map(sy.tensor, moved)).item())
        grad[at] = (values[0] - values[1]) / (2 * step)
    return grad


class Checks(unittest.TestCase):

    def check_gradients(self, function, *arrays):
        """Gradients of a scalar against differences."""
        leaves = [sy.tensor(array, requires_grad=True) for array in arrays]
        function(*leaves).backward()

        for i, (leaf, array) in enumerate(zip(leaves, arrays)):
            expected = numeric_gradient(function, arrays, i)
            np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-6,
                                       atol=1e-8)


class EagerTest(Checks):

    def test_numpy_widens_scalars(self):
        x = sy.tensor(2.0, requires_grad=True)
        y = cube(x, factor=0.5)
        y.backward()
        self.assertEqual((y.dtype, y.item(), x.grad.item()),
                         ("float32", 4.0, 6.0))

    def test_values_and_names(self):
        x = np.array([[1.0, -2.0]], np.float32)
        np.testing.assert_array_equal(cube(sy.tensor(x)).numpy(), x ** 3)
        np.testing.assert_array_equal(cube(x, factor=2.0).numpy(), 2 * x ** 3)
        self.assertIs(sy.ops.cube, cube._function)
        self.assertEqual(cube.__name__, "cube")
        self.assertEqual(sy.ops.cube.__doc__, "factor * x^3.")

    def test_dtypes_and_strides(self):
        for dtype in ("float16", "float64", "int32", "int64"):
            x = np.arange(6).reshape(2, 3).astype(dtype)
            out = product_and_sum(sy.tensor(x), sy.tensor(x))[0]
            self.assertEqual(out.dtype, dtype)
            np.testing.assert_array_equal(out.numpy(), x * x)
        x = sy.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
        np.testing.assert_array_equal(
            cube(sy.transpose(x, [1, 0])).numpy(), x.numpy().T ** 3)

    def test_bfloat16_goes_by_float32(self):
        x = sy.tensor([1.5, 2.0], dtype="bfloat16")
        out = cube(x)
        self.assertEqual(out.dtype, "bfloat16")
        self.assertEqual(out.numpy().tolist(), [3.375, 8.0])

    def test_outputs_and_attributes(self):
        x = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
        product, total = product_and_sum(x, x, -1, axes=[0, 2])
        np.testing.assert_array_equal(product.numpy(), -x * x)
        np.testing.assert_array_equal(total.numpy(), (2 * x).sum(axis=(0, 2)))

    def test_attributes_of_every_type(self):
        given = dict(flag=False, names=("x", 'say "no"'), weights=[1.5],
                     limit=0.25, numbers=[True, 7, 0.5], dtype="int32",
                     dtypes=["int8", "bool"])
        defaults = (True, ["a", "b, c"], [0.5, 2.0], 3, [1, 2.5], "float64", [])
        told = (False, ["x", 'say "no"'], [1.5], 0.25, [True, 7, 0.5], "int32",
                ["int8", "bool"])
        x = np.zeros(2, np.float32)
        for attrs, values, result in (({}, defaults, 8), (given, told, 3.25)):
            program = static.trace(lambda x: described(x, **attrs), x)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "program"
                program.save(path)
                loaded = static.load(path)
            for call in (lambda: described(sy.tensor(x), **attrs).numpy(),
                         lambda: run(program, x), lambda: run(loaded, x)):
                for _ in range(2):
                    seen.clear()
                    np.testing.assert_array_equal(call(), x + result)
                    self.assertEqual(seen, [values])
                    self.assertEqual([*map(type, seen[0][4])],
                                     [*map(type, values[4])])
        for attrs, message in (
                (dict(names="abc"), "names must be a list, got 'abc'"),
                (dict(names=[1]), "names must be text, got 1"),
                (dict(weights=["a"]), "weights must be a number, got 'a'"),
                (dict(dtypes=["int9"]), "dtypes must be .*, got int9")):
            with self.assertRaisesRegex((TypeError, ValueError), message):
                described(sy.tensor(x), **attrs)

    def test_gradients(self):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
        weight = sy.tensor(rng.normal(size=(3, 4)))
        self.check_gradients(
            lambda x: sy.sum(cube(x, factor=0.5) * weight), x)

        def both(x, y):
            product, total = product_and_sum(x, y, -1)
            return sy.sum(product * weight) + sy.sum(total * total)

        self.check_gradients(both, x, y)
        self.check_gradients(
            lambda x: sy.sum(normalized(x) * weight), np.abs(x) + 1)

    def test_one_output_unused_one_input_constant(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        product, _ = product_and_sum(x, sy.tensor([3.0, 4.0]))
        sy.sum(product).backward()
        self.assertEqual(x.grad.tolist(), [3.0, 4.0])

    def test_only_what_backward_names_is_kept(self):
        @sy.custom_op
        def forgets(x):
            return x + 1

        @forgets.backward
        def _(out_grad):
            return out_grad

        # A write to what is not kept is no harm.
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        y = x * 1.0
        z = sy.sum(forgets(y))
        y += 1.0
        z.backward()
        self.assertEqual(x.grad.tolist(), [1.0, 1.0])

    def test_none_is_zero_and_no_backward_is_no_gradient(self):
        @sy.custom_op
        def first_only(x, y):
            return x + y

        x, y = (sy.tensor([1.0], requires_grad=True) for _ in range(2))
        self.assertFalse(first_only(x, y).requires_grad)
        first_only.backward(lambda out_grad: (out_grad, None))
        first_only(x, y).backward()
        self.assertEqual((x.grad.tolist(), y.grad.tolist()), ([1.0], [0.0]))

    def test_inside_the_function_nothing_is_recorded(self):
        seen = []

        @sy.custom_op(takes="tensors")
        def looks(x):
            seen.append(sy.is_grad_enabled())
            return x * 2.0

        looks(sy.tensor([1.0], requires_grad=True))
        self.assertEqual(seen, [False])
        self.assertTrue(sy.is_grad_enabled())

    def test_empty_results(self):
        self.assertEqual(cube(sy.ones([0, 3])).shape, (0, 3))

    def test_selection_names_the_function(self):
        x = sy.ones([2])
        with sy.record_selections() as log:
            cube(x)
        self.assertRegex(log[0], r"cube float32\[2\] factor=1.0 -> python float32 "
                                 r"\(.*custom_op_test\.py:\d+\)")
        text = sy.explain(cube, x="float32[2]", factor=2.0)
        self.assertIn("python float32", text)
        self.assertIn("chosen: python", text)
        with self.assertRaisesRegex(NotImplementedError, "cube: no kernel"):
            with sy.policy(backends=["cpu"]):
                cube(sy.ones([2]))


class ProgramTest(unittest.TestCase):

    def test_traced_with_unknown_extents(self):
        program = static.trace(
            lambda x, y: product_and_sum(x, y, axes=[1])[1],
            static.InputSpec([None, 3], "float64"),
            static.InputSpec([None, 3], "float64"))
        for rows in (1, 5):
            x = np.arange(3.0 * rows).reshape(rows, 3)
            np.testing.assert_array_equal(run(program, x, x),
                                          (2 * x).sum(axis=1))
        self.assertIn("op.product_and_sum", program.text())
        self.assertIn("chosen: python float64", program.explain())

    def test_train_step_has_the_bits_of_eager(self):
        class Model(sy.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = sy.nn.Linear(4, 1)

            def forward(self, x):
                return cube(self.linear(x), factor=0.5)

        rng = np.random.default_rng(0)
        x = rng.normal(size=(8, 4)).astype(np.float32)
        y = rng.normal(size=(8, 1)).astype(np.float32)
        weights = []
        for in_program in (False, True):
            sy.seed(3)
            model = Model()
            optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.05)
            loss = sy.nn.MSELoss()
            if in_program:
                step = static.train_step(model, loss, optimizer)
            for _ in range(5):
                if in_program:
                    step(x, y)
                    continue
                optimizer.zero_grad()
                loss(model(sy.tensor(x)), sy.tensor(y)).backward()
                optimizer.step()
            weights.append(model.linear.weight.numpy().copy())
        np.testing.assert_array_equal(*weights)

    def test_from_several_threads(self):
        program = static.trace(lambda x: cube(x) + 1.0,
                               static.InputSpec([1000]))
        x = np.linspace(0, 1, 1000, dtype=np.float32)
        failures = []

        def work():
            for _ in range(20):
                if not np.array_equal(run(program, x), x ** 3 + np.float32(1)):
                    failures.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_saved_and_loaded(self):
        program = static.trace(lambda x: cube(x, factor=2.0),
                               np.ones(3, np.float32))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program"
            program.save(path)
            loaded = static.load(path)
        np.testing.assert_array_equal(
            run(loaded, np.full(3, 2, np.float32)),
            np.full(3, 16, np.float32))

    def test_control_flow(self):
        program = static.trace(
            lambda x: static.cond(sy.sum(x) > 0, lambda: cube(x),
                                  lambda: x), static.InputSpec([2]))
        for x in ([1.0, 2.0], [-1.0, -2.0]):
            array = np.array(x, np.float32)
            np.testing.assert_array_equal(
                run(program, array), array ** 3 if array.sum() > 0 else array)


class LifetimeTest(unittest.TestCase):

    def test_a_second_definition_takes_the_place_of_the_first(self):
        def define(number):
            @sy.custom_op(name="redefined")
            def function(x):
                return x + number
            return function

        x = sy.ones([1])
        first = define(1)
        self.assertEqual(first(x).tolist(), [2.0])
        second = define(2)
        self.assertEqual(second(x).tolist(), [3.0])
        self.assertEqual(sy.ops.redefined(x).tolist(), [3.0])
        with self.assertRaisesRegex(ValueError, "must keep its parameters"):
            sy.custom_op(lambda x, y: x, name="redefined")

    def test_references_come_out_even(self):
        x = sy.ones([4])
        cube(x)
        alive = []

        @sy.custom_op
        def watches(x):
            alive.append(weakref.ref(x))
            return x * 2

        watches(x)
        gc.collect()
        self.assertIsNone(alive[0]())
        program = static.trace(cube, static.InputSpec([4]))
        array = np.ones(4, np.float32)
        run(program, array)
        before = sys.getrefcount(cube._forward)
        for _ in range(100):
            cube(x)
            run(program, array)
        self.assertEqual(sys.getrefcount(cube._forward), before)

    def test_many_operators(self):
        x = sy.ones([1])
        for i in range(100):
            op = sy.custom_op(lambda x, i=i: x + np.float32(i),
                              name=f"numbered_{i}")
            self.assertEqual(op(x).tolist(), [1.0 + i])
        self.assertEqual(cube(x).tolist(), [1.0])
        self.assertEqual(sy.relu(x).tolist(), [1.0])


if __name__ == "__main__":
    unittest.main()
