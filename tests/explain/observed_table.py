#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""observed_table.py TABLE: the kernel table of a kernel_set, printed with each
kernel replaced by its ObservedKernel (observed_kernels.h)."""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
text, kernels = re.subn(r"^    &(kernel_\w+),$",
                        r"    &ObservedKernel<\1>::def,", text,
                        flags=re.MULTILINE)
if kernels == 0:
    sys.exit(f"{sys.argv[1]}: no kernel found in the table")
print('#include "tests/explain/observed_kernels.h"\n' + text, end="")
