#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""observed_table.py TABLE: the kernel table of a kernel_set, or one that
tests/sim/sim_table.py made of it, printed with each kernel replaced by its
ObservedKernel (observed_kernels.h)."""
import pathlib
import re
import sys

RECORDS = """\
static const KernelDef* const kObserved[] = {
%s};
static ObservedKernels observed(kObserved);

"""

text = pathlib.Path(sys.argv[1]).read_text()
kernels = []


def observed(row):
    kernels.append(row.group(1))
    return f"    &observed.kernels[{len(kernels) - 1}],"


head, *slots = re.split(r"(?=^extern OpSlot kernels_)", text, flags=re.MULTILINE)
slots = [re.sub(r"^    &(kernel_\w+|sim_kernels\.kernels\[\d+\]),$", observed, slot, flags=re.MULTILINE)
         for slot in slots]
if not kernels:
    sys.exit(f"{sys.argv[1]}: no kernel found in the table")
records = RECORDS % "".join(f"    &{kernel},\n" for kernel in kernels)
print('#include "tests/explain/observed_kernels.h"\n' + head + records + "".join(slots), end="")
