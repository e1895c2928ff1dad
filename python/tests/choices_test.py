# SPDX-License-Identifier: Apache-2.0
"""Blocks that record which kernels run, or change what may."""
import unittest

import switchyard as sy


X = sy.ones([2, 3])


def chosen():
    """The line of one call."""
    with sy.record_selections() as log:
        sy.softmax(X)
    (line,) = log
    return line


class BlocksTest(unittest.TestCase):

    def test_recordings_nest(self):
        with sy.record_selections() as outer:
            line = chosen()
            sy.relu(X)
        self.assertTrue(line.startswith("softmax "), line)
        self.assertEqual(outer[:-1], [line])
        self.assertTrue(outer[-1].startswith("relu "), outer)

    def test_a_recording_is_entered_and_left_in_turn(self):
        recording = sy.record_selections()
        with self.assertRaisesRegex(RuntimeError, "entered before"):
            recording.__exit__(None, None, None)
        with recording as first:
            with self.assertRaisesRegex(RuntimeError, "left before"):
                recording.__enter__()
            sy.relu(X)
        with recording as second:
            pass
        self.assertEqual((len(first), second), (1, []))

    def test_a_policy_inside_itself(self):
        plain, policy = chosen(), sy.policy(origin="fluid")
        with policy:
            guest = chosen()
            with policy:
                self.assertEqual(chosen(), guest)
            self.assertEqual(chosen(), guest)
        self.assertEqual(chosen(), plain)
        self.assertNotEqual(guest, plain)
        with self.assertRaisesRegex(RuntimeError, "entered before"):
            policy.__exit__(None, None, None)
        with self.assertRaisesRegex(ValueError, "origin"):
            sy.policy(origin="solid")
        with self.assertRaisesRegex(ValueError, "backends"):
            sy.policy(backends=["tpu"])


if __name__ == "__main__":
    unittest.main()
