# SPDX-License-Identifier: Apache-2.0
"""Every recipe runs at a small size: eager and static have the same bits."""
import contextlib
import io
import os
import pathlib
import unittest

import numpy as np

import accumulation
import actor_critic
import char_lstm
import dcgan
import gpt
import quantiles
import serving
import unet
import vae

FOLDER = pathlib.Path(__file__).parent
TMP = pathlib.Path(os.environ.get("TEST_TMPDIR", "/tmp"))


class RecipesTest(unittest.TestCase):

    def both(self, function):
        """The losses of function(static), which are the same both ways."""
        losses, self.text = [], []
        for static in (False, True):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                losses.append(function(static))
            self.text.append(out.getvalue())
        self.assertEqual(*losses)
        self.assertEqual(*self.text)
        self.assertTrue(np.isfinite(losses[0]).all())
        return losses[0]

    def assert_falls(self, losses, by):
        """The last tenth of the losses is below ``by`` of the first."""
        count = max(len(losses) // 10, 1)
        self.assertLess(np.mean(losses[-count:]), by * np.mean(losses[:count]))

    def test_quantiles(self):
        self.assert_falls(self.both(lambda s: quantiles.main(s, 100)), 0.7)
        self.assertRegex(self.text[0], r"0\.1: 0\.[01].*0\.9: 0\.[89]")

    def test_vae(self):
        self.assert_falls(self.both(lambda s: vae.main(s, 2)), 0.9)

    def test_char_lstm(self):
        self.assert_falls(self.both(lambda s: char_lstm.main(s, 3)), 0.9)
        self.assertGreater(len(self.text[0]), 150)

    def test_gpt_goes_on_with_the_same_bits(self):
        paths = [TMP / f"gpt{i}" for i in range(4)]
        whole = self.both(
            lambda s: gpt.main(paths[s], s, steps=12, batch=4))
        self.assert_falls(whole, 0.95)
        for static in (False, True):
            path, out = paths[2 + static], io.StringIO()
            with contextlib.redirect_stdout(out):
                parts = [gpt.main(path, static, 12, stop, 4)
                         for stop in (5, None)]
            self.assertEqual([len(part) for part in parts], [5, 7])
            self.assertEqual(sum(parts, []), whole)

    def test_dcgan(self):
        losses = np.array(self.both(lambda s: dcgan.main(s, 8, 4)))
        self.assertEqual(losses.shape, (8, 2))
        self.assertLess(losses[-1, 0], losses[0, 0])

    def test_actor_critic(self):
        losses = self.both(lambda s: actor_critic.main(s, 60))
        self.assertEqual(len(losses), 60)
        # Poles that are left to chance fall after some 20 steps.
        self.assertGreater(float(self.text[0].split()[-1]), 0.95)

    def test_unet(self):
        self.assert_falls(self.both(lambda s: unet.main(s, 2, 48)), 0.95)

    def test_serving(self):
        paths = [TMP / f"served{i}.sy" for i in range(2)]
        self.assert_falls(
            self.both(lambda s: serving.main(paths[s], s, 4)), 0.5)
        self.assertGreater(float(self.text[0].split()[-1]), 0.85)

    def test_accumulation(self):
        for dtype in ("float16", "bfloat16"):
            self.assert_falls(self.both(
                lambda s, dtype=dtype: accumulation.main(s, 1, dtype)), 0.8)

    def test_scripts_are_short(self):
        scripts = sorted(FOLDER.glob("[!_]*.py"))
        self.assertGreater(len(scripts), 10)
        for path in scripts:
            if not path.name.endswith("_test.py"):
                self.assertLess(len(path.read_text().splitlines()), 80, path)


if __name__ == "__main__":
    unittest.main()
