#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""observed_table.py TABLE: the kernel table of a kernel_set, printed with each
kernel replaced by its ObservedKernel (observed_kernels.h), and each SimKernel
by its ObservedSimKernel (observed_sim_kernels.h)."""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
text, kernels = re.subn(r"^    &(kernel_\w+),$",
                        r"    &ObservedKernel<\1>::def,", text,
                        flags=re.MULTILINE)
if kernels == 0:
    sys.exit(f"{sys.argv[1]}: no kernel found in the table")
text, on_sim = re.subn(r"^    &SimKernel<(kernel_\w+)>::def,$",
                       r"    &ObservedSimKernel<\1>::def,", text,
                       flags=re.MULTILINE)
header = "observed_sim_kernels" if on_sim else "observed_kernels"
print(f'#include "tests/explain/{header}.h"\n' + text, end="")
