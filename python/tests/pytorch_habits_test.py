# SPDX-License-Identifier: Apache-2.0
"""Habits of scripts of PyTorch: parameters as tensors, packed sequences, normalised
weights, checkpoints, matrices of derivatives."""
import copy
import pickle
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, optim
from switchyard.nn.utils import parametrizations, parametrize, rnn
from switchyard.utils.checkpoint import checkpoint, checkpoint_sequential


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


class ParameterTest(unittest.TestCase):

    def test_it_is_a_tensor(self):
        p = nn.Parameter(sy.tensor([1.0, 2.0]))
        self.assertIsInstance(p, sy.Tensor)
        self.assertIsInstance(p, nn.Parameter)
        self.assertNotIsInstance(sy.tensor([1.0], requires_grad=True), nn.Parameter)
        self.assertNotIsInstance(p.detach(), nn.Parameter)
        self.assertNotIsInstance(3, nn.Parameter)
        self.assertTrue(p.is_leaf and p.requires_grad)
        self.assertEqual(p.shape, (2,))
        np.testing.assert_array_equal((2.0 * p).tolist(), [2.0, 4.0])
        np.testing.assert_allclose(sy.exp(p).numpy(), np.exp([1.0, 2.0]), rtol=1e-6)
        np.testing.assert_allclose(p.exp().sum().item(), np.exp([1.0, 2.0]).sum(),
                                   rtol=1e-6)
        (p * p).sum().backward()
        np.testing.assert_array_equal(p.grad.numpy(), [2.0, 4.0])

    def test_it_takes_what_a_leaf_takes(self):
        p = nn.Parameter(sy.tensor(3.0))
        optimizer = optim.LBFGS([p])
        for _ in range(3):
            def closure():
                optimizer.zero_grad()
                loss = (p - 1.0) ** 2
                loss.backward()
                return loss
            optimizer.step(closure)
        self.assertAlmostEqual(p.item(), 1.0, 4)
        self.assertEqual(nn.init.zeros_(p).item(), 0.0)
        self.assertIs(nn.Parameter(p), p)

    def test_modules_train_it(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(sy.ones([2]))
                self.other = sy.ones([2])
                self.leaf = sy.tensor([1.0], requires_grad=True)
                self.fixed = nn.Parameter(sy.ones([1]), requires_grad=False)
        net = Net()
        self.assertEqual([name for name, _ in net.named_parameters()], ["w", "fixed"])
        self.assertIsInstance(net.w, nn.Parameter)
        self.assertFalse(net.fixed.requires_grad)
        other = nn.Linear(2, 2)
        net.tied = other.weight  # A parameter of another module is one here.
        self.assertIs(net.tied, other.weight)
        self.assertIn("tied", dict(net.named_parameters()))
        net.register_parameter("late", sy.zeros([1]))
        self.assertIsInstance(net.late, nn.Parameter)
        net.double()
        self.assertIsInstance(net.w, nn.Parameter)
        self.assertEqual(net.w.dtype, "float64")

    def test_copies_are_parameters(self):
        p = nn.Parameter(sy.tensor([1.0, 2.0]))
        for made in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
            self.assertIsInstance(made, nn.Parameter)
            self.assertTrue(made.requires_grad)
            self.assertIsNot(made, p)
            np.testing.assert_array_equal(made.numpy(), p.numpy())
        net = copy.deepcopy(nn.Linear(2, 2))
        self.assertIsInstance(net.weight, nn.Parameter)

    def test_of_what_was_computed(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        p = nn.Parameter(x * 2.0)
        self.assertTrue(p.is_leaf)
        with self.assertRaisesRegex(TypeError, "Parameter: requires_grad must be a "
                                    "bool"):
            nn.Parameter(x, requires_grad="yes")


class PackedTest(unittest.TestCase):

    def test_lengths_and_packing_agree(self):
        x, lengths = normal(3, 5, 4), [5, 2, 3]
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            layer = kind(4, 6, batch_first=True, bidirectional=True)
            packed = rnn.pack_padded_sequence(sy.tensor(x), lengths, batch_first=True,
                                              enforce_sorted=False)
            got, state = layer(packed)
            self.assertIsInstance(got, rnn.PackedSequence)
            padded, counts = rnn.pad_packed_sequence(got, batch_first=True)
            expected, final = layer(sy.tensor(x), lengths=sy.tensor(lengths))
            np.testing.assert_array_equal(padded.numpy(), expected.numpy())
            first = (lambda s: s[0] if isinstance(s, tuple) else s)
            np.testing.assert_array_equal(first(state).numpy(), first(final).numpy())
            self.assertEqual(counts.tolist(), lengths)

    def test_time_first_and_trimmed(self):
        x = normal(6, 2, 3)
        packed = rnn.pack_padded_sequence(sy.tensor(x), [4, 2])
        padded, _ = rnn.pad_packed_sequence(packed, padding_value=-1.0)
        expected = x[:4].copy()
        expected[2:, 1] = -1.0
        np.testing.assert_array_equal(padded.numpy(), expected)
        padded, _ = rnn.pad_packed_sequence(packed, total_length=7)
        self.assertEqual(padded.shape, (7, 2, 3))
        rows = rnn.unpad_sequence(padded, [4, 2])
        self.assertEqual([row.shape for row in rows], [(4, 3), (2, 3)])
        again = rnn.pack_sequence(rows)
        np.testing.assert_array_equal(again.padded.numpy()[1, :2], x[:2, 1])

    def test_refusals(self):
        x = sy.tensor(normal(3, 5, 4))
        for lengths, text in (([5, 2], "lengths must be one for each"),
                              ([6, 1, 1], "lengths must be in"),
                              ([1, 2, 3], "lengths must descend")):
            with self.assertRaisesRegex(ValueError, text):
                rnn.pack_padded_sequence(x, lengths, batch_first=True)

    def test_one_sequence(self):
        x = normal(5, 4)
        for kind in (nn.LSTM, nn.GRU):
            layer = kind(4, 6, num_layers=2)
            got, state = layer(sy.tensor(x))
            expected, _ = layer(sy.tensor(x[:, None]))
            np.testing.assert_array_equal(got.numpy(), expected.numpy()[:, 0])
            final = state[0] if isinstance(state, tuple) else state
            self.assertEqual(final.shape, (2, 6))
            layer(sy.tensor(x), state)


class WeightsTest(unittest.TestCase):

    def test_weight_norm(self):
        for layer, axes in ((nn.Linear(3, 4), (0,)), (nn.Conv2D(2, 3, 2), (1, 2, 3))):
            weight = layer.weight.numpy().copy()
            parametrizations.weight_norm(layer)
            np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-6)
            made = layer.parametrizations.weight
            np.testing.assert_allclose(
                made.original0.numpy(),
                np.sqrt((weight**2).sum(axes, keepdims=True)), rtol=1e-6)
            self.assertEqual([n for n, _ in layer.named_parameters()], [
                "bias", "parametrizations.weight.original0",
                "parametrizations.weight.original1"])
            made.original0.data = made.original0 * 2.0
            np.testing.assert_allclose(layer.weight.numpy(), 2 * weight, rtol=1e-6)
            layer.weight = sy.tensor(weight)
            np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-6)
            self.assertTrue(parametrize.is_parametrized(layer, "weight"))
            parametrize.remove_parametrizations(layer, "weight")
            self.assertFalse(parametrize.is_parametrized(layer))
            np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-6)
            self.assertEqual(len(layer.parameters()), 2)

    def test_it_trains_eager_and_static(self):
        x, y, ends = normal(6, 3), normal(6, 2, seed=1), []
        for static in (False, True):
            sy.seed(0)
            model = nn.Sequential(parametrizations.weight_norm(nn.Linear(3, 4)),
                                  nn.Tanh(), nn.Linear(4, 2))
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            step = sy.static.train_step(model, nn.MSELoss(), optimizer)
            losses = []
            for _ in range(4):
                if static:
                    losses.append(step(x, y).item())
                    continue
                optimizer.zero_grad()
                loss = nn.MSELoss()(model(sy.tensor(x)), sy.tensor(y))
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            ends.append(losses)
        self.assertEqual(*ends)
        self.assertLess(ends[0][-1], ends[0][0])
        twin = copy.deepcopy(model)
        np.testing.assert_array_equal(twin(sy.tensor(x)).numpy(),
                                      model(sy.tensor(x)).numpy())

    def test_spectral_norm(self):
        layer = parametrizations.spectral_norm(nn.Linear(5, 4), n_power_iterations=20)
        largest = np.linalg.svd(layer.weight.numpy(), compute_uv=False)[0]
        self.assertAlmostEqual(largest, 1.0, 4)
        layer.eval()
        before = layer.weight.numpy().copy()
        np.testing.assert_array_equal(layer.weight.numpy(), before)

    def test_own_parametrization(self):
        class Symmetric(nn.Module):
            def forward(self, x):
                return x.triu() + x.triu(1).T

        layer = nn.Linear(3, 3)
        parametrize.register_parametrization(layer, "weight", Symmetric())
        w = layer.weight.numpy()
        np.testing.assert_array_equal(w, w.T)
        layer(sy.ones([1, 3])).sum().backward()
        self.assertIsNotNone(layer.parametrizations.weight.original.grad)
        with self.assertRaisesRegex(RuntimeError, "has no right_inverse"):
            layer.weight = sy.zeros([3, 3])
        with self.assertRaisesRegex(ValueError, "tensor_name must be a parameter"):
            parametrize.register_parametrization(layer, "none", Symmetric())


