# SPDX-License-Identifier: Apache-2.0
"""Digests of kernels' sources change with what a kernel is made of, and with nothing else."""
import pathlib
import tempfile
import unittest

import kernel_digests

FILES = {
    "phi/kernels/cpu/a.h": '#include "phi/kernels/cpu/rows.h"\n#include <vector>\n',
    "phi/kernels/cpu/b.h": '  #  include "phi/kernels/cpu/a.h"\n',
    "phi/kernels/cpu/c.h": '#include "framework/base/status.h"\n',
    "phi/kernels/cpu/rows.h": '#include "phi/kernels/cpu/b.h"\n',
    "phi/kernels/cpu/rows.cc": "1\n",
}


def digests(**changed):
    files = dict(FILES, **{name.replace("__", "."): text for name, text in changed.items()})
    return kernel_digests.digests({name: text.encode() for name, text in files.items()})


class KernelDigestsTest(unittest.TestCase):

    def test_what_a_change_reaches(self):
        before = digests()
        self.assertEqual(before, digests())
        # Three include one another.
        self.assertEqual(len(set(before.values())), len(FILES) - 2)
        for name, reached in (
                # The source of a header that it includes, in a circle, too.
                ("phi/kernels/cpu/rows.cc", ["a.h", "b.h", "rows.cc", "rows.h"]),
                ("phi/kernels/cpu/a.h", ["a.h", "b.h", "rows.h"]),
                ("phi/kernels/cpu/c.h", ["c.h"])):
            after = digests(**{name: FILES[name] + "// Changed.\n"})
            changed = sorted(one.rpartition("/")[2] for one in FILES if after[one] != before[one])
            self.assertEqual(changed, reached)

    def test_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "b.h").write_text("b")
            (folder / "a.h").write_text("a")
            (folder / "list").write_text(f"{folder}/b.h\n{folder}/a.h\n")
            kernel_digests.main(folder / "list", folder / "table.cc")
            rows = [line.split()[0] for line in (folder / "table.cc").read_text().split("\n")
                    if line.startswith("      {")]
            self.assertEqual(rows, [f'{{"{folder}/a.h",', f'{{"{folder}/b.h",'])
        self.assertEqual(kernel_digests.name_of("bazel-out/k8-opt/bin/phi/kernels/gen/x.h"), "phi/kernels/gen/x.h")


if __name__ == "__main__":
    unittest.main()
