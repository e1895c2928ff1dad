# SPDX-License-Identifier: Apache-2.0
"""ShardedOptimizer: who steps what, and that parts of parameters step as the whole."""

import unittest
from unittest import mock

import numpy as np

import switchyard as sy
from switchyard.distributed import sharded_optimizer


class ShardedOptimizerTest(unittest.TestCase):

    def test_each_process_has_its_share_of_the_state(self):
        for count, sizes in ((2, [100] * 8), (3, [1000, 5, 0, 95]), (4, [9] * 4), (4, [2, 2]),
                             (2, [0]), (3, [0, 4, 0])):
            shares = sharded_optimizer._even_shares(sizes, count)
            loads = [sum(each.size for each in shares if each.rank == rank)
                     for rank in range(count)]
            self.assertLessEqual(max(loads) - min(loads), 1)
            for number, size in enumerate(sizes):  # All elements, in order.
                own = [each for each in shares if each.number == number]
                self.assertEqual([0, *[each.end for each in own]],
                                 [*[each.begin for each in own], size])
            self.assertEqual([each.rank for each in shares],
                             sorted(each.rank for each in shares))
        for count, sizes in ((2, [100] * 8), (3, [50, 50, 100, 100]), (4, [9] * 4)):
            shares = sharded_optimizer._whole_shares(sizes, count)
            loads = [sum(each.size for each in shares if each.rank == rank)
                     for rank in range(count)]
            self.assertLessEqual(max(loads), sum(sizes) / count * 1.05)

    def test_parts_of_parameters_step_as_the_whole(self):
        random = np.random.default_rng(4)
        values = [random.normal(size=shape) for shape in ((7, 5), (3,), (40,))]
        gradients = [[random.normal(size=each.shape) for each in values] for _ in range(4)]
        for make in (sy.optim.SGD, sy.optim.Momentum, sy.optim.Adam, sy.optim.AdamW,
                     sy.optim.RMSprop, sy.optim.Adagrad, sy.optim.Adadelta,
                     sy.optim.Adamax, sy.optim.NAdam, sy.optim.RAdam, sy.optim.Rprop,
                     sy.optim.ASGD, sy.optim.Lamb, sy.optim.Adafactor):
            for dtype in ("float32", "bfloat16"):
                ends = []
                for count in (1, 4):
                    parameters = [sy.nn.Parameter(sy.tensor(each, dtype)) for each in values]
                    optimizers = self.shards_of(make, parameters, count)
                    for each in gradients:
                        for parameter, gradient in zip(parameters, each):
                            parameter.grad = sy.tensor(gradient, dtype)
                        for optimizer in optimizers:
                            optimizer.step()
                    ends.append([each.to("float32").numpy().tobytes() for each in parameters])
                with self.subTest(make.__name__, dtype=dtype):
                    self.assertEqual(*ends)

    def test_fewer_elements_than_processes_are_shared_out_alike(self):
        parameters = [sy.nn.Parameter(sy.tensor([1.0, 2.0, 3.0]))]
        made = self.shards_of(sy.optim.Lamb, parameters, 4)
        self.assertEqual(len({tuple(each._shares) for each in made}), 1)

    def test_states_of_parts_say_where_they_lie(self):
        # Cut at 2 and 4 of 5, and at 1 of 3: parts have one element, too.
        parameters = [sy.nn.Parameter(sy.tensor(np.ones([1, 5]), "float32")),
                      sy.nn.Parameter(sy.tensor(np.ones(3), "complex64"))]
        found = {}
        for each in self.shards_of(sy.optim.Adam, parameters, 4):
            runs = each.state_runs()
            self.assertLessEqual(runs.keys(), each.state_dict().keys())
            for name, (shape, begin) in runs.items():
                size = each.state_dict()[name].size
                found.setdefault((name, shape), []).append((begin, begin + size))
        self.assertEqual(found, {
            ("0.moment1", (1, 5)): [(0, 2), (2, 4), (4, 5)],
            ("0.moment2", (1, 5)): [(0, 2), (2, 4), (4, 5)],
            ("1.moment1", (3, 2)): [(0, 2), (2, 6)],
            ("1.moment2", (3, 2)): [(0, 2), (2, 6)]})

    def shards_of(self, make, parameters, count):
        """The ShardedOptimizers of ``count`` ranks, of the same parameters: none has to
        receive what another one has stepped."""
        made = []
        for rank in range(count):
            class Group:
                size = count
            group = Group()
            group.rank = rank
            with mock.patch.object(sharded_optimizer, "group_or_none", lambda: group):
                made.append(sharded_optimizer.ShardedOptimizer(make, parameters))
            made[-1]._group = None
        return made

    def test_sharded_optimizer_is_the_plain_one(self):
        random = np.random.default_rng(2)
        x, y = random.normal(size=(24, 6)).astype(np.float32), random.integers(0, 3, 24)
        criterion, ends = sy.nn.CrossEntropyLoss(), []
        for sharded in (False, True):
            sy.seed(5)
            net = sy.nn.Sequential(sy.nn.Linear(6, 8), sy.nn.Tanh(), sy.nn.Linear(8, 3))

            def make(parameters):
                return sy.optim.AdamW(parameters, learning_rate=0.1)

            optimizer = (sy.distributed.ShardedOptimizer(make, net.parameters())
                         if sharded else make(net.parameters()))
            for _ in range(3):
                optimizer.zero_grad()
                criterion(net(sy.tensor(x)), sy.tensor(y)).backward()
                optimizer.step()
            ends.append([each.numpy().tolist() for each in net.parameters()])
        self.assertEqual(*ends)
        for bad, kind in ((lambda own: sy.optim.SGD(
                own, 0.1, clip=sy.optim.ClipGradByGlobalNorm(1.0)), ValueError),
                          (lambda own: None, TypeError)):
            with self.assertRaises(kind):
                sy.distributed.ShardedOptimizer(bad, net.parameters())
        with self.assertRaises(ValueError):
            sy.distributed.ShardedOptimizer(make, [])


if __name__ == "__main__":
    unittest.main()