class CheckpointTest(unittest.TestCase):

    def make(self):
        sy.seed(5)
        return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.3),
                             nn.Linear(8, 4), nn.GELU())

    def grads(self, call, requires_grad=True):
        model = self.make()
        x = sy.tensor(normal(3, 4), requires_grad=requires_grad)
        sy.seed(9)
        (call(model, x) ** 2).sum().backward()
        return [p.grad.numpy() for p in (*model.parameters(),
                                         *([x] if requires_grad else []))]

    def test_the_same_bits(self):
        for call in (checkpoint, lambda m, x: checkpoint_sequential(m, 2, x),
                     lambda m, x: checkpoint(lambda v: m(v), x, use_reentrant=False)):
            for requires_grad in (True, False):
                for a, b in zip(self.grads(call, requires_grad), self.grads(
                        lambda m, x: m(x), requires_grad)):
                    np.testing.assert_array_equal(a, b)

    def test_it_runs_twice_and_keeps_less(self):
        runs = []
        def square(x):
            runs.append(sy.is_grad_enabled())
            return x * x
        x = sy.tensor([3.0], requires_grad=True)
        y = checkpoint(square, x)
        self.assertEqual(runs, [False])
        y.backward()
        self.assertEqual((runs, x.grad.item()), ([False, True], 6.0))
        with sy.no_grad():
            checkpoint(square, x)
        self.assertEqual(runs[2:], [False])

    def test_several_results_and_programs(self):
        def both(x, k, y):
            return x * k, y + x
        x, y = (sy.tensor(normal(3, seed=i), requires_grad=True) for i in (0, 1))
        a, b = checkpoint(both, x, 2.0, y)
        (a * b).sum().backward()
        expected = 2 * (x + y).detach() + 2 * x.detach()
        np.testing.assert_allclose(x.grad.numpy(), expected.numpy(), rtol=1e-6)
        model = self.make().eval()
        program = sy.static.trace(lambda v: checkpoint(model, v), normal(3, 4))
        np.testing.assert_array_equal(program(normal(3, 4)).numpy(),
                                      model(sy.tensor(normal(3, 4))).numpy())
        with self.assertRaisesRegex(TypeError, "checkpoint: what function returns"):
            checkpoint(lambda v: 3, x)


