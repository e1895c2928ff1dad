# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: what autocast casts, the scaling of gradients, models of half parameters."""
import threading
import unittest

import numpy as np

import switchyard as sy
from switchyard import amp, nn, optim, static


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


class AutocastTest(unittest.TestCase):

    def setUp(self):
        self.x, self.w = sy.tensor(floats(3, 4)), sy.tensor(floats(4, 4), requires_grad=True)

    def test_rules_of_operators(self):
        half = self.x.astype("bfloat16")
        with amp.autocast():
            self.assertEqual(sy.matmul(self.x, self.w).dtype, "bfloat16")
            self.assertEqual(sy.ops.conv2d(sy.ones([1, 1, 3, 3]), sy.ones([1, 1, 2, 2])).dtype, "bfloat16")
            self.assertEqual(sy.softmax(half).dtype, "float32")
            self.assertEqual(sy.sum(half).dtype, "float32")
            self.assertEqual(sy.relu(half).dtype, "bfloat16")
            self.assertEqual(sy.relu(self.x).dtype, "float32")
            self.assertEqual((half + self.x).dtype, "float32")
            self.assertEqual(sy.concat([half, self.x]).dtype, "float32")
            self.assertEqual(sy.concat([half, half]).dtype, "bfloat16")
        with amp.autocast("float16"):
            self.assertEqual(sy.matmul(self.x, self.w).dtype, "float16")
        self.assertEqual(sy.matmul(self.x, self.w).dtype, "float32")

    def test_other_dtypes_stay(self):
        wide, whole = self.x.astype("float64"), sy.ones([2, 2], "int64")
        with amp.autocast():
            self.assertEqual(sy.matmul(wide, wide.T).dtype, "float64")
            self.assertEqual(sy.matmul(whole, whole).dtype, "int64")

    def test_values_are_rounded_once(self):
        with amp.autocast():
            got = sy.matmul(self.x, self.w)
        halves = [t.detach().astype("bfloat16").astype("float32") for t in (self.x, self.w)]
        want = sy.matmul(*halves).astype("bfloat16")
        np.testing.assert_array_equal(got.astype("float32").numpy(), want.astype("float32").numpy())

    def test_gradients_have_the_parameters_dtype(self):
        with amp.autocast():
            loss = sy.sum(sy.matmul(self.x, self.w))
        loss.backward()
        self.assertEqual(self.w.grad.dtype, "float32")
        np.testing.assert_allclose(self.w.grad.numpy(), np.tile(self.x.numpy().sum(0)[:, None], 4), rtol=0.02, atol=0.02)

    def test_gradients_are_computed_in_the_dtypes_of_the_forward_pass(self):
        """Also where backward() is called inside."""
        grads = []
        for inside in (False, True):
            w = self.w.detach().requires_grad_(True)
            with amp.autocast():
                loss = sy.sum(sy.exp(sy.matmul(self.x, w)))
                if inside:
                    loss.backward()
            if not inside:
                loss.backward()
            grads.append(w.grad.numpy())
        np.testing.assert_array_equal(*grads)

    def test_blocks_nest_and_end(self):
        with amp.autocast("float16"):
            with amp.autocast(enabled=False):
                self.assertIsNone(amp.autocast_dtype())
            with amp.autocast("bfloat16"):
                self.assertEqual(amp.autocast_dtype(), "bfloat16")
            self.assertEqual(amp.autocast_dtype(), "float16")
        with self.assertRaises(KeyError), amp.autocast():
            raise KeyError
        self.assertIsNone(amp.autocast_dtype())

    def test_other_threads_have_their_own(self):
        seen = []
        with amp.autocast():
            thread = threading.Thread(target=lambda: seen.append(amp.autocast_dtype()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [None])

    def test_a_function_may_be_decorated(self):

        @amp.autocast("float16")
        def product(depth):
            return product(depth - 1) if depth else sy.matmul(self.x, self.w)

        self.assertEqual(product(2).dtype, "float16")
        self.assertIsNone(amp.autocast_dtype())

    def test_only_halves_are_narrow(self):
        with self.assertRaisesRegex(TypeError, "autocast: dtype must be float16 or bfloat16, got float64"):
            amp.autocast("float64")
        for block in (amp.autocast("cpu", dtype="float16"),
                      amp.autocast(device_type="cuda", dtype="float16"),
                      amp.autocast("gpu", "float16", True),
                      amp.autocast("float16", True)):
            self.assertEqual((block.dtype, block.enabled), ("float16", True))
        self.assertFalse(amp.autocast("float16", False).enabled)
        self.assertEqual(amp.autocast("cpu").dtype, "bfloat16")

    def test_a_program_keeps_what_was_traced(self):

        def function(x):
            with amp.autocast():
                return sy.matmul(x, x.T).astype("float32"), sy.softmax(x)

        program = static.trace(function, floats(3, 4))
        with amp.autocast("float16"):
            got = program(self.x)
        eager = function(self.x)
        for a, b in zip(got, eager):
            np.testing.assert_array_equal(a.numpy(), b.numpy())
        self.assertIn("bfloat16", program.text())
        np.testing.assert_array_equal(program.run_eagerly({"x0": self.x.numpy()})["out0"], eager[0].numpy())

    def test_a_step_is_traced_again_where_autocast_changes(self):
        model = nn.Linear(4, 2)
        step = static.train_step(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters()))
        x, y = floats(3, 4), np.array([0, 1, 0])
        step(x, y)
        with amp.autocast():
            step(x, y)
        step(x, y)
        self.assertEqual(step.traces, 2)

    def test_layers_add_their_bias_in_half(self):
        image = sy.ones([1, 2, 5, 5])
        with amp.autocast():
            for layer, x in ((nn.Linear(4, 3), self.x), (nn.Conv2D(2, 3, 3), image),
                             (nn.Conv2DTranspose(2, 3, 3), image)):
                self.assertEqual(layer(x).dtype, "bfloat16", type(layer).__name__)


