# SPDX-License-Identifier: Apache-2.0
"""The memory of a compiled step: programs go with what they used, memory stays flat,
and a retrace keeps names, sums and the states of optimizers and scalers."""
import copy
import gc
import os
import tempfile
import tracemalloc
import unittest
import warnings
import weakref

import numpy as np

import switchyard as sy
from switchyard import nn, static

NUMBERS = int(os.environ.get("SY_NUMBERS", 100))  # 1,000 by hand.
X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)


class Net(nn.Module):

    def __init__(self):
        super().__init__()
        self.a, self.factor = nn.Linear(3, 3), 1.0

    def forward(self, x):
        return self.a(x) * self.factor


class Setting:
    """A step whose loss has a teacher with a layer to exchange."""

    def __init__(self, **options):
        sy.seed(0)
        self.model = Net()
        self.teacher = copy.deepcopy(self.model).requires_grad_(False)
        self.optimizer = sy.optim.Adam(self.model.parameters(), 0.01)
        self.step = static.train_step(self.model, self.loss, self.optimizer, **options)

    def loss(self, out, x):
        return ((out - self.teacher(x)) ** 2).mean()

    def exchange(self):
        self.teacher.a = nn.Linear(3, 3)
        self.teacher.a.requires_grad_(False)

    def run(self):
        return self.step(X, sy.tensor(X)).item()


def python_bytes():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


class MemoryTest(unittest.TestCase):

    def test_programs_go_with_what_they_used(self):
        s = Setting()
        s.run()
        for gone in ("layer", "tensor"):
            program = weakref.ref(s.step.program)
            if gone == "layer":
                s.exchange()
            else:
                s.teacher.a.bias = nn.Parameter(np.ones(3, np.float32))
            s.step.program = None
            gc.collect()
            self.assertEqual(len(s.step._programs), 0, gone)
            self.assertIsNone(program(), gone)
            s.run()
            self.assertEqual(len(s.step._programs), 1)

    def flat(self, change, count):
        """The bytes of Python's objects, and the programs, after the changes."""
        s = Setting()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        sizes = []
        for i in range(count):
            change(s, i)
            s.run()
            if i in (count // 2, count - 1):
                sizes.append(python_bytes())
        self.assertEqual(s.step.traces, count)
        self.assertLess(sizes[1] - sizes[0], 64 * 1024)
        return s

    def test_names_stay(self):
        """Checks what takes another's place as an attribute, an item, in a cell."""
        s = Setting()
        items, factor = [sy.ones([3]), 2.0], sy.ones([3])

        def loss(out, x):
            return (s.loss(out, x) * items[0] * factor).mean()
        s.step = static.train_step(s.model, loss, s.optimizer)
        s.run()
        names = sorted(s.step.program.state.keys())
        kept = weakref.ref(items[0])
        s.exchange()
        for change in range(3):
            s.run()
            self.assertEqual(sorted(s.step.program.state.keys()), names)
            self.assertEqual(s.step.traces, change + 2)
            if change == 0:
                items[0] = sy.ones([3]) * 2.0
            elif change == 1:
                factor = sy.ones([3]) * 3.0
        gc.collect()
        self.assertIsNone(kept())

    def test_exchanges_of_a_layer(self):
        s = self.flat(lambda s, i: s.exchange(), 100)
        self.assertEqual(len(s.step._programs), 1)
        self.assertLessEqual(len(s.step._names), 4)

    def test_values_of_a_number(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            s = self.flat(lambda s, i: setattr(s.model, "factor", 1.0 + i), NUMBERS)
        self.assertEqual(len(s.step._programs), static.TrainStep.KEPT)
        self.assertEqual(len(caught), 1)
        self.assertEqual(caught[0].filename, __file__)
        self.assertIn("Net.factor is another number in each call",
                      str(caught[0].message))

    def test_a_step_goes_with_its_last_name(self):
        s = Setting()
        s.run()
        model, step = weakref.ref(s.model), weakref.ref(s.step)
        del s
        gc.collect()
        self.assertIsNone(step())
        self.assertIsNone(model())


class RetraceTest(unittest.TestCase):

    def test_names_of_states(self):
        s = Setting()
        s.run()
        before = s.step.program.state.keys()
        for factor in (2.0, 3.0):
            s.model.factor = factor
            s.run()
            self.assertEqual(s.step.program.state.keys(), before)
        s.exchange()  # What stays keeps its names.
        s.run()
        self.assertEqual(len(s.step.program.state.keys()), len(before))

    def losses(self, compiled, accumulate, scaled, restart):
        """Losses of steps with a retrace in the middle of a sum, and a checkpoint."""
        scaler = sy.amp.GradScaler(init_scale=8.0, growth_interval=3) if (
            scaled) else None
        s = Setting(accumulate=accumulate, scaler=scaler)
        found, path = [], os.path.join(tempfile.mkdtemp(), "state")
        for i in range(9):
            if i == 4:
                s.model.factor = 0.5
            if i == restart:
                sy.save({**s.model.state_dict(), **{
                    "o." + k: v for k, v in s.optimizer.state_dict().items()}}, path)
                with sy.no_grad():
                    for p in s.model.parameters():
                        p.fill_(0.0)
                state = sy.load_state(path)
                s.model.load_state_dict(
                    {k: v for k, v in state.items() if not k.startswith("o.")})
                s.optimizer.load_state_dict(
                    {k[2:]: v for k, v in state.items() if k.startswith("o.")})
            x = sy.tensor(X + i)
            if compiled:
                found.append(s.step(x, x).item())
                continue
            loss = s.loss(s.model(x), x)
            found.append(loss.item())
            loss = loss / accumulate
            (scaler.scale(loss) if scaled else loss).backward()
            if (i + 1) % accumulate:
                continue
            if scaled:
                scaler.step(s.optimizer)
                scaler.update()
            else:
                s.optimizer.step()
            s.optimizer.zero_grad()
        if compiled:
            self.assertEqual(s.step.traces, 2 * accumulate)
        return found + [scaler.state_dict()["scale"].tolist() if scaled else None]

    def test_sums_scales_and_checkpoints(self):
        for accumulate in (1, 2, 3):
            for scaled in (False, True):
                with self.subTest(accumulate=accumulate, scaled=scaled), (
                        warnings.catch_warnings()):
                    warnings.simplefilter("error")  # It is one change.
                    self.assertEqual(self.losses(True, accumulate, scaled, 5),
                                     self.losses(False, accumulate, scaled, 5))


if __name__ == "__main__":
    unittest.main()