class DerivativesTest(unittest.TestCase):

    def test_jacobian(self):
        jacobian = sy.autograd.functional.jacobian
        a, x = normal(3, 2), normal(2, seed=1)
        got = jacobian(lambda v: sy.tensor(a) @ v, sy.tensor(x))
        np.testing.assert_array_equal(got.numpy(), a)
        pair = jacobian(lambda u, v: u * v, (sy.tensor(x), sy.tensor(x + 1)))
        np.testing.assert_allclose(pair[0].numpy(), np.diag(x + 1), rtol=1e-6)
        np.testing.assert_allclose(pair[1].numpy(), np.diag(x), rtol=1e-6)
        self.assertEqual(jacobian(lambda v: v.sum(), sy.tensor(x)).shape, (2,))
        none = jacobian(lambda v: sy.zeros([3]), sy.tensor(x))
        np.testing.assert_array_equal(none.numpy(), np.zeros((3, 2)))
        with self.assertRaisesRegex(ValueError, "jacobian: every result"):
            jacobian(lambda v: sy.zeros([3]), sy.tensor(x), strict=True)
        with self.assertRaisesRegex(TypeError, "jacobian: inputs must be"):
            jacobian(lambda v: v, 3)

    def test_hessian(self):
        hessian, hvp = sy.autograd.functional.hessian, sy.autograd.functional.hvp
        x = normal(3).astype(np.float64)
        got = hessian(lambda v: (v ** 3).sum() + v[0] * v[1], sy.tensor(x))
        expected = np.diag(6 * x)
        expected[0, 1] = expected[1, 0] = 1.0
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)
        blocks = hessian(lambda u, v: (u * v).sum(), (sy.tensor(x), sy.tensor(x)))
        np.testing.assert_array_equal(blocks[0][1].numpy(), np.eye(3))
        np.testing.assert_array_equal(blocks[0][0].numpy(), np.zeros((3, 3)))
        v = normal(3, seed=2).astype(np.float64)
        _, product = hvp(lambda u: (u ** 3).sum(), sy.tensor(x), sy.tensor(v))
        np.testing.assert_allclose(product.numpy(), 6 * x * v, rtol=1e-12)
        value, back = sy.autograd.functional.vjp(
            lambda u: u ** 2, sy.tensor(x), sy.tensor(v))
        np.testing.assert_allclose(value.numpy(), x**2, rtol=1e-12)
        np.testing.assert_allclose(back.numpy(), 2 * x * v, rtol=1e-12)


