# SPDX-License-Identifier: Apache-2.0
"""The parts of the example that need no library for pictures."""
import unittest

import numpy as np

import boxes
import ctc


class BoxesTest(unittest.TestCase):
    def test_clockwise_from_any_order(self):
        want = [[1, 2], [9, 1], [10, 5], [2, 6]]
        for start in range(4):
            corners = want[start:] + want[:start]
            np.testing.assert_array_equal(boxes.clockwise(corners[::-1]), want)
            np.testing.assert_array_equal(boxes.clockwise(corners), want)

    def test_reading_order(self):
        def at(x, y):
            return np.float32([[x, y], [x + 5, y], [x + 5, y + 5], [x, y + 5]])
        # The second and third are of one line though the right one is higher.
        ordered = boxes.in_reading_order([at(0, 60), at(50, 20), at(3, 26), at(80, 0)])
        self.assertEqual([tuple(box[0]) for box in ordered], [(80, 0), (3, 26), (50, 20), (0, 60)])


class DecodeTest(unittest.TestCase):
    def decoded(self, best, scores):
        probabilities = np.zeros((len(best), 3))
        probabilities[np.arange(len(best)), best] = scores
        return ctc.decode(probabilities, ["", "a", "b"])

    def test_repetitions_and_blanks(self):
        text, score = self.decoded([0, 1, 1, 0, 1, 2, 2, 0], [.9, .5, .7, .9, 1, .9, .6, .9])
        self.assertEqual(text, "aab")
        self.assertAlmostEqual(score, 0.8)

    def test_nothing(self):
        self.assertEqual(self.decoded([0, 0], [1, 1]), ("", 0.0))


if __name__ == "__main__":
    unittest.main()
