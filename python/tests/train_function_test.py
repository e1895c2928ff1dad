# SPDX-License-Identifier: Apache-2.0
"""Steps of training beyond (x, y) -> loss: metrics, dicts, several optimizers, sums of gradients, other lengths."""
import pickle
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim, static


def floats(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def bits(model):
    return {name: tensor.numpy().tobytes() for name, tensor in model.named_parameters()}


class StructuresTest(unittest.TestCase):

    def setUp(self):
        sy.seed(1)
        self.model = nn.Linear(4, 3)
        self.optimizer = optim.SGD(self.model.parameters(), 0.1)
        self.x, self.y = floats(5, 4), np.arange(5) % 3

    def test_metrics_come_with_the_loss(self):

        def loss(logits, y):
            hits = sy.equal(sy.argmax(logits, 1), y).astype("float32")
            return nn.CrossEntropyLoss()(logits, y), {"accuracy": sy.mean(hits), "by_row": (hits, logits)}

        step = static.train_step(self.model, loss, self.optimizer)
        want, metrics = loss(self.model(sy.tensor(self.x)), sy.tensor(self.y))
        got, traced = step(self.x, self.y)
        self.assertEqual(got.item(), want.item())
        self.assertEqual(traced["accuracy"].item(), metrics["accuracy"].item())
        self.assertIsInstance(traced["by_row"], tuple)
        np.testing.assert_array_equal(traced["by_row"][1].numpy(), metrics["by_row"][1].numpy())

    def test_more_than_metrics_is_refused(self):
        step = static.train_step(self.model, lambda a, b: (sy.mean(a), a, a), self.optimizer)
        with self.assertRaisesRegex(TypeError, "a number and metrics, got 3 results"):
            step(self.x, self.y)

    def test_inputs_and_labels_may_be_dicts(self):

        class Two(nn.Module):

            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 3)

            def forward(self, *, values, scale):
                return self.linear(values) * scale

        def loss(logits, labels):
            return sy.mean(nn.CrossEntropyLoss(reduction="none")(logits, labels["y"]) * labels["weight"])

        models = []
        for _ in range(2):
            sy.seed(2)
            models.append(Two())
        inputs = {"values": self.x, "scale": floats(5, 1, seed=1)}
        labels = {"y": self.y, "weight": floats(5, seed=2)}
        optimizer = optim.SGD(models[0].parameters(), 0.1)
        loss(models[0](**{k: sy.tensor(v) for k, v in inputs.items()}),
             {k: sy.tensor(v) for k, v in labels.items()}).backward()
        optimizer.step()
        step = static.train_step(models[1], loss, optim.SGD(models[1].parameters(), 0.1))
        step(inputs, labels)
        self.assertEqual(bits(models[1]), bits(models[0]))
        self.assertEqual(step.program.feeds, ["inputs_values", "inputs_scale", "labels_y", "labels_weight"])


class AccumulationTest(unittest.TestCase):

    def test_the_bits_are_those_of_eager_sums(self):
        for count in (1, 2, 4):
            with self.subTest(count):
                models = []
                for _ in range(2):
                    sy.seed(4)
                    models.append(nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)))
                loss, y = nn.CrossEntropyLoss(), np.arange(5) % 3
                parts = [floats(5, 4, seed=i) for i in range(2 * count)]
                optimizer = optim.Adam(models[0].parameters(), 0.05)
                losses = []
                for i, x in enumerate(parts):
                    if i % count == 0:
                        optimizer.zero_grad()
                    value = loss(models[0](sy.tensor(x)), sy.tensor(y))
                    (value / float(count) if count > 1 else value).backward()
                    if i % count == count - 1:
                        optimizer.step()
                    losses.append(value.item())
                step = static.train_step(models[1], loss, optim.Adam(models[1].parameters(), 0.05), accumulate=count)
                self.assertEqual([step(x, y).item() for x in parts], losses)
                self.assertEqual(bits(models[1]), bits(models[0]))
                self.assertEqual(step.traces, min(count, 3))

    def test_parameters_stay_in_between(self):
        model = nn.Linear(4, 3)
        step = static.train_step(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), 0.1), accumulate=3)
        before = bits(model)
        for i in range(3):
            self.assertEqual(bits(model), before)
            step(floats(5, 4, seed=i), np.arange(5) % 3)
        self.assertNotEqual(bits(model), before)

    def test_the_number_is_checked(self):
        model = nn.Linear(4, 3)
        with self.assertRaisesRegex(ValueError, r"accumulate must be in \[1, 2147483647\], got 0"):
            static.train_step(model, nn.MSELoss(), optim.SGD(model.parameters()), accumulate=0)


