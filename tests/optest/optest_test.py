# SPDX-License-Identifier: Apache-2.0
"""Every operator case of the operators under test passes, except the known
failures; and those fail, for the list may only shrink. The sums say that no case is lost."""
import unittest

from tests.optest import optest

MOST_FAILURES = 7


class OptestTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.result = optest.run()
        print(optest.page(cls.result))
        for case, reason in cls.result.failures.items():
            print(f"FAILED {case}: {reason}")

    def test_cases_pass_but_for_the_known_failures(self):
        known = optest.known_failures()
        self.assertLessEqual(len(known), MOST_FAILURES)
        if optest.ONLY is None:
            self.assertEqual(sorted(self.result.failures), sorted(known))
        else:
            self.assertLessEqual(set(self.result.failures), set(known))

    @unittest.skipIf(optest.ONLY, "the sums are of all operators")
    def test_the_sums_are_the_known_ones(self):
        self.assertEqual((optest.HERE / "totals.txt").read_text(),
                         optest.totals_text(self.result), "./sy update")


if __name__ == "__main__":
    unittest.main()
