# SPDX-License-Identifier: Apache-2.0
"""An embedding with SelectedRows gradients trains as a dense one does."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn


OPTIMIZERS = {
    "sgd": lambda ps: sy.optim.SGD(ps, 0.5),
    "decay": lambda ps: sy.optim.SGD(ps, 0.5, weight_decay=0.1),
    "value": lambda ps: sy.optim.SGD(
        ps, 0.5, clip=sy.optim.ClipGradByValue(0.05)),
    "norm": lambda ps: sy.optim.SGD(
        ps, 0.5, clip=sy.optim.ClipGradByNorm(0.1)),
    "global": lambda ps: sy.optim.SGD(
        ps, 0.5, clip=sy.optim.ClipGradByGlobalNorm(0.1)),
    "momentum": lambda ps: sy.optim.Momentum(ps, 0.5),
    "adam": lambda ps: sy.optim.Adam(ps, 0.1),
    "adamw": lambda ps: sy.optim.AdamW(ps, 0.1)}


def plain(sparse):
    """An embedding that is looked up once."""
    return nn.Sequential(nn.Embedding(6, 4, padding_idx=1, sparse=sparse),
                         nn.Flatten(), nn.Linear(12, 2))


class Shared(nn.Module):
    """A table that is looked up twice and, if ``tied``, multiplied by too."""

    def __init__(self, sparse, tied=False):
        super().__init__()
        self.table = nn.Embedding(6, 4, sparse=sparse)
        self.out = nn.Linear(12, 2)
        self.tied = tied

    def forward(self, x):
        first = self.table(x)
        both = first + self.table(5 - x) * first
        if self.tied:
            both = both + (both @ self.table.weight.T).sum(-1).reshape(2, 3, 1)
        return self.out(both.reshape(2, 12))


class Scaled(nn.Module):
    """A table whose weight is computed: its gradient flows on."""

    def __init__(self, sparse):
        super().__init__()
        self.weight = nn.Parameter(nn.init.Normal()([6, 4]))
        self.out, self.sparse = nn.Linear(12, 2), sparse

    def forward(self, x):
        rows = sy.ops.embedding(x, self.weight * self.weight,
                                sparse=self.sparse)
        return self.out(rows.reshape(2, 12))


class Branching(nn.Module):
    """A table that is looked up before, in and after a branch and a loop."""

    def __init__(self, sparse):
        super().__init__()
        self.table = nn.Embedding(6, 4, sparse=sparse)
        self.out = nn.Linear(12, 2)

    def forward(self, x):
        h = self.table(x)
        h = sy.static.cond(h.sum() < 0.0, lambda: h * self.table(5 - x),
                           lambda: h + self.table(x))
        _, h = sy.static.while_loop(
            lambda i, h: i < 3,
            lambda i, h: (i + 1, sy.tanh(h + self.table(x) * h)),
            (sy.tensor(0), h))
        return self.out((h + self.table(x)).reshape(2, 12))


class SparseTest(unittest.TestCase):

    IDS = np.array([[0, 3, 3], [1, 3, 0]])
    LABELS = np.array([1, 0])

    def train(self, make, sparse, static=False, build=plain):
        sy.seed(2)
        model = build(sparse)
        optimizer, loss = make(model.parameters()), nn.CrossEntropyLoss()
        step = sy.static.train_step(model, loss, optimizer)
        for _ in range(4):
            if static:
                step(self.IDS, self.LABELS)
                continue
            optimizer.zero_grad()
            loss(model(sy.tensor(self.IDS)), sy.tensor(self.LABELS)).backward()
            if build is plain:
                self.assertEqual(model[0].weight.grad.is_selected_rows, sparse)
            optimizer.step()
        optimizer.zero_grad()
        self.assertIsNone(next(iter(model.parameters())).grad)
        self.step = step
        return [p.numpy().copy() for p in model.parameters()]

    def test_every_optimizer(self):
        for name, make in OPTIMIZERS.items():
            dense = self.train(make, False)
            for static in (False, True):
                with self.subTest(name, static=static):
                    sparse = self.train(make, True, static)
                    for got, want in zip(sparse, dense):
                        np.testing.assert_allclose(got, want, 1e-5, 1e-6)

    def test_programs_give_the_bits_of_eager(self):
        for build in (plain, Shared, lambda sparse: Shared(sparse, True),
                      Scaled):
            for name, make in OPTIMIZERS.items():
                with self.subTest(name):
                    eager = self.train(make, True, build=build)
                    static = self.train(make, True, static=True, build=build)
                    for got, want in zip(static, eager):
                        np.testing.assert_array_equal(got, want)

    def test_through_branches_and_loops(self):
        for name in ("sgd", "adam"):
            with self.subTest(name):
                dense = self.train(OPTIMIZERS[name], False, build=Branching)
                for sparse in (False, True):
                    static = self.train(OPTIMIZERS[name], sparse, static=True,
                                        build=Branching)
                    for got, want in zip(static, dense):
                        np.testing.assert_allclose(got, want, 1e-4, 1e-6)

    def test_a_program_keeps_rows(self):
        self.train(OPTIMIZERS["sgd"], True, static=True, build=Shared)
        program = self.step.program
        feeds = {"inputs": self.IDS, "labels": self.LABELS}
        lines = program.selections(feeds)
        chosen = [line.split("-> ")[1].split(" (")[0] for line in lines]
        self.assertIn("cpu float32 embedding_sparse_grad", chosen)
        self.assertIn("cpu float32 add_selected_rows", chosen)
        self.assertIn("cpu float32 sgd_selected_rows", chosen)
        self.assertNotIn("cpu float32 embedding_grad", chosen)
        self.assertIn("refused: weight_grad must be dense, got selected_rows",
                      program.explain())

    def lazily_stepped(self, gradients, table):
        """Adam's formula over the rows that each gradient has."""
        table, moments, squares = table.copy(), *np.zeros((2, *table.shape))
        for step, (rows, grad) in enumerate(gradients, 1):
            for row in rows:
                moments[row] = 0.9 * moments[row] + 0.1 * grad[row]
                squares[row] = 0.999 * squares[row] + 0.001 * grad[row]**2
                deviation = np.sqrt(squares[row] / (1 - 0.999**step))
                table[row] -= 0.1 * (moments[row] / (1 - 0.9**step) /
                                     (deviation + 1e-8))
        return table

    def test_lazy_adam_steps_the_rows_that_were_looked_up(self):
        batches = [np.array(ids) for ids in ([1, 4, 1], [0, 4, 4], [2, 2, 1])]
        factors = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
        start = np.random.default_rng(0).normal(size=(6, 2))
        gradients = []
        for ids in batches:
            grad = np.zeros((6, 2))
            np.add.at(grad, ids, factors)
            gradients.append((sorted(set(ids)), grad))
        trained = []
        for static in (False, True):
            layer = nn.Embedding(6, 2, sparse=True)
            layer.weight.copy_(sy.tensor(start.astype(np.float32)))
            optimizer = sy.optim.Adam(layer.parameters(), 0.1, lazy_mode=True)
            loss = lambda out, y: (out * y).sum()
            step = sy.static.train_step(layer, loss, optimizer)
            for ids in batches:
                if static:
                    step(ids, factors)
                    continue
                optimizer.zero_grad()
                loss(layer(sy.tensor(ids)), sy.tensor(factors)).backward()
                optimizer.step()
            trained.append(layer.weight.numpy().copy())
        np.testing.assert_array_equal(*trained)
        np.testing.assert_allclose(trained[0],
                                   self.lazily_stepped(gradients, start), 1e-5)
        np.testing.assert_array_equal(trained[0][[3, 5]],
                                      start.astype(np.float32)[[3, 5]])
        lines = step.program.selections({"inputs": ids, "labels": factors})
        self.assertTrue(any("-> cpu float32 adam_selected_rows" in line
                            for line in lines), lines)

    def test_lazy_adam_refuses_what_makes_gradients_dense(self):
        for wrong in ({"weight_decay": 0.1},
                      {"clip": sy.optim.ClipGradByValue(1.0)}):
            with self.assertRaisesRegex(ValueError, "Adam: lazy_mode takes"):
                sy.optim.Adam([sy.ones(2)], lazy_mode=True, **wrong)
        with self.assertRaisesRegex(TypeError, "with lazy_mode, got float16"):
            sy.optim.Adam([sy.ops.cast(sy.ones(2), "float16")], lazy_mode=True)

    def test_rows_leave_a_program(self):
        builder = sy._core.GraphBuilder("rows")
        index = builder.feed("index", [2], "int64")
        weight = builder.feed("weight", [4, 2], "float32")
        loss = sy.ops.sum(sy.ops.embedding(index, weight, -1, True))
        gradient, = builder.gradients(loss, [weight])
        self.assertTrue(gradient.is_selected_rows)
        builder.fetch("rows", gradient)
        rows = builder.finish().run({"index": np.array([3, 1]),
                                     "weight": np.ones((4, 2), np.float32)})["rows"]
        self.assertTrue(rows.is_selected_rows)
        np.testing.assert_array_equal(rows.rows, [3, 1])
        np.testing.assert_array_equal(rows.values.numpy(), np.ones((2, 2)))

    def test_global_norm(self):
        layer = nn.Embedding(5, 2, sparse=True)
        self.assertEqual(repr(layer), "Embedding(5, 2, sparse=True)")
        layer(sy.tensor([4, 1, 4])).sum().backward()
        self.assertAlmostEqual(sy.optim.global_norm([layer.weight.grad]),
                               10 ** 0.5)


if __name__ == "__main__":
    unittest.main()
