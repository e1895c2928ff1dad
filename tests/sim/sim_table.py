#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sim_table.py TABLE [OP ...]: the kernel table of a kernel_set, printed with
the SimKernel (phi/kernels/sim/sim_kernel.h) of each kernel added, or of those
of some operators alone."""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text()
ops = set(sys.argv[2:])
kernels = 0
parts = re.split(r"(?=^extern OpSlot kernels_)", text, flags=re.MULTILINE)
for i, part in enumerate(parts):
    found = re.match(r"extern OpSlot kernels_(\w+);", part)
    if not found or (ops and found.group(1) not in ops):
        continue
    parts[i], added = re.subn(r"^    &(kernel_\w+),$",
                              r"    &\1,\n    &SimKernel<\1>::def,", part,
                              flags=re.MULTILINE)
    kernels += added
    ops.discard(found.group(1))
if kernels == 0 or ops and sys.argv[2:]:
    sys.exit(f"{sys.argv[1]}: no kernel found for {sorted(ops)}")
print('#include "phi/kernels/sim/sim_kernel.h"\n' + "".join(parts), end="")
