# SPDX-License-Identifier: Apache-2.0
"""Tensor.view by PyTorch's rule, which is also that of NumPy's ``array.shape = ...``: a
view of any strides is a view where they allow it, and an error where not; traced as eager."""
import random
import unittest

import numpy as np

import switchyard as sy

ROUNDS = 300


def parts(draw, array):
    """A random view of an array, made by indices and permutations; and the same of what
    has NumPy's subscripts."""
    subscripts = [slice(None)] * array.ndim
    axis = draw.randrange(array.ndim)
    if draw.random() < 0.7:
        subscripts[axis] = slice(draw.randrange(2), None, draw.choice([1, 1, 2]))
    order = list(range(array.ndim))
    if draw.random() < 0.4:
        draw.shuffle(order)

    def taken(x):
        x = x[tuple(subscripts)]
        return x.transpose(order) if order != sorted(order) else x
    return taken


def other_extents(draw, count):
    """Extents of the same number of elements."""
    extents = []
    while count > 1 and len(extents) < 4:
        divisors = [d for d in range(2, count + 1) if count % d == 0]
        extents.append(draw.choice(divisors))
        count //= extents[-1]
    if draw.random() < 0.2:
        extents.insert(draw.randrange(len(extents) + 1), 1)
    return [*extents, count] if count > 1 else extents


def numpy_view(array, extents):
    """The view that NumPy has without a copy; None if there is none."""
    view = array.view()
    try:
        view.shape = extents
    except (AttributeError, ValueError):
        return None
    return view


class ViewRuleTest(unittest.TestCase):

    def test_random_views_are_those_of_numpy(self):
        draw, views, errors = random.Random(5), 0, 0
        for number in range(ROUNDS):
            shape = [draw.choice([1, 2, 3, 4, 6]) for _ in range(draw.randrange(1, 5))]
            base = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
            taken = parts(draw, base)
            extents = other_extents(draw, taken(base).size)
            expected = numpy_view(taken(base), extents)
            call = lambda v: taken(v).view(extents) * 2.0
            with self.subTest(number=number, shape=shape, view=taken(base).strides,
                              extents=extents):
                if taken(base).size == 0:
                    continue
                spec = sy.static.InputSpec(shape)
                if expected is None:
                    errors += 1
                    for run in (lambda: call(sy.tensor(base)),
                                lambda: sy.static.trace(call, spec)):
                        with self.assertRaisesRegex(
                                ValueError, "view: x must be of strides that allow a "
                                r"view of shape \[.*: use reshape\(\)"):
                            run()
                    continue
                views += 1
                np.testing.assert_array_equal(call(sy.tensor(base)).numpy(), expected * 2)
                for examples in (spec, base):  # Of the array the first extent is open.
                    program = sy.static.trace(call, examples)
                    np.testing.assert_array_equal(program(base).numpy(), expected * 2)
        self.assertGreater(views, 100)
        self.assertGreater(errors, 30)

    def test_it_shares_memory_with_what_it_is_a_view_of(self):
        def heads(x):
            x = x * 1.0
            x.split(4, -1)[1].view(2, 3, 2, 2)[:, 1, 0] *= 10.0
            return x

        x = np.arange(48, dtype=np.float32).reshape(2, 3, 8)
        expected = x.copy()
        expected[:, 1, 4:6] *= 10
        np.testing.assert_array_equal(heads(sy.tensor(x)).numpy(), expected)
        np.testing.assert_array_equal(
            sy.static.trace(heads, sy.static.InputSpec([2, 3, 8]))(x).numpy(), expected)

    def test_gradients_go_through(self):
        def loss(x):
            q, k, v = (part.view(2, 3, 2, 2).transpose(1, 2) for part in x.split(4, -1))
            return (sy.softmax(q @ k.transpose(-1, -2), -1) @ v).sum()

        array = np.random.default_rng(0).standard_normal((2, 3, 12)).astype(np.float32)

        def of(view):
            x = sy.tensor(array, requires_grad=True)
            original, sy.Tensor.view = sy.Tensor.view, view
            try:
                loss(x).backward()
            finally:
                sy.Tensor.view = original
            return x.grad.numpy()

        np.testing.assert_array_equal(of(sy.Tensor.view), of(sy.Tensor.reshape))

        class Model(sy.nn.Module):

            def __init__(self):
                super().__init__()
                self.x = sy.nn.Parameter(sy.tensor(array))

            def forward(self, scale):
                return loss(self.x * scale)

        def trained(step_of):
            model = Model()
            optimizer = sy.optim.SGD(model.parameters(), 0.1)
            step = step_of(model, optimizer)
            for _ in range(3):
                step(np.float32(1.5))
            return model.x.numpy()

        def eager(model, optimizer):
            def step(scale):
                optimizer.zero_grad()
                model(sy.tensor(scale)).backward()
                optimizer.step()
            return step

        def static(model, optimizer):
            step = sy.static.train_step(model, lambda out, _: out, optimizer)
            return lambda scale: step(scale, scale)

        np.testing.assert_array_equal(trained(eager), trained(static))

    def test_what_only_a_run_knows_is_an_error_there(self):
        program = sy.static.trace(lambda x: x.transpose(0, 1).view(-1),
                                  sy.static.InputSpec([None, None]))
        np.testing.assert_array_equal(program(np.arange(3, dtype=np.float32)[None]).numpy(),
                                      [0, 1, 2])
        with self.assertRaisesRegex(ValueError, r"x must be of strides that allow a view of "
                                    r"shape \[6\], got float32\[3, 2\]"):
            program(np.zeros((2, 3), np.float32))

    def test_expanded_and_empty_ones(self):
        x = sy.tensor(np.arange(6, dtype=np.float32).reshape(2, 1, 3)).expand(2, 4, 3)
        self.assertEqual(x.view(2, 2, 2, 3).shape, (2, 2, 2, 3))
        with self.assertRaisesRegex(ValueError, "of strides that allow"):
            x.view(8, 3)
        self.assertEqual(sy.zeros(0, 4)[:, 1:].view(3, 0).shape, (3, 0))
        with self.assertRaisesRegex(ValueError, "view: shape must "):
            sy.zeros(4, 4)[:, 1:].view(5, 2)

    def test_halves_and_numbers_of_other_dtypes(self):
        for dtype in ("bfloat16", "float16", "int64", "bool", "complex64"):
            x = sy.ones(2, 8).astype(dtype)[:, 4:]
            self.assertEqual(x.view(2, 2, 2).shape, (2, 2, 2), dtype)
            with self.assertRaisesRegex(ValueError, "of strides that allow"):
                x.view(8)


if __name__ == "__main__":
    unittest.main()