class HabitsTest(unittest.TestCase):

    def test_devices(self):
        self.assertEqual(sy.device("cpu"), "cpu")
        count = sum(each["place"].startswith("gpu") for each in sy.devices())
        self.assertEqual(sy.cuda.device_count(), count)
        self.assertEqual(sy.cuda.is_available(), count > 0)
        device = sy.device("cuda" if sy.cuda.is_available() else "cpu")
        self.assertEqual(nn.Linear(2, 2).to(device).weight.place, device)
        with self.assertRaises((ValueError, RuntimeError)):
            sy.device("cuda", 99)
        with self.assertRaisesRegex(TypeError, "device: name must be text"):
            sy.device(3)

    def test_parameters_by_name(self):
        held = nn.ParameterDict({"a": sy.ones([2]), "b": sy.zeros([1])})
        self.assertIsInstance(held["a"], nn.Parameter)
        self.assertEqual((list(held), len(held), "b" in held), (["a", "b"], 2, True))
        self.assertEqual([n for n, _ in held.named_parameters()], ["a", "b"])
        with self.assertRaisesRegex(KeyError, "must be another name"):
            held["keys"] = sy.ones([1])

    def test_momentum_of_batch_norm_warns_once_by_line(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(2):
                nn.BatchNorm2D(3, momentum=0.1)
        self.assertEqual(len(caught), 1)
        self.assertEqual(caught[0].filename, __file__)

    def test_momentum_of_each_step_warns_once(self):
        x, mean, variance = sy.ones([2, 3, 1, 1]), sy.zeros([3]), sy.ones([3])
        with warnings.catch_warnings(record=True) as caught:
            for _ in range(3):
                # A library that changes filters makes Python forget what it has shown.
                warnings.simplefilter("always")
                nn.functional.batch_norm(x, mean, variance, training=True, momentum=0.1)
                nn.Sequential(nn.BatchNorm1D(3, 0.1), *[nn.BatchNorm2D(3, 0.1) for _ in range(5)])
            nn.BatchNorm2D(3, momentum=0.25)
        self.assertEqual([(each.filename, str(each.message).partition(":")[0]) for each in caught],
                         [(__file__, name) for name in ("batch_norm", "BatchNorm1D", "BatchNorm2D", "BatchNorm2D")])

    def test_warnings_that_are_errors_stay(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                with self.assertRaisesRegex(UserWarning, "BatchNorm2D: momentum"):
                    nn.BatchNorm2D(3, momentum=0.1)

    def test_names_of_layers(self):
        for theirs, ours in (("Conv2d", nn.Conv2D), ("MaxPool1d", nn.MaxPool1D),
                             ("ConvTranspose2d", nn.Conv2DTranspose),
                             ("Dropout2d", nn.Dropout2D),
                             ("ReflectionPad2d", nn.ReflectionPad2D)):
            self.assertIs(getattr(nn, theirs), ours)
            self.assertNotIn(theirs, dir(nn))
        x = sy.ones([1, 1, 2, 2])
        self.assertEqual(nn.AvgPool2d(2, 2, 1)(x).numpy()[0, 0, 0, 0], 0.25)
        self.assertEqual(nn.AvgPool2D(2, 2, 1)(x).numpy()[0, 0, 0, 0], 1.0)
        with self.assertRaisesRegex(AttributeError, "nn.BatchNorm2d: use "
                                    "nn.BatchNorm2D"):
            nn.BatchNorm2d
        with self.assertRaisesRegex(AttributeError, "no attribute 'Nothing2d'"):
            nn.Nothing2d


if __name__ == "__main__":
    unittest.main()