class LengthsTest(unittest.TestCase):

    def setUp(self):
        self.model = nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 7))
        self.optimizer = optim.SGD(self.model.parameters(), 0.1)

    def loss(self, logits, y):
        return nn.CrossEntropyLoss(axis=-1)(logits, y)

    def batch(self, rows, length):
        tokens = np.random.default_rng(length).integers(0, 7, (rows, length + 1))
        return tokens[:, :-1], tokens[:, 1:]

    def test_another_length_is_traced_again(self):
        step = static.train_step(self.model, self.loss, self.optimizer)
        for rows, length in ((2, 5), (3, 5), (2, 8), (4, 5), (1, 8)):
            x, y = self.batch(rows, length)
            with sy.no_grad():
                want = self.loss(self.model(sy.tensor(x)), sy.tensor(y)).item()
            self.assertEqual(step(x, y).item(), want)
        self.assertEqual(step.traces, 2)

    def test_specs_leave_lengths_open(self):
        spec = static.InputSpec(["n", "t"], "int64")
        step = static.train_step(self.model, self.loss, self.optimizer, inputs=spec, labels=spec)
        for rows, length in ((2, 5), (3, 9), (2, 1)):
            x, y = self.batch(rows, length)
            with sy.no_grad():
                want = self.loss(self.model(sy.tensor(x)), sy.tensor(y)).item()
            self.assertEqual(step(x, y).item(), want)
        self.assertEqual(step.traces, 1)

    def test_few_programs_are_kept(self):
        self.model.factor = 0

        def loss(logits, y):
            return self.loss(logits, y) * (1 + self.model.factor)

        step = static.train_step(self.model, loss, self.optimizer)
        for length in range(1, static.TrainStep.KEPT + 4):
            self.model.factor = length
            step(*self.batch(2, length))
        self.assertEqual(len(step._programs), static.TrainStep.KEPT)


