# SPDX-License-Identifier: Apache-2.0
"""Layers whose first call says how many inputs they have, and running statistics of
instance normalisation."""
import copy
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, static

X = np.random.default_rng(0).normal(size=(2, 4, 6, 6)).astype(np.float32)
# {lazy class: (the class that it becomes, arguments after the first, the shape of x)}.
SIGNAL, IMAGE, VOLUME = (2, 4, 7), (2, 4, 6, 6), (2, 4, 4, 4, 4)
KINDS = {
    nn.LazyLinear: (nn.Linear, {"out_features": 3, "bias": False}, (5, 4)),
    **{getattr(nn, f"LazyConv{n}d"): (getattr(nn, f"Conv{n}d"), {
        "out_channels": 6, "kernel_size": 3, "groups": 2, "padding": 1}, shape)
       for n, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
    **{getattr(nn, f"LazyConvTranspose{n}d"): (getattr(nn, f"ConvTranspose{n}d"), {
        "out_channels": 6, "kernel_size": 2, "stride": 2, "groups": 2}, shape)
       for n, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
    **{getattr(nn, f"LazyBatchNorm{n}D"): (getattr(nn, f"BatchNorm{n}D"), {
        "momentum": 0.7}, shape) for n, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
    **{getattr(nn, f"LazyInstanceNorm{n}d"): (getattr(nn, f"InstanceNorm{n}d"), {
        "affine": True, "track_running_stats": True}, shape)
       for n, shape in ((1, SIGNAL), (2, IMAGE), (3, VOLUME))},
}


def network():
    return nn.Sequential(nn.LazyConv2d(5, 3), nn.LazyBatchNorm2D(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))


class LazyLayersTest(unittest.TestCase):

    def test_each_becomes_its_class(self):
        for lazy, (kind, given, shape) in KINDS.items():
            with self.subTest(lazy.__name__):
                x = sy.tensor(np.random.default_rng(1).normal(size=shape).astype(np.float32))
                sy.seed(3)
                layer = lazy(**given)
                self.assertIn(f"{next(iter(given))}=", repr(layer))
                y = layer(x)
                sy.seed(3)  # What a lazy layer draws at its making does not count.
                plain = kind(shape[-1] if kind is nn.Linear else shape[1], **given)
                np.testing.assert_array_equal(y.numpy(), plain(x).numpy())
                self.assertIs(type(layer), kind)
                self.assertEqual(repr(layer), repr(plain))
                self.assertEqual(list(layer.state_dict()), list(plain.state_dict()))
                np.testing.assert_array_equal(layer(x).numpy(), plain(x).numpy())

    def test_what_was_set_before_holds(self):
        model = network().double().eval()
        seen = []
        model[0].register_forward_hook(lambda layer, args, result: seen.append(result.shape))
        y = model(sy.tensor(X, "float64"))
        self.assertEqual((y.dtype, model[4].weight.dtype, seen), ("float64", "float64", [(2, 5, 4, 4)]))
        self.assertFalse(any(layer.training for layer in model.modules()))
        model[0](sy.tensor(X, "float64"))
        self.assertEqual(len(seen), 2)

    def test_what_comes_before_the_first_call_is_refused(self):
        model = network()
        for use in (model.parameters, model.state_dict, lambda: model[0].weight,
                    lambda: sy.optim.SGD(model.parameters(), 0.1), lambda: static.trace(model, X),
                    lambda: static.train_step(model, nn.MSELoss(), sy.optim.SGD([sy.ones([2])], 0.1))(X, X)):
            with self.assertRaisesRegex(RuntimeError, "LazyConv2D: weight is made by the first call: call the "
                                        "model once"):
                use()
        with self.assertRaisesRegex(RuntimeError, "LazyInstanceNorm1D: the first call must be eager"):
            static.trace(nn.LazyInstanceNorm1D(), X[0])
        for error, says, make in (
                (ValueError, "out_features must be from 0, got -1", lambda: nn.LazyLinear(-1)),
                (ValueError, "groups must divide", lambda: nn.LazyConv1d(3, 3, groups=2)),
                (TypeError, "LazyLinear: has no argument 'out_feature'; did you mean 'out_features'",
                 lambda: nn.LazyLinear(out_feature=3)),
                (ValueError, r"LazyLinear: x must have an axis -1, got shape \(\)",
                 lambda: nn.LazyLinear(3)(sy.ones([]))),
                (AttributeError, "nn.LazyBatchNorm2d: use nn.LazyBatchNorm2D", lambda: nn.LazyBatchNorm2d)):
            with self.assertRaisesRegex(error, says):
                make()

    def test_states_and_copies(self):
        model, other = network(), network()
        twin = copy.deepcopy(model)
        model(sy.tensor(X))
        other.load_state_dict(model.state_dict())
        np.testing.assert_array_equal(other.eval()(sy.tensor(X)).numpy(), model.eval()(sy.tensor(X)).numpy())
        twin(sy.ones([1, 3, 6, 6]))
        self.assertEqual((twin[0].in_channels, other[0].in_channels), (3, 4))
        step = static.train_step(model, nn.MSELoss(), sy.optim.SGD(model.parameters(), 0.1))
        self.assertTrue(np.isfinite(step(X, np.zeros((2, 2), np.float32)).item()))

    def test_a_momentum_like_pytorchs_warns_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nn.LazyBatchNorm2D(momentum=0.1)(sy.tensor(X))
        self.assertEqual(len(caught), 1)
        self.assertEqual(caught[0].filename, __file__)


class InstanceNormTest(unittest.TestCase):

    def test_running_statistics(self):
        layer = nn.InstanceNorm2d(4, affine=True, track_running_stats=True, momentum=0.75)
        x = X.astype(np.float64)
        mean, spread = x.mean((2, 3)), x.var((2, 3))
        y = layer(sy.tensor(X))
        want = (x - mean[..., None, None]) / np.sqrt(spread + 1e-5)[..., None, None]
        np.testing.assert_allclose(y.numpy(), want, 1e-5, 1e-6)
        mean, spread = 0.25 * mean.mean(0), 0.75 + 0.25 * spread.mean(0)
        np.testing.assert_allclose(layer.running_mean.numpy(), mean, 1e-5, 1e-7)
        np.testing.assert_allclose(layer.running_var.numpy(), spread, 1e-6)
        layer.eval()
        want = (x - mean.reshape(-1, 1, 1)) / np.sqrt(spread + 1e-5).reshape(-1, 1, 1)
        np.testing.assert_allclose(layer(sy.tensor(X)).numpy(), want, 1e-5, 1e-5)
        self.assertEqual(list(layer.state_dict()), ["weight", "bias", "running_mean", "running_var"])

    def test_programs(self):
        layers = [nn.InstanceNorm2D(4, track_running_stats=True) for _ in range(2)]
        program = static.trace(layers[1], X)
        for _ in range(3):
            np.testing.assert_array_equal(program(X).numpy(), layers[0](sy.tensor(X)).numpy())
        state = program.state
        for name in ("running_mean", "running_var"):
            np.testing.assert_array_equal(np.asarray(state[name]), getattr(layers[0], name).numpy())


if __name__ == "__main__":
    unittest.main()
