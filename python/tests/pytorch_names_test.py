# SPDX-License-Identifier: Apache-2.0
"""Arguments by PyTorch's names do what ours do; others are refused by a sentence."""

import inspect
import unittest

import argument_rows as rows
import numpy as np

import switchyard as sy
from switchyard import nn, optim, pytorch_names, spelling
from switchyard.nn import functional as F

OURS = {**{f"nn.{name}": getattr(nn, name) for name in nn.__all__},
        **{f"optim.{name}": getattr(optim, name) for name in optim.__all__},
        **{f"lr_scheduler.{name}": getattr(optim.lr_scheduler, name)
           for name in optim.lr_scheduler.__all__ if name != "LRScheduler"},
        **{f"distributions.{name}": getattr(sy.distributions, name)
           for name in sy.distributions.__all__},
        **{f"io.{name}": getattr(sy.io, name) for name in sy.io.__all__}}
CLASSES = {name: each for name, each in OURS.items() if isinstance(each, type) and each in spelling._calls}


def model():
    return [sy.tensor([3.0], requires_grad=True)]


class PytorchNamesTest(unittest.TestCase):

    def test_every_row_is_of_something(self):
        known = {each.__name__ for cls in CLASSES.values() for each in cls.__mro__}
        self.assertEqual(set(pytorch_names.CLASSES) - known, set())
        functions = {*F.__all__}
        self.assertEqual(set(pytorch_names.FUNCTIONS) - functions, set())

    def test_rows_name_what_is_there(self):
        used = set()
        for cls in CLASSES.values():
            call = spelling._calls[cls]
            for base in cls.__mro__:
                for theirs in pytorch_names.CLASSES.get(base.__name__, ()):
                    if theirs in call.others:
                        used.add((base.__name__, theirs))
        rows_of = {(name, theirs) for name, others in pytorch_names.CLASSES.items()
                   for theirs in others}
        self.assertEqual(rows_of - used, set())

    def test_both_names_are_one_argument(self):
        count = 0
        for cls in CLASSES.values():
            call = spelling._calls[cls]
            for theirs, row in call.others.items():
                if isinstance(row, str):
                    self.assertEqual(call.by_our_names({theirs: 1}), ({row: 1}, []))
                    with self.assertRaisesRegex(TypeError, f"two values for '{row}'"):
                        call.by_our_names({theirs: 1, row: 2})
                    count += 1
                    self.assertIn(theirs, cls.__doc__)
        self.assertGreater(count, 60)

    def test_help_has_the_names(self):
        self.assertIn("``T_max`` for ``steps``", optim.CosineDecay.__doc__)
        self.assertIn("``d_model`` for ``embed_dim``",
                      nn.TransformerEncoderLayer.__doc__)
        self.assertIn("``count_include_pad`` for ``not exclusive``",
                      nn.AvgPool2D.__doc__)

    def test_what_is_unknown_names_the_class_and_the_nearest(self):
        for name, cls in CLASSES.items():
            if spelling._calls[cls].open or cls is nn.Sequential:
                continue
            public = name.split(".")[1]
            with self.subTest(name), self.assertRaisesRegex(
                    TypeError, f"^{public}: has no argument 'frobnicate'"):
                cls(frobnicate=1)
        for call, text in (
                (lambda: nn.BatchNorm2D(3, afine=True),
                 "BatchNorm2D: has no argument 'afine'; did you mean 'affine'?"),
                (lambda: nn.Conv2D(1, 1, kernel=3),
                 "Conv2D: has no argument 'kernel'; did you mean 'kernel_size'?"),
                (lambda: optim.OneCycle(None, max_lrs=1.0),
                 "OneCycle: has no argument 'max_lrs'; did you mean 'max_lr'?"),
                (lambda: nn.ReLU(slope=1),
                 "ReLU: has no argument 'slope'; it takes inplace"),
                (lambda: F.l1_loss(1, targte=2),
                 "l1_loss: has no argument 'targte'; did you mean 'target'?")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_what_lacks_or_is_too_much(self):
        for call, text in (
                (lambda: nn.BatchNorm2D(), "BatchNorm2D: num_features must be given"),
                (lambda: nn.Conv2D(1, kernel_size=3),
                 "Conv2D: out_channels must be given"),
                (lambda: nn.Tanh(1), "Tanh: takes at most 0 arguments, got 1"),
                (lambda: nn.Softmax(1, axis=1), "Softmax: got two values for 'axis'"),
                (lambda: nn.Softmax(1, dim=1), "Softmax: got two values for 'axis'")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_values_that_have_no_counterpart(self):
        cycle = {"max_lr": 0.1, "total_steps": 4}
        sgd = optim.SGD(model(), lr=0.1, maximize=False, foreach=True, fused=None)
        optim.OneCycle(sgd, **cycle, anneal_strategy="cos", three_phase=False)
        for call, text in (
                (lambda: optim.SGD(model(), lr=0.1, maximize=True),
                 "SGD: maximize must be False, got True: negate the loss instead"),
                (lambda: optim.OneCycle(sgd, **cycle, cycle_momentum=True),
                 "OneCycle: cycle_momentum must be False, got True: the rate alone "
                 "changes"),
                (lambda: sy.io.DataLoader([1], timeout=3),
                 "DataLoader: timeout must be 0, got 3: workers are waited for")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_calls_of_layers_take_theirs(self):
        x, y = rows.matrix(), sy.ones([1, 4, 8])
        class Own(nn.Linear):
            def forward(self, input):
                return super().forward(input)
        sy.seed(0)
        for layer in (nn.Linear(3, 2), nn.ReLU(), nn.LayerNorm(3), Own(3, 2)):
            np.testing.assert_array_equal(layer(input=x).numpy(), layer(x).numpy())
        bilinear = nn.Bilinear(3, 3, 1)
        np.testing.assert_array_equal(bilinear(input1=x, input2=x).numpy(),
                                      bilinear(x, x).numpy())
        encoder = nn.TransformerEncoderLayer(8, 2, 16, 0.0)
        decoder = nn.TransformerDecoderLayer(8, 2, 16, 0.0)
        np.testing.assert_array_equal(encoder(src=y).numpy(), encoder(y).numpy())
        np.testing.assert_array_equal(
            decoder(tgt=y, memory=y, tgt_is_causal=False).numpy(),
            decoder(y, y, is_causal=False).numpy())
        with self.assertRaisesRegex(TypeError, "'inputs'"):
            nn.ReLU()(inputs=x)

    def test_layers_of_a_dtype(self):
        self.assertEqual(nn.Linear(2, 3, dtype="float64").weight.dtype, "float64")
        self.assertEqual(nn.Linear(2, 3, device="cpu", dtype=None).bias.place, "cpu")
        self.assertEqual(nn.LSTM(2, 3, dtype=sy.float64).weight_ih_l0.dtype,
                         "float64")
        with self.assertRaisesRegex(TypeError, "dtype must be floating"):
            nn.Linear(2, 3, dtype="int32")

    def test_losses_take_targets(self):
        x, y = rows.matrix(), sy.zeros([2, 3])
        self.assertEqual(nn.MSELoss()(input=x, target=y).item(),
                         nn.MSELoss()(x, y).item())
        self.assertEqual(F.l1_loss(x, target=y).item(), F.l1_loss(x, y).item())
        self.assertEqual(F.cross_entropy(input=x, target=rows.labels()).item(),
                         nn.CrossEntropyLoss()(x, target=rows.labels()).item())
        with self.assertRaisesRegex(TypeError, "MSELoss: got two values for 'label'"):
            nn.MSELoss()(x, target=y, label=y)

    def test_means_with_padding(self):
        x = rows.image(1, 1, 4, 4)
        for cls in (nn.AvgPool2D, F.avg_pool2d):
            given = (2, 2, 1)
            mean = (lambda **how: cls(*given, **how)(x)) if inspect.isclass(cls) else (
                lambda **how: cls(x, *given, **how))
            np.testing.assert_array_equal(mean(count_include_pad=True).numpy(),
                                          mean(exclusive=False).numpy())
            self.assertEqual(mean(count_include_pad=True).numpy()[0, 0, 0, 0], 0.25)
            self.assertEqual(mean(count_include_pad=False).numpy()[0, 0, 0, 0], 1.0)

    def test_sgd_with_momentum_is_momentum(self):
        ends = []
        for made in (lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True,
                                         weight_decay=0.01),
                     lambda p: optim.Momentum(p, 0.1, 0.9, True, 0.01)):
            p = model()
            optimizer = made(p)
            for _ in range(4):
                optimizer.zero_grad()
                (p[0] * p[0]).sum().backward()
                optimizer.step()
            ends.append((p[0].item(), sorted(optimizer.state_dict())))
        self.assertEqual(*ends)
        with self.assertRaisesRegex(ValueError, "SGD: momentum must be positive with "
                                    "nesterov, got 0.0"):
            optim.SGD(model(), lr=0.1, nesterov=True)

    def test_schedules_of_pytorch(self):
        """Beside the formulas of its documentation."""
        lr = optim.lr_scheduler
        cosine = [0.01 + 0.09 * (1 + np.cos(np.pi * t / 4)) / 2 for t in range(11)]
        for made, wanted in (
                (lambda o: lr.CosineAnnealingLR(o, T_max=4, eta_min=0.01), cosine),
                (lambda o: lr.StepLR(o, 3, gamma=0.5),
                 [0.1 * 0.5**(t // 3) for t in range(11)]),
                (lambda o: lr.LinearLR(o, start_factor=0.5, total_iters=4),
                 [0.1 * min(1.0, 0.5 + 0.5 * t / 4) for t in range(11)]),
                (lambda o: lr.ConstantLR(o, factor=0.2, total_iters=3),
                 [0.1 * (0.2 if t < 3 else 1.0) for t in range(11)]),
                (lambda o: lr.PolynomialLR(o, total_iters=5, power=2.0),
                 [0.1 * (1 - min(t, 5) / 5)**2 for t in range(11)]),
                (lambda o: lr.MultiplicativeLR(o, lr_lambda=lambda t: 1 / (t + 1)),
                 [0.1 / np.prod(np.arange(1.0, t + 2)) for t in range(11)]),
                (lambda o: lr.SequentialLR(o, [
                    lr.ConstantLR(o, 0.5, 2), lr.ExponentialLR(o, gamma=0.9)], [3]),
                 [0.05, 0.05, 0.1, *[0.1 * 0.9**t for t in range(8)]])):
            optimizer = optim.SGD([sy.tensor(np.ones(2), requires_grad=True)], lr=0.1)
            schedule = made(optimizer)
            for rate in wanted:
                self.assertAlmostEqual(schedule.get_last_lr()[0], rate, 12)
                schedule.step()
        with self.assertRaisesRegex(TypeError, "OneCycleLR: total_steps must be given"):
            lr.OneCycleLR(optimizer, 0.1, epochs=3)
        schedule = lr.OneCycleLR(optimizer, max_lr=0.2, epochs=2, steps_per_epoch=3)
        self.assertEqual(schedule.steps, 6)

    def test_rates_by_both_names(self):
        for theirs, ours in (
                (lambda o: optim.StepDecay(o, step_size=2),
                 lambda o: optim.StepDecay(o, every=2)),
                (lambda o: optim.CosineDecay(o, T_max=5, eta_min=0.01),
                 lambda o: optim.CosineDecay(o, 5, 0.01)),
                (lambda o: optim.OneCycle(o, max_lr=0.3, total_steps=6, pct_start=0.4),
                 lambda o: optim.OneCycle(o, 0.3, 6, 0.4)),
                (lambda o: optim.LambdaDecay(o, lr_lambda=lambda n: 0.5**n),
                 lambda o: optim.LambdaDecay(o, lambda n: 0.5**n))):
            seen = []
            for made in (theirs, ours):
                schedule = made(optim.SGD(model(), lr=0.1))
                rates = []
                for _ in range(5):
                    rates += schedule.get_last_lr()
                    schedule.step()
                seen.append(rates)
            self.assertEqual(*seen)

    def test_functions_take_pytorchs_names(self):
        """Each call by PyTorch's names has the bits of ours."""
        x, image, line = sy.tensor([[-1.0, 2.0], [3.0, -4.0]]), sy.ones([1, 4, 4, 4]), sy.ones([1, 4, 4])
        for name in ("celu", "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid", "mish",
                     "relu", "relu6", "selu", "sigmoid", "silu", "softsign", "tanh", "tanhshrink"):
            function = getattr(F, name)
            want = function(x).numpy()
            np.testing.assert_array_equal(function(input=x).numpy(), want, name)
            if name not in ("logsigmoid", "sigmoid", "softsign", "tanh", "tanhshrink"):
                np.testing.assert_array_equal(function(input=x, inplace=False).numpy(), want, name)
                written = x.clone()
                self.assertIs(function(written, inplace=True), written)
                np.testing.assert_array_equal(written.numpy(), want, name)
        for function, given in ((F.log_softmax, {"dim": 1}), (F.softmax, {"dim": 0}), (F.pad, {"pad": (1, 1)})):
            np.testing.assert_array_equal(function(input=x, **given).numpy(),
                                          function(x, **given).numpy())
        for function, given in ((F.unfold, {"kernel_size": 2}), (F.adaptive_avg_pool2d, {"output_size": 2}),
                                (F.local_response_norm, {"size": 3}), (F.upsample, {"scale_factor": 2})):
            np.testing.assert_array_equal(function(input=image, **given).numpy(), function(image, **given).numpy())
        np.testing.assert_array_equal(F.fold(input=line, output_size=3, kernel_size=2).numpy(),
                                      F.fold(line, 3, 2).numpy())
        np.testing.assert_array_equal(sy.add(input=x, other=x).numpy(), (x + x).numpy())
        with self.assertRaisesRegex(TypeError, "relu: got two values for 'input'"):
            F.relu(x, input=x)
        for name in ("mse_loss", "l1_loss", "cross_entropy", "kl_div"):
            with self.assertRaisesRegex(ValueError, f"{name}: size_average must be None, got False: reduction is"):
                getattr(F, name)(input=x, target=x, size_average=False)

    def test_classes_take_pytorchs_names(self):
        weight = sy.tensor(np.arange(8.0, dtype=np.float32).reshape(4, 2))
        table = nn.Embedding.from_pretrained(weight, max_norm=2.0, padding_idx=1)
        self.assertFalse(table.weight.requires_grad)
        found = table(sy.tensor([0, 3]))
        np.testing.assert_allclose(np.linalg.norm(found.numpy(), axis=1), [1.0, 2.0], 1e-6)
        counted = nn.Embedding(3, 2, scale_grad_by_freq=True)
        counted(sy.tensor([0, 0, 1])).sum().backward()
        self.assertEqual(counted.weight.grad.to_dense().tolist(), [[1, 1], [1, 1], [0, 0]])
        bag = nn.EmbeddingBag(4, 2, max_norm=0.5, norm_type=1.0, mode="sum")
        self.assertLessEqual(np.abs(bag(sy.tensor([[2]])).detach().numpy()).sum(), 0.5 + 1e-6)
        self.assertIsNone(nn.RMSNorm(4, elementwise_affine=False).weight)
        self.assertIsNone(nn.GroupNorm(2, 4, bias=False).bias)
        self.assertIsNone(nn.InstanceNorm2d(4, affine=True, bias=False).bias)
        self.assertEqual(len(nn.ModuleList(modules=[nn.ReLU()])), 1)
        self.assertEqual(nn.Unflatten(dim=1, unflattened_size=(1, 2))(sy.ones([3, 2])).shape, (3, 1, 2))
        self.assertEqual(nn.Hardtanh(min_value=-2.0, max_value=0.5).max_val, 0.5)
        attention = nn.MultiheadAttention(8, 2, kdim=3, vdim=5, add_bias_kv=False)
        y, weights = attention(sy.ones([4, 1, 8]), sy.ones([6, 1, 3]), sy.ones([6, 1, 5]))
        self.assertEqual((y.shape, weights.shape, attention.v_proj.weight.shape), ((4, 1, 8), (1, 4, 6), (5, 8)))
        model = nn.Linear(2, 2)
        optimizer = sy.optim.SGD(model.parameters(), lr=1e-7)
        plateau = sy.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, eps=1e-6)
        for _ in range(3):
            plateau.step(1.0)
        self.assertAlmostEqual(optimizer.learning_rate, 1e-7, delta=1e-12)
        for says, make in (
                ("Adam: decoupled_weight_decay must be False, got True: sy.optim.AdamW",
                 lambda: sy.optim.Adam(model.parameters(), decoupled_weight_decay=True)),
                ("MSELoss: reduce must be None, got False", lambda: nn.MSELoss(reduce=False)),
                ("ConvTranspose: padding_mode must be 'zeros', got 'reflect'".replace("Conv", "Conv2D"),
                 lambda: nn.ConvTranspose2d(2, 2, 2, padding_mode="reflect")),
                ("MultiheadAttention: add_zero_attn must be False, got True",
                 lambda: nn.MultiheadAttention(4, 2, add_zero_attn=True))):
            with self.assertRaisesRegex(ValueError, says):
                make()


if __name__ == "__main__":
    unittest.main()