class GradScalerTest(unittest.TestCase):

    def setUp(self):
        self.x, self.y = floats(6, 4), np.arange(6) % 3
        self.scaler = amp.GradScaler(init_scale=1024.0, growth_interval=2)

    def model(self):
        sy.seed(1)
        return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))

    def eager_steps(self, model, scaler, batches):
        loss, optimizer = nn.CrossEntropyLoss(), optim.Adam(model.parameters(), 0.01, clip=optim.ClipGradByGlobalNorm(1.0))
        losses = []
        for x in batches:
            optimizer.zero_grad()
            with amp.autocast("float16"):
                value = loss(model(sy.tensor(x)), sy.tensor(self.y))
            scaler.scale(value).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(value.numpy().tobytes())
        return losses

    def static_steps(self, model, scaler, batches):
        optimizer = optim.Adam(model.parameters(), 0.01, clip=optim.ClipGradByGlobalNorm(1.0))
        step = static.train_step(model, nn.CrossEntropyLoss(), optimizer, scaler=scaler)
        with amp.autocast("float16"):
            return [step(x, self.y).numpy().tobytes() for x in batches]

    def test_eager_and_static_agree_where_a_step_is_skipped(self):
        batches = [self.x, self.x * np.float32(1e30), self.x, self.x, self.x]
        models = [self.model() for _ in range(2)]
        scalers = [amp.GradScaler(init_scale=1024.0, growth_interval=2) for _ in range(2)]
        want = self.eager_steps(models[0], scalers[0], batches)
        self.assertEqual(self.static_steps(models[1], scalers[1], batches), want)
        for a, b in zip(*(model.parameters() for model in models)):
            self.assertEqual(a.numpy().tobytes(), b.numpy().tobytes())
        self.assertEqual(scalers[0].get_scale(), scalers[1].get_scale())

    def test_overflow_skips_the_step_and_lowers_the_scale(self):
        for steps in (self.eager_steps, self.static_steps):
            with self.subTest(steps.__name__):
                model, scaler = self.model(), amp.GradScaler(init_scale=1024.0)
                before = [p.numpy() for p in model.parameters()]
                steps(model, scaler, [self.x * np.float32(1e30)])
                for now, then in zip(model.parameters(), before):
                    np.testing.assert_array_equal(now.numpy(), then)
                self.assertEqual(scaler.get_scale(), 512.0)

    def test_the_scale_grows_behind_good_steps(self):
        self.eager_steps(self.model(), self.scaler, [self.x] * 3)
        self.assertEqual(self.scaler.get_scale(), 2048.0)
        self.eager_steps(self.model(), self.scaler, [self.x])
        self.assertEqual(self.scaler.get_scale(), 4096.0)

    def test_small_gradients_survive(self):
        """1e-9 is 0 in float16."""
        w = sy.tensor(np.ones((1, 1), np.float32), requires_grad=True)
        grads = []
        for scaler in (amp.GradScaler(enabled=False), amp.GradScaler()):
            optimizer = optim.SGD([w], 0.0)
            optimizer.zero_grad()
            with amp.autocast("float16"):
                loss = sy.sum(sy.matmul(sy.ones([1, 1]), w)) * 1e-9
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            grads.append(w.grad.item())
        self.assertEqual(grads[0], 0.0)
        self.assertAlmostEqual(grads[1], 1e-9, delta=1e-11)

    def test_state_is_saved(self):
        self.eager_steps(self.model(), self.scaler, [self.x])
        other = amp.GradScaler(growth_interval=2)
        other.load_state_dict(self.scaler.state_dict())
        self.eager_steps(self.model(), other, [self.x])
        self.assertEqual(other.get_scale(), 2048.0)
        with self.assertRaisesRegex(KeyError, "load_state_dict: expected"):
            other.load_state_dict({"scale": 1.0})

    def test_wrong_calls_are_refused(self):
        for arguments in ({"init_scale": 0.0}, {"growth_factor": 1.0}, {"backoff_factor": 1.5}, {"growth_interval": 0}):
            with self.assertRaisesRegex(ValueError, f"GradScaler: {next(iter(arguments))} must be"):
                amp.GradScaler(**arguments)
        with self.assertRaisesRegex(RuntimeError, "no step was made"):
            self.scaler.update()
        model = self.model()
        optimizer = optim.SGD(model.parameters())
        self.scaler.scale(sy.mean(model(sy.tensor(self.x)))).backward()
        self.scaler.unscale_(optimizer)
        with self.assertRaisesRegex(RuntimeError, "were unscaled since"):
            self.scaler.unscale_(optimizer)


