# SPDX-License-Identifier: Apache-2.0
"""How a binary is linked whose allocations //tests/faults:fault_injection refuses."""

# switchyard::CpuAllocator()
FAULT_LINKOPTS = ["-Wl,--wrap=_ZN10switchyard12CpuAllocatorEv"]
