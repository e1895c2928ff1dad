# SPDX-License-Identifier: Apache-2.0
"""How a binary is linked whose allocations //tests/faults:fault_injection refuses."""

# switchyard::CpuAllocator() and switchyard::NewObjectBlock(size_t).
FAULT_LINKOPTS = [
    "-Wl,--wrap=_ZN10switchyard12CpuAllocatorEv",
    "-Wl,--wrap=_ZN10switchyard14NewObjectBlockEm",
]
