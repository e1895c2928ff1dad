# SPDX-License-Identifier: Apache-2.0
"""Progress on a terminal and in a log."""
import contextlib
import io
import unittest

import progress


class Stream(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        return self._terminal


class ProgressTest(unittest.TestCase):
    def shown(self, terminal, seconds, count=4, each=None):
        """(standard error, standard output) of items that take so long."""
        now = [100.0]
        stream, out = Stream(terminal), io.StringIO()
        work = progress.Progress(range(count), "work", stream, lambda: now[0])
        with contextlib.redirect_stdout(out):
            for item in work:
                now[0] += seconds
                if each is not None:
                    work.print(each)
        return stream.getvalue(), out.getvalue(), item

    def test_a_log_has_lines(self):
        said, _, last = self.shown(False, 30.0)
        self.assertEqual(said.splitlines(), [
            "work: 1/4, 30 s, 1 min 30 s left",
            "work: 2/4, 1 min 00 s, 1 min 00 s left",
            "work: 3/4, 1 min 30 s, 30 s left"])
        self.assertEqual(last, 3)

    def test_a_terminal_has_a_bar(self):
        said, _, _ = self.shown(True, 2.0)
        bars = said.split("\r\x1b[K")
        self.assertEqual(bars[1:], [
            f"[{'#' * 6}{' ' * 18}] work: 1/4, 2 s, 6 s left",
            f"[{'#' * 12}{' ' * 12}] work: 2/4, 4 s, 4 s left",
            f"[{'#' * 18}{' ' * 6}] work: 3/4, 6 s, 2 s left", ""])

    def test_results_stand_above_the_bar(self):
        said, out, _ = self.shown(True, 2.0, count=2, each="a row")
        self.assertEqual(out, "a row\na row\n")
        # Each bar is taken away before the next row, and at the end.
        self.assertTrue(said.endswith("\r\x1b[K"))
        said, out, _ = self.shown(False, 2.0, count=2, each="a row")
        self.assertEqual((said, out), ("", "a row\na row\n"))

    def test_short_work_is_quiet(self):
        for terminal in (False, True):
            self.assertEqual(self.shown(terminal, 0.1)[0], "")

    def test_an_error_takes_the_bar_away(self):
        now = [0.0]
        stream = Stream(True)
        work = progress.Progress(range(3), "work", stream, lambda: now[0])
        with self.assertRaises(ValueError), contextlib.closing(iter(work)) as it:
            next(it)
            now[0] = 5.0
            next(it)
            raise ValueError("it failed")
        self.assertTrue(stream.getvalue().endswith("\r\x1b[K"))

    def test_no_items(self):
        self.assertEqual(list(progress.Progress([], "work", Stream(True))), [])


if __name__ == "__main__":
    unittest.main()
