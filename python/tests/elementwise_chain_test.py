# SPDX-License-Identifier: Apache-2.0
"""Chains of elementwise operators that run block by block: the bits of eager."""

import unittest
import warnings

import numpy as np
import switchyard as sy

FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int8", "uint8", "int16", "int32", "int64"]
COMPLEX = ["complex64", "complex128"]

# Shapes, each with some of operands that are broadcast to it.
SHAPES = [
    ((400000,), [(1,), ()]),
    ((3, 140000), [(140000,), (3, 1), (1, 1), ()]),
    ((7, 60, 1000), [(1000,), (60, 1), (7, 1, 1000), (7, 1, 1), (1, 60, 1)]),
    ((100001, 5), [(5,), (100001, 1)]),
    ((2, 1, 250000), [(2, 1, 1), (250000,)]),
]

UNARY = {
    "float": [lambda a: -a, abs, sy.tanh, sy.exp, sy.sign, sy.relu, sy.sqrt,
              lambda a: sy.clip(a, -1.5, 1.0), lambda a: a * 0.5 - 1.0],
    "integer": [lambda a: -a, abs, sy.sign, lambda a: a * 3,
                lambda a: sy.clip(a, -3, 7)],
    "complex": [lambda a: -a, lambda a: a * 0.5, sy.conj, sy.exp],
}
BINARY = {
    "float": [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b,
              lambda a, b: a / b, sy.maximum, sy.minimum],
    "integer": [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b,
                sy.maximum, sy.minimum],
    "complex": [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b],
}


def kind_of(dtype):
    if dtype in COMPLEX:
        return "complex"
    return "float" if dtype in FLOATS else "integer"


def numbers(random, shape, dtype):
    """A tensor of ``shape``; of floating ones some are NaN, infinite, -0.0."""
    values = random.standard_normal(shape) * 3
    if dtype in COMPLEX:
        return sy.tensor((values + 1j * random.standard_normal(shape)).astype(dtype))
    if dtype in FLOATS:
        values = np.asarray(values)
        for odd in (np.nan, np.inf, -np.inf, -0.0):
            values[random.random(shape) < 0.01] = odd
        return sy.tensor(values.astype(np.float32)).astype(dtype)
    return sy.tensor((np.abs(values) if dtype == "uint8" else values).astype(dtype))


def bits(tensor):
    return tensor.contiguous().numpy().tobytes()


