# SPDX-License-Identifier: Apache-2.0
"""The library shows the functions of its header, and keeps every function and number of the first one."""
import pathlib
import re
import subprocess
import unittest

from switchyard_c import functions, numbers, text_of

BINARY = pathlib.Path("library/libswitchyard.so.1")
HEADER = pathlib.Path("library/include/switchyard.h")
EXPORTS = pathlib.Path("library/exports.lds")
FIRST = pathlib.Path("tests/library/version_1/switchyard.h")


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class SymbolsTest(unittest.TestCase):

    def setUp(self):
        self.functions = functions(text_of(HEADER))

    def test_the_library_shows_what_the_header_declares(self):
        shown = re.findall(r"^[0-9a-f]+ T (\S+)$", said("nm", "-D", "--defined-only", str(BINARY)), re.M)
        self.assertEqual(sorted(shown), sorted(f"{name}@@SWITCHYARD_1" for name in self.functions))
        others = re.findall(r"^[0-9a-f]+ [^A] (\S+)$", said("nm", "-D", "--defined-only", str(BINARY)), re.M)
        self.assertEqual(sorted(others), sorted(shown))
        self.assertEqual(sorted(re.findall(r"(switchyard_\w+);", EXPORTS.read_text())), sorted(self.functions))

    def test_it_stays_loaded_and_has_a_version(self):
        dynamic = said("readelf", "-d", str(BINARY))
        self.assertIn("[libswitchyard.so.1]", dynamic)
        self.assertIn("NODELETE", dynamic)

    def test_the_first_header_is_kept(self):
        """A program that was compiled with it means the same by each name and each number."""
        first, now = text_of(FIRST), numbers(text_of(HEADER))
        self.assertEqual({name: now.get(name) for name in numbers(first)}, numbers(first))
        for name, prototype in functions(first).items():
            self.assertEqual(self.functions.get(name), prototype, name)

    def test_numbers_differ_within_an_enum(self):
        for body in re.findall(r"enum \{(.*?)\}", text_of(HEADER), re.DOTALL):
            values = re.findall(r"= (\d+)", body)
            self.assertEqual(len(values), len(set(values)))
            self.assertEqual(len(values), body.count("SWITCHYARD_"))


if __name__ == "__main__":
    unittest.main()
