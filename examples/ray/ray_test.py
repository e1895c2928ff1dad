# SPDX-License-Identifier: Apache-2.0
"""The example of Ray, with a stand-in for it: two processes have the bits of one."""
import os
import unittest

import ray
import train


class RayTest(unittest.TestCase):

    def test_two_actors_have_the_bits_of_one(self):
        self.addCleanup(ray.shutdown)
        (alone,) = train.main(1)
        before = os.environ.get("RANK")
        two = train.main(2)
        self.assertEqual(two, [alone, alone])
        self.assertLess(alone[0], 1.0)  # It has learnt.
        self.assertEqual(os.environ.get("RANK"), before)  # Not the driver's.


if __name__ == "__main__":
    unittest.main()
