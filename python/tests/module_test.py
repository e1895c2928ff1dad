# SPDX-License-Identifier: Apache-2.0
"""Module: parameters, buffers, phases, state, text."""
import copy
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn


class Counter(nn.Module):
    """A parameter, a buffer that counts calls, and a shared layer."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(sy.ones(2))
        self.calls = nn.Buffer(sy.zeros(1))
        self.first = nn.Linear(2, 2)
        self.tied = self.first

    def forward(self, x):
        self.calls = self.calls + 1.0
        return self.tied(self.first(x)) * self.scale


class ModuleTest(unittest.TestCase):

    def test_names_in_order_shared_ones_once(self):
        net = Counter()
        self.assertEqual([name for name, _ in net.named_parameters()],
                         ["scale", "first.weight", "first.bias"])
        self.assertEqual([name for name, _ in net.named_buffers()], ["calls"])
        self.assertEqual(len(net.parameters()), 3)
        self.assertTrue(all(p.requires_grad for p in net.parameters()))
        self.assertFalse(net.buffers()[0].requires_grad)

    def test_tied_parameters_are_one(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 3)
                self.last.weight = nn.Parameter(self.first.weight)

            def forward(self, x):
                return self.last(sy.tanh(self.first(x)))
        x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
        runs = []
        for static in (False, True):
            sy.seed(3)
            net = Tied()
            self.assertEqual([name for name, _ in net.named_parameters()],
                             ["first.weight", "first.bias", "last.bias"])
            optimizer = sy.optim.SGD(net.parameters(), 0.1)
            if static:
                step = sy.static.train_step(net, nn.MSELoss(), optimizer)
                step(x, y)
            else:
                nn.MSELoss()(net(sy.tensor(x)), sy.tensor(y)).backward()
                optimizer.step()
            self.assertIs(net.last.weight, net.first.weight)
            runs.append([p.numpy().tobytes() for p in net.parameters()])
        self.assertEqual(runs[0], runs[1])

    def test_parameters_keep_their_identity(self):
        net = Counter()
        self.assertIs(net.scale, net.parameters()[0])
        self.assertIs(net.first.weight, net.first.weight)

    def test_buffers_are_written_in_place(self):
        net = Counter()
        calls = net.calls
        net(sy.ones([1, 2]))
        net(sy.ones([1, 2]))
        self.assertIs(net.calls, calls)
        self.assertEqual(calls.tolist(), [2.0])
        with self.assertRaises(TypeError):
            net.calls = 3.0

    def test_assignment(self):
        net = Counter()
        with self.assertRaisesRegex(TypeError, "nn.Parameter"):
            net.scale = sy.ones(2)
        net.scale = nn.Parameter(np.zeros(2, np.float32))
        self.assertEqual(net.parameters()[0].tolist(), [0.0, 0.0])
        net.scale = None
        self.assertEqual(len(net.parameters()), 2)
        del net.first
        with self.assertRaises(AttributeError):
            net.first
        with self.assertRaisesRegex(AttributeError, "super"):
            class Forgot(nn.Module):
                def __init__(self):
                    self.x = 1
            Forgot()

    def test_registering_is_assigning(self):
        net = nn.Module()
        net.register_parameter("w", sy.ones(2))
        net.register_parameter("none", None)
        net.register_buffer("b", sy.zeros(1))
        net.add_module("inner", nn.Linear(1, 1))
        self.assertEqual(list(net.state_dict()),
                         ["w", "b", "inner.weight", "inner.bias"])
        self.assertIsNone(net.none)

    def test_phases(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5)))
        x = sy.ones([64, 2])
        net.eval()
        self.assertFalse(net[1][0].training)
        np.testing.assert_array_equal(net(x).numpy(), net[0](x).numpy())
        net.train()
        self.assertTrue((net(x).numpy() == 0).any())

        class Frozen(nn.Dropout):
            def train(self, mode=True):
                return super().train(False)
        self.assertFalse(nn.Sequential(Frozen(0.5)).train()[0].training)

    def test_state_dict(self):
        net, other = Counter(), Counter()
        net(sy.ones([1, 2]))
        state = net.state_dict()
        self.assertEqual(list(state), ["scale", "calls", "first.weight",
                                       "first.bias"])
        state["scale"][0] = 5.0
        self.assertEqual(net.scale.tolist(), [1.0, 1.0])
        other.load_state_dict(state)
        self.assertEqual(other.scale.tolist(), [5.0, 1.0])
        self.assertEqual(other.calls.tolist(), [1.0])
        np.testing.assert_array_equal(other.first.weight.numpy(),
                                      net.first.weight.numpy())
        other.load_state_dict({k: v.numpy() for k, v in state.items()})

    def test_load_state_dict_refuses_as_a_whole(self):
        net = Counter()
        before = net.state_dict()
        good = Counter().state_dict()
        for wrong, change in [
                (KeyError, lambda s: s.pop("scale")),
                (KeyError, lambda s: s.update(extra=sy.ones(1))),
                (ValueError, lambda s: s.update(scale=sy.ones(3)))]:
            state = dict(good)
            change(state)
            with self.assertRaises(wrong):
                net.load_state_dict(state)
        with self.assertRaises(ValueError):
            net.load_state_dict({"scale": sy.ones(3)}, strict=False)
        for name, tensor in net.state_dict().items():
            np.testing.assert_array_equal(tensor.numpy(), before[name].numpy())

    def test_load_state_dict_of_a_part(self):
        net = Counter()
        weight = net.first.weight.numpy().copy()
        net.load_state_dict({"scale": np.float32([2, 3]), "extra": sy.ones(1)},
                            strict=False)
        self.assertEqual(net.scale.tolist(), [2.0, 3.0])
        np.testing.assert_array_equal(net.first.weight.numpy(), weight)

    def test_deep_copy(self):
        net = Counter()
        other = copy.deepcopy(net)
        self.assertIs(other.tied, other.first)
        np.testing.assert_array_equal(other.first.weight.numpy(),
                                      net.first.weight.numpy())
        other.scale[0].numpy()[...] = 9.0
        self.assertEqual(net.scale.tolist(), [1.0, 1.0])
        self.assertTrue(other.scale.requires_grad)

    def test_containers(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        net.append(nn.Linear(3, 1))
        self.assertEqual(len(net), 3)
        self.assertEqual([type(layer).__name__ for layer in net],
                         ["Linear", "ReLU", "Linear"])
        self.assertEqual(len(net[:2]), 2)
        self.assertEqual(net(sy.ones([4, 2])).shape, (4, 1))
        layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
        self.assertEqual(len(layers.parameters()), 6)
        with self.assertRaises(NotImplementedError):
            layers(sy.ones([1, 1]))
        net[-1] = nn.Linear(3, 5)
        self.assertEqual(net(sy.ones([4, 2])).shape, (4, 5))
        with self.assertRaisesRegex(TypeError, "layer 1 must be a Module"):
            nn.Sequential(nn.ReLU(), sy.tanh)
        with self.assertRaisesRegex(TypeError, "layer 0 must be a Module"):
            net[0] = sy.tanh
        with self.assertRaises(IndexError):
            net[3] = nn.ReLU()

    def test_repr(self):
        net = nn.Sequential(nn.Linear(4, 2), nn.Sequential(nn.ReLU()),
                            nn.Conv2D(3, 8, 3, padding=1, bias=False))
        self.assertEqual(repr(net), """Sequential(
  (0): Linear(in_features=4, out_features=2, bias=True)
  (1): Sequential(
    (0): ReLU()
  )
  (2): Conv2D(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)
)""")

    def test_apply_children_and_gradients(self):
        net = Counter()
        seen = []
        net.apply(lambda module: seen.append(type(module).__name__))
        self.assertEqual(seen[-1], "Counter")
        net(sy.ones([1, 2])).sum().backward()
        self.assertIsNotNone(net.scale.grad)
        net.zero_grad()
        self.assertIsNone(net.scale.grad)
        net.requires_grad_(False)
        self.assertFalse(net(sy.ones([1, 2])).requires_grad)
        with self.assertRaises(NotImplementedError):
            nn.Module()(1)


class InitTest(unittest.TestCase):

    def test_distributions(self):
        sy.seed(0)
        init = nn.init
        shape = [200, 300]
        for maker, std, bound in [
                (init.Uniform(-2, 2), 4 / 12**0.5, 2.0),
                (init.Normal(0.0, 3.0), 3.0, None),
                (init.XavierUniform(), (2 / 500)**0.5, (6 / 500)**0.5),
                (init.XavierNormal(), (2 / 500)**0.5, None),
                (init.KaimingUniform(), (2 / 200)**0.5, (6 / 200)**0.5),
                (init.KaimingNormal(), (2 / 200)**0.5, None)]:
            with self.subTest(type(maker).__name__):
                elements = maker(shape).numpy()
                self.assertEqual(elements.shape, (200, 300))
                self.assertAlmostEqual(elements.std() / std, 1.0, delta=0.02)
                self.assertAlmostEqual(elements.mean() / std, 0.0, delta=0.02)
                if bound is not None:
                    self.assertLessEqual(abs(elements).max(), bound)
        self.assertEqual(init.Constant(3)([2]).tolist(), [3.0, 3.0])

    def test_fans_of_convolutions(self):
        self.assertEqual(nn.init.fans([8, 4, 3, 3]), (36, 72))

    def test_layers_take_initialisers(self):
        layer = nn.Linear(2, 2, weight_init=nn.init.Constant(2.0),
                          bias_init=nn.init.Zeros())
        self.assertEqual(layer(sy.ones([1, 2])).tolist(), [[4.0, 4.0]])


if __name__ == "__main__":
    unittest.main()