class GanTest(unittest.TestCase):

    def parts(self):
        sy.seed(6)
        generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
        critic = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.BatchNorm1D(8), nn.Linear(8, 1))
        g_optimizer = optim.Adam(generator.parameters(), 0.01)
        d_optimizer = optim.RMSprop(critic.parameters(), 0.01)
        loss = nn.BCEWithLogitsLoss()

        def step(real, noise):
            fake = generator(noise)
            on_real, on_fake = critic(real), critic(fake.detach())
            d_loss = loss(on_real, sy.ones_like(on_real)) + loss(on_fake, sy.zeros_like(on_fake))
            d_optimizer.minimize(d_loss)
            judged = critic(fake)
            g_loss = loss(judged, sy.ones_like(judged))
            g_optimizer.minimize(g_loss)
            return {"d": d_loss, "g": g_loss}

        return generator, critic, g_optimizer, d_optimizer, step

    def run_steps(self, step):
        results = []
        for i in range(3):
            losses = step(sy.tensor(floats(5, 4, seed=i)), sy.tensor(floats(5, 3, seed=9 + i)))
            results.append((losses["d"].item(), losses["g"].item()))
        return results

    def test_eager_and_static_agree(self):
        *eager, function = self.parts()
        want = self.run_steps(function)
        generator, critic, g_optimizer, d_optimizer, function = self.parts()
        step = static.train_function(function, [generator, critic], [g_optimizer, d_optimizer])
        self.assertEqual(self.run_steps(step), want)
        self.assertEqual(bits(generator), bits(eager[0]))
        self.assertEqual(bits(critic), bits(eager[1]))
        for name, tensor in critic.named_buffers():
            np.testing.assert_array_equal(tensor.numpy(), dict(eager[1].named_buffers())[name].numpy())
        self.assertEqual(step.traces, 1)

    def test_the_second_loss_reads_the_new_parameters(self):
        model = nn.Linear(2, 1)
        optimizer = optim.SGD(model.parameters(), 0.5)

        def function(x):
            first = sy.mean(model(x))
            optimizer.minimize(first)
            second = sy.mean(model(x))
            optimizer.minimize(second)
            return first, second

        first, second = static.train_function(function, [model], [optimizer])(floats(3, 2))
        self.assertLess(second.item(), first.item())

    def scaled_parts(self, interval):
        """The GAN in float16 with a scaler whose first scales are too large."""
        generator, critic, g_optimizer, d_optimizer, _ = self.parts()
        scaler = sy.amp.GradScaler(init_scale=2.0**20, growth_interval=interval)
        loss = nn.BCEWithLogitsLoss()

        def step(real, noise):
            with sy.amp.autocast("float16"):
                fake = generator(noise)
                on_real, on_fake = critic(real), critic(fake.detach())
                d_loss = loss(on_real, sy.ones_like(on_real)) + loss(on_fake, sy.zeros_like(on_fake))
            d_optimizer.minimize(d_loss, scaler)
            with sy.amp.autocast("float16"):
                judged = critic(fake)
                g_loss = loss(judged, sy.ones_like(judged))
            g_optimizer.minimize(g_loss, scaler)
            scaler.update()
            return {"d": d_loss, "g": g_loss}

        return generator, critic, g_optimizer, d_optimizer, scaler, step

    def test_one_scaler_for_two_optimizers(self):
        for interval in (2000, 1):
            with self.subTest(interval):
                *eager, function = self.scaled_parts(interval)
                before = bits(eager[0])
                want = [self.run_steps(function) for _ in range(3)]
                *parts, function = self.scaled_parts(interval)
                step = static.train_function(function, parts[:2], parts[2:4], scaler=parts[4])
                self.assertEqual([self.run_steps(step) for _ in range(3)], want)
                for mine, eagers in zip(parts[:2], eager[:2]):
                    self.assertEqual(bits(mine), bits(eagers))
                for mine, eagers in zip(parts[2:], eager[2:]):
                    for name, tensor in mine.named_state():
                        self.assertEqual(tensor.numpy().tobytes(), dict(eagers.named_state())[name].numpy().tobytes())
                # Some steps were skipped, and some made.
                self.assertLess(parts[4].get_scale(), 2.0**20)
                self.assertNotEqual(bits(parts[0]), before)

    def test_scalers_are_refused_where_eager_code_would_fail(self):
        model = nn.Linear(2, 1)
        optimizer, scaler = optim.SGD(model.parameters(), 0.1), sy.amp.GradScaler()

        def function(x, times, updates):
            for _ in range(times):
                optimizer.minimize(sy.mean(model(x)), scaler)
            for _ in range(updates):
                scaler.update()

        for times, updates, given, error in (
                (1, 1, None, "the scaler must be the one"), (2, 1, scaler, "unscaled since the last update"),
                (1, 0, scaler, "must call update"), (1, 2, scaler, "no step was made")):
            with self.assertRaisesRegex((ValueError, RuntimeError), error):
                static.train_function(lambda x: function(x, times, updates), [model], [optimizer],
                                      scaler=given)(floats(3, 2))

    def test_what_was_not_given_is_refused(self):
        model, other = nn.Linear(2, 1), nn.Linear(2, 1)
        optimizer = optim.SGD(other.parameters())
        with self.assertRaisesRegex(ValueError, "optimizers must hold the modules' parameters"):
            static.train_function(lambda x: x, [model], [optimizer])
        with self.assertRaisesRegex(ValueError, "the optimizer must be one that train_function was given"):
            static.train_function(lambda x: optimizer.minimize(sy.mean(model(x))), [model], [])(floats(3, 2))
        with self.assertRaisesRegex(RuntimeError, "a function that static.train_function traces"):
            static.trace(lambda x: optimizer.minimize(sy.mean(x)), floats(3, 2))


class PickleTest(unittest.TestCase):

    def test_a_program_goes_through_pickle_with_its_state(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
        program = static.trace(model, floats(2, 3))
        x = floats(5, 3, seed=1)
        copy = pickle.loads(pickle.dumps(program))
        np.testing.assert_array_equal(copy(x).numpy(), program(x).numpy())
        self.assertEqual(copy.inputs, program.inputs)
        # It has a state of its own.
        with sy.no_grad():
            model[0].weight.zero_()
        self.assertFalse(np.array_equal(copy(x).numpy(), program(x).numpy()))


if __name__ == "__main__":
    unittest.main()
