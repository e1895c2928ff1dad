# SPDX-License-Identifier: Apache-2.0
"""The last line of ./sy test and its exit code, for runs that pass, fail, skip and break off."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SUMMARY = pathlib.Path("tools/ci/summary.py").resolve()


def configured(label):
    return {"id": {"targetConfigured": {"label": label}},
            "configured": {"targetKind": "cc_test rule"}}


def finished(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


def result(label, xml):
    return {"id": {"testResult": {"label": label, "shard": 1}},
            "testResult": {"testActionOutput": [{"name": "test.xml", "uri": xml.as_uri()}]}}


class SummaryTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.results = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write_suite(self, name, events, exit_code, tail=""):
        text = "".join(json.dumps(event) + "\n" for event in events)
        (self.results / (name + ".bep.json")).write_text(text + tail)
        (self.results / (name + ".rc")).write_text("%d\n" % exit_code)

    def summary(self):
        """(exit code, last line, the whole text)."""
        run = subprocess.run(["/usr/bin/python3", os.fspath(SUMMARY), os.fspath(self.results)],
                             stdout=subprocess.PIPE, universal_newlines=True, check=False)
        return run.returncode, run.stdout.splitlines()[-1], run.stdout

    def test_targets_without_cases_count_as_one(self):
        self.write_suite("tests", [configured("//a:x_test"), finished("//a:x_test", "PASSED")], 0)
        (self.results / "formatting.rc").write_text("0\n")
        self.assertEqual(self.summary()[:2], (0, "2 passed, 0 failed"))

    def test_each_suite_says_how_long_it_took(self):
        self.write_suite("tests", [configured("//a:x_test"), finished("//a:x_test", "PASSED")], 0)
        (self.results / "tests.seconds").write_text("1350\n")
        (self.results / "formatting.rc").write_text("0\n")
        text = self.summary()[2]
        self.assertIn("tests        1 passed, 0 failed, 0 skipped, 22.5 min\n", text)
        self.assertIn("formatting   1 passed, 0 failed, 0 skipped\n", text)

    def test_a_failed_check_shows_what_it_printed(self):
        (self.results / "actions.rc").write_text("1\n")
        (self.results / "actions.log").write_text("editing relu: 23 actions, at most 22\n")
        code, last, text = self.summary()
        self.assertEqual((code, last), (1, "0 passed, 1 failed"))
        self.assertIn("  editing relu: 23 actions, at most 22\n", text)

    def test_cases_are_counted(self):
        xml = self.results / "test.xml"
        xml.write_text("<testsuites><testsuite><testcase name='a'/>"
                       "<testcase name='b'><failure/></testcase>"
                       "<testcase name='c'><skipped/></testcase></testsuite></testsuites>")
        self.write_suite("tests", [configured("//a:x_test"), result("//a:x_test", xml),
                                   finished("//a:x_test", "FAILED")], 3)
        code, last, text = self.summary()
        self.assertEqual((code, last), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertIn("//a:x_test: FAILED", text)

    def test_what_was_not_built_failed(self):
        self.write_suite("tests", [
            configured("//a:x_test"),
            {"id": {"targetCompleted": {"label": "//a:x_test"}}, "completed": {}}], 1)
        code, last, text = self.summary()
        self.assertEqual((code, last), (1, "0 passed, 1 failed"))
        self.assertIn("//a:x_test: FAILED TO BUILD", text)

    def write_incompatible(self, name):
        self.write_suite(name, [
            configured("//gpu:x_test"),
            {"id": {"targetCompleted": {"label": "//gpu:x"}}, "aborted": {"reason": "SKIPPED"}},
            {"id": {"targetCompleted": {"label": "//gpu:x_test"}},
             "aborted": {"reason": "SKIPPED"}}], 0)

    def test_incompatible_tests_are_skipped_once_and_named(self):
        (self.results / "formatting.rc").write_text("0\n")
        self.write_incompatible("tests")
        self.write_incompatible("sanitizers")
        code, last, text = self.summary()
        self.assertEqual((code, last), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("cannot run them: 1\n  //gpu:x_test\n", text)

    def test_what_another_suite_ran_is_not_skipped(self):
        self.write_incompatible("tests")
        self.write_suite("cuda", [configured("//gpu:x_test"), finished("//gpu:x_test", "PASSED")], 0)
        self.assertEqual(self.summary()[:2], (0, "1 passed, 0 failed"))

    def test_nothing_that_ran_is_no_success(self):
        self.assertEqual(self.summary()[:2], (1, "0 passed, 0 failed"))

    def test_left_out_tests_are_skipped_and_named(self):
        (self.results / "formatting.rc").write_text("0\n")
        (self.results / "left_out.txt").write_text("//a:mnist_test\n//a:optest\n")
        code, last, text = self.summary()
        self.assertEqual((code, last), (0, "1 passed, 0 failed, 2 skipped"))
        self.assertIn("left out for want of the shared data: 2\n  //a:mnist_test\n", text)

    def test_a_run_that_broke_off_failed(self):
        self.write_suite("tests", [configured("//a:x_test"), finished("//a:x_test", "PASSED")],
                         37, tail='{"id": {"testSumm')
        (self.results / "tests.profile.json").write_text('{"traceEvents": [{"cat"')
        self.assertEqual(self.summary()[:2], (1, "1 passed, 1 failed"))

    def test_a_check_that_failed(self):
        (self.results / "consumer.rc").write_text("1\n")
        self.assertEqual(self.summary()[:2], (1, "0 passed, 1 failed"))

    def test_a_check_that_the_machine_cannot_run_is_skipped_and_named(self):
        (self.results / "formatting.rc").write_text("0\n")
        (self.results / "opencl.rc").write_text("77\n")
        code, last, text = self.summary()
        self.assertEqual((code, last), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertIn("opencl       0 passed, 0 failed, 1 skipped\n  left out", text)


if __name__ == "__main__":
    unittest.main()
