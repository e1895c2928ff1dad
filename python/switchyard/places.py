# SPDX-License-Identifier: Apache-2.0
"""Names of places as PyTorch writes them: sy.device, sy.cuda."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_0, refuse, whole


def device(name, index: int | None = None) -> str:
    """The full name of a place, "cpu" or "gpu:0": of one that is written so, or as
    PyTorch has it, ``device("cuda", 0)``. ValueError where the process has none."""
    if not isinstance(name, str):
        refuse("device", "name", "text", name)
    kind, _, number = name.partition(":")
    kind = "gpu" if kind == "cuda" else kind
    if index is not None:
        number = str(whole("device", "index", index, FROM_0))
    return _core.place(f"{kind}:{number}" if number else kind)
