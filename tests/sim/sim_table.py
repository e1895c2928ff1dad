#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sim_table.py TABLE [OP ...]: the kernel table of a kernel_set, printed with
the SimKernel (phi/kernels/sim/sim_kernel.h) of each kernel added, or of those
of some operators alone."""
import pathlib
import re
import sys

RECORDS = """\
static const KernelDef* const kKernelsOnSim[] = {
%s};
static SimKernels sim_kernels(kKernelsOnSim);

"""

text = pathlib.Path(sys.argv[1]).read_text()
wanted, found, kernels = set(sys.argv[2:]), set(), []


def with_sim(row):
    kernels.append(row.group(1))
    return f"{row.group()}\n    &sim_kernels.kernels[{len(kernels) - 1}],"


head, *slots = re.split(r"(?=^extern OpSlot kernels_)", text, flags=re.MULTILINE)
for i, slot in enumerate(slots):
    op = re.match(r"extern OpSlot kernels_(\w+);", slot).group(1)
    if wanted and op not in wanted:
        continue
    slots[i], added = re.subn(r"^    &(kernel_\w+),$", with_sim, slot, flags=re.MULTILINE)
    if added:
        found.add(op)
if not kernels or wanted - found:
    sys.exit(f"{sys.argv[1]}: no kernel found for {sorted(wanted - found)}")
records = RECORDS % "".join(f"    &{kernel},\n" for kernel in kernels)
print('#include "phi/kernels/sim/sim_kernel.h"\n' + head + records + "".join(slots), end="")
