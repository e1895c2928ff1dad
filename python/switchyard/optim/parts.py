# SPDX-License-Identifier: Apache-2.0
"""The parts of complex parameters, which optimizers step as reals."""

from __future__ import annotations

from switchyard import _core


def as_reals(x):
    """x, or of complex numbers the parts along a last axis of their own, without a
    gradient; what PyTorch's optimizers step, too."""
    if not x.dtype.startswith("complex"):
        return x
    return _core.ops.as_real(x.detach() if type(x) is _core.Tensor else x)
