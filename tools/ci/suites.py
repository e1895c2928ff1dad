#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Says which C++ tests the suites of ./sy test run: prints the targets of the plain one, a line each.

A C++ test that sanitizer_targets.txt covers runs once, under the sanitizers, unless plain_targets.txt
covers it too: tests of numbers, whose vector targets and instructions are those of the plain build.
"""
import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).parent
SANITIZED = FOLDER / "sanitizer_targets.txt"
PLAIN = FOLDER / "plain_targets.txt"


def patterns_of(path):
    """The patterns of a list of targets, in its order."""
    lines = path.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def matches(pattern, label):
    if pattern.endswith("/..."):
        folder = pattern[:-len("/...")]
        return label.startswith((folder + "/", folder + ":"))
    return pattern == label


def covers(patterns, label):
    """Reads patterns as Bazel does: in order, a minus takes away."""
    result = False
    for pattern in patterns:
        if matches(pattern.lstrip("-"), label):
            result = not pattern.startswith("-")
    return result


def sanitized_only(tests, sanitized, plain):
    """The labels among ``tests``, C++ tests that sanitizers may run, that the plain suite leaves out."""
    return [label for label in tests if covers(sanitized, label) and not covers(plain, label)]


def query(expression):
    result = subprocess.run(["bazel", "query", "--noshow_progress", expression], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout.split()


def main():
    # Other languages, and a tag, are left out of the sanitizer suite by .bazelrc.
    tests = query("kind('^cc_test rule', tests(//...)) except attr(tags, '\\bnosan\\b', tests(//...))")
    left_out = sanitized_only(tests, patterns_of(SANITIZED), patterns_of(PLAIN))
    print("//...", *("-" + label for label in left_out), sep="\n")


if __name__ == "__main__":
    main()