class ModuleToTest(unittest.TestCase):

    def test_parameters_and_buffers_change_and_norms_stay(self):
        model = nn.Sequential(nn.Conv2D(2, 3, 3), nn.BatchNorm2D(3), nn.Flatten(), nn.Linear(27, 2))
        model[3].bias.requires_grad_(False)
        self.assertIs(model.to("bfloat16"), model)
        dtypes = {name: slot.tensor.dtype for name, slot in model.named_slots()}
        self.assertEqual({d for name, d in dtypes.items() if name.startswith("1.")}, {"float32"})
        self.assertEqual({d for name, d in dtypes.items() if not name.startswith("1.")}, {"bfloat16"})
        self.assertEqual([p.requires_grad for p in model[3].parameters()], [True, False])
        self.assertEqual(model(sy.ones([2, 2, 5, 5], "bfloat16")).dtype, "bfloat16")
        self.assertEqual({p.dtype for p in model.to("float64").parameters()}, {"float64"})

    def test_places_and_what_is_no_target(self):
        model = nn.Linear(3, 3)
        weight = model.weight
        self.assertIs(model.to(weight.place).weight, weight)
        self.assertEqual(model.to(np.float16).weight.dtype, "float16")
        self.assertEqual(model.to(weight).weight.dtype, "float32")
        self.assertEqual(model.to(weight.place, dtype="float64").weight.dtype, "float64")
        for target, words in (("int32", "dtype must be floating, got int32"), ("gpu:77", "gpu:77"),
                              ("shelf", "shelf")):
            with self.assertRaisesRegex(Exception, words):
                model.to(target)
        self.assertEqual(model.weight.dtype, "float64")

    def test_shared_parameters_stay_shared(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        model[1].weight = model[0].weight
        model.to("float16")
        self.assertIs(model[0].weight, model[1].weight)

    def test_a_half_model_trains_by_master_weights(self):
        sy.seed(0)
        model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to("bfloat16")
        optimizer = optim.Adam(model.parameters(), 0.02, multi_precision=True)
        x = sy.tensor(floats(30, 4)).astype("bfloat16")
        y = sy.argmax(x[:, :3].astype("float32"), 1)
        loss = nn.CrossEntropyLoss()
        losses = []
        for _ in range(30):
            optimizer.zero_grad()
            value = loss(model(x), y)
            value.backward()
            optimizer.step()
            losses.append(value.item())
        self.assertLess(losses[-1], 0.5 * losses[0])
        self.assertEqual({p.dtype for p in model.parameters()}, {"bfloat16"})

    def test_other_dtypes_are_refused(self):
        with self.assertRaisesRegex(TypeError, "to: dtype must be floating, got int8"):
            nn.Linear(2, 2).to("int8")


if __name__ == "__main__":
    unittest.main()
