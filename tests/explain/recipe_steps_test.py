# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/recipes, as model_steps_test.py checks models: each at the batch of the recipe, and at
another where it takes one."""
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
import quantiles
import serving
import unet
import vae
from switchyard.static.program import Program

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


class Enough(Exception):
    """The recipe's programs have run."""


class RecipeStepsTest(unittest.TestCase):

    def programs_of(self, main):
        """The programs that a recipe runs first, with what it feeds them."""
        found, run = [], Program.run

        def recorded(program, feeds, *arguments, **named):
            if all(program is not known for known, _ in found):
                found.append((program, dict(feeds)))
            elif len(found) >= 2 or found[0][0] is program:
                raise Enough
            return run(program, feeds, *arguments, **named)

        with mock.patch.object(Program, "run", recorded), contextlib.redirect_stdout(io.StringIO()), \
                contextlib.suppress(Enough):
            main()
        return found

    def test_recipes(self):
        for name, main in RECIPES.items():
            with self.subTest(name):
                found = self.programs_of(main)
                self.assertTrue(found)
                for program, feeds in found:
                    self.assertGreater(listed_steps.check(self, program, feeds), 0)
                    if all(port.shape and port.shape[0] < 0 for port in program.inputs):
                        less = {key: value[:1] for key, value in feeds.items()}
                        # A state may be of the recipe's batch.
                        with contextlib.suppress(ValueError):
                            program.run(less)
                            listed_steps.check(self, program, less)


if __name__ == "__main__":
    unittest.main()
