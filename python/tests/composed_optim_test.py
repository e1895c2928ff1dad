# SPDX-License-Identifier: Apache-2.0
"""Rprop, ASGD, Adafactor, Muon, CyclicLR and swa_utils, beside what PyTorch 2.15
makes of the same numbers (testdata)."""
import json
import math
import pathlib
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim
from switchyard.optim import swa_utils

WANT = json.loads((pathlib.Path(__file__).parent / "testdata/optimizers.json").read_text())


def array(numbers):
    return np.array(numbers, np.float64)


def stepped(case):
    """The parameters after all steps, and the optimizer."""
    params = {name: sy.tensor(array(WANT["start"][name]), requires_grad=True)
              for name in case["params"]}
    optimizer = getattr(optim, case["kind"])(list(params.items()), **case["arguments"])
    for gradients in WANT["gradients"]:
        for name, param in params.items():
            param.grad = sy.tensor(array(gradients[name]))
        optimizer.step()
    return params, optimizer


class ComposedOptimTest(unittest.TestCase):

    def test_steps(self):
        for name, case in WANT["optimizers"].items():
            params, optimizer = stepped(case)
            # PyTorch keeps rates of ASGD in float32; Muon rounds to 8 bits.
            tolerance = {"Muon": 2e-3, "ASGD": 1e-7}.get(case["kind"], 1e-12)
            for key, want in case["params"].items():
                with self.subTest(name, param=key):
                    np.testing.assert_allclose(params[key].numpy(), array(want), 0, tolerance)
                    if case["ax"]:
                        np.testing.assert_allclose(optimizer.state[key]["ax"].numpy(),
                                                   array(case["ax"][key]), 0, 1e-7)

    def test_compiled_steps_have_the_bits_of_eager_ones(self):
        x, y = np.ones((4, 3), np.float32), np.zeros((4, 2), np.float32)
        for name, make in (("Rprop", lambda p: optim.Rprop(p, 0.05)),
                           ("ASGD", lambda p: optim.ASGD(p, 0.05, t0=1)),
                           ("Adafactor", lambda p: optim.Adafactor(p, 0.05)),
                           ("Muon", lambda p: optim.Muon(p, 0.05))):
            found = []
            for compiled in (True, False):
                sy.seed(0)
                model = nn.Linear(3, 2, bias=name != "Muon")
                optimizer, loss = make(model.parameters()), nn.MSELoss()
                step = sy.static.train_step(model, loss, optimizer) if compiled else (
                    lambda a, b: optimizer.minimize(loss(model(a), b)))
                for _ in range(4):
                    step(sy.tensor(x), sy.tensor(y))
                found.append([t.numpy().tobytes() for t in (
                    *model.parameters(), *(t for _, t in optimizer.named_state()))])
            with self.subTest(name):
                self.assertEqual(*found)

    def test_halves_are_stepped_in_float32(self):
        p = sy.tensor(np.ones((2, 2)), "bfloat16", requires_grad=True)
        optimizer = optim.Adafactor([p], 0.1)
        p.grad = sy.tensor(np.ones((2, 2)), "bfloat16")
        optimizer.step()
        self.assertEqual(p.dtype, "bfloat16")
        self.assertEqual(p.numpy()[0, 0], np.float32(0.8984375))
        self.assertEqual(optimizer.state["0"]["row_var"].dtype, "float32")

    def test_a_state_resumes(self):
        for kind in ("Rprop", "ASGD", "Adafactor"):
            case = WANT["optimizers"][kind]
            params, optimizer = stepped(case)
            state = optimizer.state_dict()
            others = [(name, sy.tensor(param.numpy(), requires_grad=True))
                      for name, param in params.items()]
            other = getattr(optim, kind)(others, **case["arguments"])
            other.load_state_dict(state)
            for one, pairs in ((optimizer, params.items()), (other, others)):
                for name, param in pairs:
                    param.grad = sy.tensor(array(WANT["gradients"][0][name]))
                one.step()
            for name, param in others:
                np.testing.assert_array_equal(param.numpy(), params[name].numpy())

    def test_rates(self):
        for name, case in WANT["schedules"].items():
            optimizer = optim.SGD([sy.ones([1]).requires_grad_()], 0.5, momentum=0.9)
            home = swa_utils if case["kind"] == "SWALR" else optim.lr_scheduler
            schedule = getattr(home, case["kind"])(optimizer, **case["arguments"])
            seen = []
            for _ in case["rates"]:
                group = optimizer.param_groups[0]
                seen.append([group["lr"], group["momentum"]])
                schedule.step()
            with self.subTest(name):
                np.testing.assert_allclose(seen, case["rates"], 1e-6)

    def test_scales_of_ones_own(self):
        optimizer = optim.SGD([sy.ones([1]).requires_grad_()], 0.5, momentum=0.9)
        schedule = optim.lr_scheduler.CyclicLR(
            optimizer, 0.0, 1.0, 2, scale_fn=lambda n: 0.1 * n, scale_mode="iterations",
            cycle_momentum=False)
        seen = []
        for _ in range(4):
            schedule.step()
            seen.append(optimizer.learning_rate)
        np.testing.assert_allclose(seen, [0.05, 0.2, 0.15, 0.0], atol=1e-7)

    def test_averaged_model(self):
        sy.seed(0)
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2))
        for avg_fn, multi, weights in (
                (None, None, (1 / 3, 1 / 3, 1 / 3)),
                (swa_utils.get_ema_avg_fn(0.5), None, (0.25, 0.25, 0.5)),
                (None, swa_utils.get_swa_multi_avg_fn(), (1 / 3, 1 / 3, 1 / 3)),
                (None, swa_utils.get_ema_multi_avg_fn(0.5), (0.25, 0.25, 0.5))):
            averaged = swa_utils.AveragedModel(model, avg_fn=avg_fn, multi_avg_fn=multi)
            start, want = np.ones((2, 2), np.float32), np.zeros((2, 2))
            for i, weight in enumerate(weights):
                with sy.no_grad():
                    model[0].weight.copy_(sy.tensor(start * (i + 1)))
                    model[1].running_mean.copy_(sy.tensor([float(i), 0.0]))
                averaged.update_parameters(model)
                want += weight * (i + 1)
            np.testing.assert_allclose(averaged.module[0].weight.numpy(), want, 1e-6)
            self.assertEqual(averaged.module[1].running_mean.tolist(), [2.0, 0.0])
            self.assertEqual(averaged.n_averaged.item(), 3)
        x = sy.ones([3, 2])
        averaged.eval()
        np.testing.assert_array_equal(averaged(x).numpy(), averaged.module(x).numpy())
        with self.assertRaisesRegex(ValueError, "update_parameters: model must have"):
            averaged.update_parameters(nn.Linear(2, 2))

    def test_statistics_of_data(self):
        model = nn.Sequential(nn.BatchNorm1D(2)).eval()
        rng = np.random.default_rng(0)
        batches = [rng.normal(2.0, 3.0, (8, 2)).astype(np.float32) for _ in range(4)]
        swa_utils.update_bn([(sy.tensor(b), 0) for b in batches], model)
        layer = model[0]
        np.testing.assert_allclose(layer.running_mean.numpy(), np.mean(
            [b.mean(0) for b in batches], 0), 1e-5)
        np.testing.assert_allclose(layer.running_var.numpy(), np.mean(
            [b.var(0) for b in batches], 0), 1e-5)
        self.assertEqual((layer.momentum, layer.training), (0.9, False))

    def test_a_schedule_before_it(self):
        optimizer = optim.SGD([sy.ones([1]).requires_grad_()], 0.5)
        schedule = swa_utils.SWALR(optimizer, 0.1, 2, "linear")
        optimizer.learning_rate = 0.3
        schedule.step()
        self.assertTrue(math.isclose(optimizer.learning_rate, 0.2, rel_tol=1e-6))

    def test_refusals(self):
        p = [sy.ones([2]).requires_grad_()]
        for message, call in {
                "Muon: parameters must be matrices": lambda: optim.Muon(p),
                "Muon: adjust_lr_fn": lambda: optim.Muon(p, adjust_lr_fn="x"),
                "Muon: ns_coefficients must be three": lambda: optim.Muon(
                    p, ns_coefficients=[1.0]),
                "Rprop: etas must be one number in": lambda: optim.Rprop(p, etas=(1.5, 2.0)),
                "Adafactor: epsilon must be a number at": lambda: optim.Adafactor(
                    p, eps=(None, None)),
                "ASGD: lambd must be": lambda: optim.ASGD(p, lambd=-1.0),
                "CyclicLR: mode must be": lambda: optim.lr_scheduler.CyclicLR(
                    optim.SGD(p, 0.1), 0.1, 1.0, mode="x"),
                "SWALR: anneal_strategy": lambda: swa_utils.SWALR(
                    optim.SGD(p, 0.1), 0.1, anneal_strategy="x"),
                "AveragedModel: avg_fn or multi": lambda: swa_utils.AveragedModel(
                    nn.ReLU(), avg_fn=max, multi_avg_fn=max)}.items():
            with self.subTest(message), self.assertRaisesRegex((ValueError, TypeError), message):
                call()


if __name__ == "__main__":
    unittest.main()
