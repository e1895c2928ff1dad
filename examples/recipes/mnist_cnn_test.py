# SPDX-License-Identifier: Apache-2.0
"""The recipe of MNIST runs on a small part of it: the same bits both ways."""
import contextlib
import io
import unittest

import mnist_cnn

DATA = "../shared_data/mnist"


class MnistCnnTest(unittest.TestCase):

    def test_both_ways(self):
        losses, texts = [], []
        for static in (False, True):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), (
                    contextlib.redirect_stderr(io.StringIO())):
                losses.append(mnist_cnn.main(DATA, static, 1, 640))
            texts.append(out.getvalue())
        self.assertEqual(*losses)
        self.assertEqual(*texts)
        self.assertGreater(float(texts[0].split()[-1]), 0.4)


if __name__ == "__main__":
    unittest.main()
