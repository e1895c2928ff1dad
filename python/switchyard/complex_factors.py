# SPDX-License-Identifier: Apache-2.0
"""Factors that NumPy (LAPACK) finds on the host, so programs don't have them."""

from __future__ import annotations

import numpy as np

from switchyard import _core


def on_host(name, function, x):
    """The results of NumPy's ``function`` as tensors where x lies; they are not
    recorded. NotImplementedError in a program."""
    if type(x) is not _core.Tensor:
        raise NotImplementedError(f"{name}: x must be a tensor, got a graph's value: "
                                  "programs do not have it")
    if len(x.shape) < 2:
        raise ValueError(f"{name}: x must have two axes at least, got {len(x.shape)}")
    try:
        found = function(np.asarray(x.detach().numpy()))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"{name}: x must be matrices that have one: {error}") from None
    made = [_core.tensor(np.asarray(each, order="C")) for each in found]
    return made if str(x.place) == "cpu" else [each.to(x.place) for each in made]