class ElementwiseChainTest(unittest.TestCase):

    def check(self, function, arguments, steps=None, results_only=False):
        """Compares a program with eager calls; the former is one step of
        ``steps`` calls, if that is given."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            program = sy.static.trace(
                function, *arguments,
                names=[f"x{i}" for i in range(len(arguments))])
            eager = function(*arguments)
        feeds = {f"x{i}": value for i, value in enumerate(arguments)}
        eager = eager if isinstance(eager, (tuple, list)) else [eager]
        text = program.explain(feeds)
        for threads in (1, 2):
            sy.set_num_threads(threads)
            got = list(program.run(feeds, tensors=True).values())
            self.assertEqual(len(got), len(eager))
            for ours, expected in zip(got, eager):
                self.assertEqual(ours.shape, expected.shape)
                self.assertEqual(bits(ours), bits(expected))
        if steps is not None:
            line = "one step, block by block, with: "
            found = [t for t in text.splitlines() if t.startswith(line)]
            self.assertEqual(len(found), steps, text[-2000:])
        return program, feeds

    def tearDown(self):
        sy.set_num_threads(2)

    def test_random_trees(self):
        for number, dtype in enumerate(FLOATS + INTEGERS + COMPLEX):
            random = np.random.default_rng(number)
            shape, others = SHAPES[number % len(SHAPES)]
            kind = kind_of(dtype)
            operands = [numbers(random, shape, dtype), numbers(random, shape, dtype)]
            operands += [numbers(random, other, dtype) for other in others]
            plan = [(int(random.integers(100)), int(random.integers(100)),
                     int(random.integers(100)), bool(random.integers(3)))
                    for _ in range(14)]

            def tree(*operands, plan=plan, kind=kind):
                made = [operands[0] + operands[1]]
                for which, left, right, binary in plan:
                    a = made[-1 - left % min(len(made), 3)]
                    if binary:
                        pool = made[-2:] + list(operands)
                        functions = BINARY[kind]
                        made.append(functions[which % len(functions)](
                            a, pool[right % len(pool)]))
                    else:
                        functions = UNARY[kind]
                        made.append(functions[which % len(functions)](a))
                return made[-1], made[len(made) // 2]

            with self.subTest(dtype=dtype, shape=shape):
                program, feeds = self.check(tree, operands)
                self.assertIn("one step, block by block", program.explain(feeds))

    def test_casts_and_masks(self):
        random = np.random.default_rng(1)
        x = numbers(random, (300001,), "float32")
        y = numbers(random, (300001,), "float32")

        def chain(x, y):
            wide = (x.astype("float64") + 1e-9) * y.astype("float64")
            half = wide.astype("float16") + x.astype("float16")
            whole = half.astype("int32") + 3
            return ((half.astype("float32") > y).astype("float32") * x
                    + whole.astype("float32"))

        self.check(chain, [x, y], steps=15)

    def test_reductions_of_what_a_chain_computes(self):
        reductions = {
            "float": [lambda a, axis, keep: sy.sum(a, axis, keepdim=keep),
                      lambda a, axis, keep: sy.mean(a, axis, keepdim=keep),
                      lambda a, axis, keep: sy.amax(a, axis, keepdim=keep),
                      lambda a, axis, keep: sy.amin(a, axis, keepdim=keep)],
            "integer": [lambda a, axis, keep: sy.sum(a, axis, keepdim=keep)],
            "complex": [lambda a, axis, keep: sy.sum(a, axis, keepdim=keep)]}
        shapes = [((400, 1000), [-1]), ((31, 15, 1000), [1]), ((31, 15, 1000), [1, 2]),
                  ((31, 17, 1000), [2]), ((1, 300, 2000), [2]), ((700, 3, 1, 300), [1, 3]),
                  ((40, 16384), [1]), ((300001, 1), [1]), ((5, 1, 90000, 2), [-1])]
        for number, (shape, axis) in enumerate(shapes):
            for dtype in ["float32", FLOATS[1 + number % 3], INTEGERS[number % 5],
                          COMPLEX[number % 2]]:
                random = np.random.default_rng(number)
                x = numbers(random, shape, dtype)
                for keep in (False, True):
                    for reduce in reductions[kind_of(dtype)]:
                        with self.subTest(shape=shape, axis=axis, dtype=dtype):
                            program, feeds = self.check(
                                lambda x: reduce(x * x + x, axis, keep), [x])
                            text = program.explain(feeds)
                            self.assertEqual(text.count("one step, block by block"), 3)

    def test_what_is_reduced_apart(self):
        random = np.random.default_rng(5)
        x = numbers(random, (300, 2000), "float32")
        for function, steps in [
                (lambda x: (x * x + x).sum(), 2),       # All of it.
                (lambda x: (x * x + x).sum(0), 2),      # Across blocks.
                (lambda x: sy.exp(x * x + x).mean([1]) * 2.0, 4),
                (lambda x: (x + 1.0).reshape([-1, 100]).sum(-1), 0)]:
            self.check(function, [x], steps=steps)
        # Rows that are longer than a block.
        y = numbers(random, (4, 100000), "float32")
        self.check(lambda y: (y * y + y).sum(-1), [y], steps=2)

    def test_norm_by_hand(self):
        random = np.random.default_rng(6)
        x = numbers(random, (500, 768), "float32")
        weight = numbers(random, (768,), "float32")

        def norm(x, weight):
            centred = x - x.mean(-1, keepdim=True)
            variance = (centred * centred).mean(-1, keepdim=True)
            return centred * sy.rsqrt(variance + 1e-5) * weight, variance
        self.check(norm, [x, weight], steps=3 + 2)

    def test_small_tensors_stay_single_steps(self):
        for shape in [(0,), (), (1,), (3, 0), (1000,), (2, 3, 5)]:
            random = np.random.default_rng(3)
            x = numbers(random, shape, "float32")
            self.check(lambda x: sy.exp(x) * 2.0 + x, [x], steps=0)

    def test_what_others_read_is_whole(self):
        random = np.random.default_rng(4)
        x = numbers(random, (512, 1024), "float32")
        y = numbers(random, (512, 1024), "float32")

        def function(x, y):
            a = sy.tanh(x) * y
            b = a + 1.0
            total = sy.sum(a, axis=0)
            c = b * total - sy.transpose(b, [1, 0]).reshape([512, 1024])
            return c * 2.0, a

        self.check(function, [x, y])

    def test_strided_views_and_expanded_operands(self):
        random = np.random.default_rng(5)
        x = numbers(random, (600, 700), "float32")
        row = numbers(random, (600, 1), "float32")

        def function(x, row):
            turned = sy.transpose(x, [1, 0])
            a = turned * 2.0 + turned
            b = a - sy.transpose(sy.expand(row, [600, 700]), [1, 0])
            return sy.maximum(b, turned)

        self.check(function, [x, row])

    def test_open_extents(self):
        program = sy.static.trace(
            lambda a, b: sy.clip((a + b) * b, -1.0, 1.0) - a,
            sy.static.InputSpec([None, 64], name="a"),
            sy.static.InputSpec([64], name="b"))
        random = np.random.default_rng(6)
        b = numbers(random, (64,), "float32")
        for rows in (0, 1, 7, 8191, 8192, 30001):
            a = numbers(random, (rows, 64), "float32")
            got = program.run({"a": a, "b": b}, tensors=True)["out"]
            self.assertEqual(bits(got), bits(sy.clip((a + b) * b, -1.0, 1.0) - a))

    def test_an_integer_that_is_zero_is_named_by_its_operator(self):
        x = sy.ones([500000], dtype="int32")
        y = np.ones(500000, np.int32)
        y[499999] = 0
        program = sy.static.trace(lambda x, y: ((x + 1) * x) // y - 3, x, y,
                                  names=["x", "y"])
        with self.assertRaisesRegex(Exception, "floor_divide: y"):
            program.run({"x": x, "y": y})
        out = program.run({"x": x, "y": x})["out"]
        np.testing.assert_array_equal(out, -1)

    def test_an_anomaly_is_found_and_named(self):
        x = np.ones(500000, np.float32)
        program = sy.static.trace(lambda x: sy.log(x - 1.0 + x) * 2.0, x, names=["x"],
                                  detect_anomaly=True)
        np.testing.assert_array_equal(program.run({"x": x})["out"], 0.0)
        x[7] = 0
        with self.assertRaisesRegex(FloatingPointError, "log: .*NaN"):
            program.run({"x": x})

    def test_profile_has_each_kernel(self):
        x = np.ones(500000, np.float32)
        program = sy.static.trace(lambda x: sy.exp(x * 2.0) + x, x, names=["x"])
        profile = program.profile({"x": x})
        self.assertEqual([step.op for step in profile.steps],
                         ["multiply", "exp", "add"])

    def test_training_step(self):
        """A norm written by hand, its gradients, and an optimizer's step."""
        random = np.random.default_rng(7)
        data = random.standard_normal((600, 512)).astype(np.float32)
        labels = random.standard_normal((600, 512)).astype(np.float32)

        class Net(sy.nn.Module):

            def __init__(self):
                super().__init__()
                self.layer = sy.nn.Linear(512, 512)

            def forward(self, x):
                hidden = self.layer(x)
                centred = hidden - sy.mean(hidden, axis=1, keepdim=True)
                square = sy.mean(centred * centred, axis=1, keepdim=True)
                norm = centred / sy.sqrt(square + 1e-5)
                return sy.tanh(norm * 0.5) * norm + sy.relu(norm)

        def loss(output, labels):
            return sy.mean(sy.abs(output - labels) * sy.exp(-output * output))

        def made():
            sy.seed(0)
            net = Net()
            return net, sy.optim.Adam(net.parameters(), lr=1e-2)

        net, optimizer = made()
        for _ in range(3):
            value = loss(net(sy.tensor(data)), sy.tensor(labels))
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
        ours, optimizer = made()
        step = sy.static.train_step(ours, loss, optimizer)
        for _ in range(3):
            got = step(data, labels)
        self.assertEqual(bits(got.detach()), bits(value.detach()))
        for (_, a), (_, b) in zip(net.named_parameters(), ours.named_parameters()):
            self.assertEqual(bits(a.detach()), bits(b.detach()))
        text = step.program.explain({"inputs": data, "labels": labels})
        self.assertIn("one step, block by block", text)


if __name__ == "__main__":
    unittest.main()
