# SPDX-License-Identifier: Apache-2.0
"""Changes at random steps around ten compiled models: after every step the bits of
eager code, and as many traces as docs/python/static.md says. SY_RUNS=50 makes that
many runs of each model."""
import os
import threading
import unittest
import warnings

import numpy as np

import mutation_models as models
import switchyard as sy
from switchyard import static

RUNS = int(os.environ.get("SY_RUNS", 3))
STEPS = 10


def plan(name, seed):
    """{step: [(change, number)]}: at most one change that may be traced for."""
    rng = np.random.default_rng([seed, len(name)])
    models.reset()
    changes = models.MODELS[name]().changes
    names, made = sorted(changes), {}
    for step in range(1, STEPS):
        for _ in range(rng.integers(0, 3)):
            made.setdefault(step, []).append(
                (names[rng.integers(len(names))], int(rng.integers(1, 8))))
    return made


class Run:
    """Steps of a model, compiled or not."""

    def __init__(self, name, compiled):
        models.reset()
        sy.seed(1)
        self.setting = models.MODELS[name]()
        s = self.setting
        self.step = static.train_step(s.model, s.loss, s.optimizer) if (
            compiled) else None
        self.rng = np.random.default_rng(7)

    def change(self, changes):
        for name, number in changes:
            self.setting.changes[name][0](self.setting, number)

    def __call__(self):
        """The bits after a step."""
        s, x = self.setting, sy.tensor(models.draw(self.rng, 5, models.WIDTH))
        if self.step is not None:
            loss = self.step(x, x)
        else:
            loss = s.loss(s.model(x), x)
            s.optimizer.minimize(loss)
        return [loss.numpy().tobytes(), *s.state()]


class MutationTest(unittest.TestCase):

    def bits(self, name, made, compiled):
        """[bits after each step], and the numbers of traces after each."""
        run = Run(name, compiled)
        found, traces = [], []
        for step in range(STEPS):
            sy.seed(step)
            run.change(made.get(step, ()))
            sy.seed(step)
            found.append(run())
            traces.append(run.step.traces if compiled else 0)
        return found, traces

    def check_traces(self, name, made, traces):
        """A step after changes that are seen, or are none, is not traced again; one
        after others is at most once more."""
        table = models.MODELS[name]().changes
        for step in range(1, STEPS):
            costs = [table[change][1] for change, _ in made.get(step, ())]
            more = traces[step] - traces[step - 1]
            self.assertLessEqual(more, 1)
            if not any(cost is None or cost for cost in costs):
                self.assertEqual(more, 0, (step, made.get(step)))

    def test_random_changes(self):
        for name in models.MODELS:
            for seed in range(RUNS):
                made = plan(name, seed)
                with self.subTest(name, seed=seed), warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)
                    want, _ = self.bits(name, made, False)
                    got, traces = self.bits(name, made, True)
                    for step in range(STEPS):
                        self.assertEqual(got[step], want[step],
                                         (step, made.get(step)))
                    self.check_traces(name, made, traces)

    def test_each_change_alone(self):
        for name in models.MODELS:
            models.reset()
            for change, (_, cost) in models.MODELS[name]().changes.items():
                with self.subTest(name, change=change):
                    made = {3: [(change, 3)]}
                    want, _ = self.bits(name, made, False)
                    got, traces = self.bits(name, made, True)
                    self.assertEqual(got, want)
                    self.assertEqual(traces[2], 1)
                    if cost is not None:
                        self.assertEqual(traces[-1], 1 + cost)

    def test_nothing_changes(self):
        for name in models.MODELS:
            with self.subTest(name):
                got, traces = self.bits(name, {}, True)
                self.assertEqual(got, self.bits(name, {}, False)[0])
                self.assertEqual(traces[-1], 1)

    def test_another_thread_traces(self):
        """One thread's reads are none of the other's."""
        run, other = Run("numbers", True), Run("listed", True)
        ready, done, errors = threading.Event(), threading.Event(), []

        def loss(out, x):
            ready.set()
            done.wait(10)
            return ((out - x) ** 2).mean()

        slow = static.train_step(other.setting.model, loss, other.setting.optimizer)
        x = np.ones((5, models.WIDTH), np.float32)

        def work():
            try:
                for _ in range(3):
                    slow(x, x)
            except Exception as error:  # For the thread that waits.
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        ready.wait(10)
        want = Run("numbers", False)
        for number in range(1, 4):
            for one in (run, want):
                one.change([("number", number)])
            self.assertEqual(run(), want())
        done.set()
        thread.join()
        self.assertEqual(errors, [])
        self.assertEqual((run.step.traces, slow.traces), (3, 1))


if __name__ == "__main__":
    unittest.main()
