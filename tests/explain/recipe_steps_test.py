# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/recipes, as model_steps_test.py checks models: each at the batch of the recipe and at
another, and at another size where the recipe's network takes one; networks whose extents are all open."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import accumulation
import actor_critic
import char_lstm
import dcgan
import gpt
import listed_steps
import numpy as np
import quantiles
import serving
import unet
import vae
from switchyard import static
from switchyard.static.program import Program
from switchyard.static.training import TrainStep

TMP = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
RECIPES = {
    "accumulation": lambda: accumulation.main(True, 1),
    "actor_critic": lambda: actor_critic.main(True, 1),
    "char_lstm": lambda: char_lstm.main(True, 1),
    "dcgan": lambda: dcgan.main(True, 1, 4),
    "gpt": lambda: gpt.main(TMP / "gpt", True, steps=1, batch=4),
    "quantiles": lambda: quantiles.main(True, 1),
    "serving": lambda: serving.main(TMP / "served", True),
    "unet": lambda: unet.main(True, 1, 8),
    "vae": lambda: vae.main(True, 1),
}
# Recipes with a state of their batch.
FIXED_BATCH = {"char_lstm"}
# The part of each array that is of a smaller size.
SMALLER = {"char_lstm": np.s_[:, :12], "gpt": np.s_[:, :24], "unet": np.s_[..., :16, :24]}
# Networks, with the shape that they are traced for and shapes of two batches and two sizes.
OPEN = {
    "gpt": (lambda: gpt.GPT(50), static.InputSpec([None, None], "int64"), [(b, n) for b in (1, 3) for n in (8, 40)]),
    "unet": (unet.UNet, static.InputSpec([None, 1, None, None]),
             [(b, 1, *size) for b in (1, 3) for size in ((16, 24), (64, 32))]),
}


class Enough(Exception):
    """The recipe's programs have run."""


class RecipeStepsTest(unittest.TestCase):

    def programs_of(self, main):
        """The programs that a recipe runs first, with what it feeds them; and the first call of each training step."""
        found, calls, run, call = [], [], Program.run, TrainStep.__call__

        def recorded(program, feeds, *arguments, **named):
            if all(program is not known for known, _ in found):
                found.append((program, dict(feeds)))
            elif len(found) >= 2 or found[0][0] is program:
                raise Enough
            return run(program, feeds, *arguments, **named)

        def called(step, inputs, labels):
            if all(step is not known for known, _, _ in calls):
                calls.append((step, inputs, labels))
            return call(step, inputs, labels)

        with mock.patch.object(Program, "run", recorded), mock.patch.object(TrainStep, "__call__", called), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Enough):
            main()
        return found, calls

    def test_recipes(self):
        for name, main in RECIPES.items():
            with self.subTest(name):
                found, calls = self.programs_of(main)
                self.assertTrue(found)
                for program, feeds in found:
                    self.assertGreater(listed_steps.check(self, program, feeds), 0)
                    self.assertTrue(all(port.shape[0] < 0 for port in program.inputs))
                    if name not in FIXED_BATCH:
                        listed_steps.check(self, program, {key: value[:1] for key, value in feeds.items()})
                if name in SMALLER:
                    for step, inputs, labels in calls:
                        smaller = {"inputs": inputs[SMALLER[name]], "labels": labels[SMALLER[name]]}
                        step(**smaller)
                        self.assertGreater(listed_steps.check(self, step.program, smaller), 0)

    def test_all_extents_open(self):
        random = np.random.default_rng(3)
        for name, (make, spec, shapes) in OPEN.items():
            program = static.trace(make().eval(), spec)
            for shape in shapes:
                with self.subTest(name, shape=shape):
                    x = random.random(shape, np.float32) * 9
                    feeds = {"x0": x.astype(spec.dtype)}
                    self.assertGreater(listed_steps.check(self, program, feeds), 20)
                    self.assertIn(" open: depends on ", " ".join(program.selections()))


if __name__ == "__main__":
    unittest.main()
