# SPDX-License-Identifier: Apache-2.0
"""A trial at start: items that a model gets together have the bits that each has
alone. The rules of rows.py say so of operators; this is the whole model."""

import numpy as np

from switchyard.serving.arrays import Given, carrier_of
from switchyard.serving.rows import NoRows

_ITEMS = 4
_OPEN = 64  # An extent that the model leaves open.


def _made_up(port, random):
    """An array of items: small numbers, so that indices lie in their tables."""
    dtype = carrier_of(port)
    shape = [_ITEMS, *(extent if extent >= 0 else _OPEN
                       for extent in port.shape[1:])]
    if dtype.kind in "iub":
        return random.integers(0, 2, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def check_items(model):
    """NoRows if an item's bits depend on those that it is run with, or if the
    model does not take made-up items."""
    random = np.random.default_rng(0)
    arrays = {port.name: _made_up(port, random) for port in model.inputs}
    try:
        together = model.run({name: Given(array)
                              for name, array in arrays.items()})
        for i in range(_ITEMS):
            alone = model.run({name: Given(array[i:i + 1])
                               for name, array in arrays.items()})
            for name, (array, _) in alone.items():
                expected = together[name].array
                if name in model.rows:
                    expected = expected[i:i + 1]
                if array.shape != expected.shape \
                        or array.tobytes() != expected.tobytes():
                    raise NoRows(f"{name} of an item depends on the other items")
    except (ValueError, TypeError, IndexError, RuntimeError, MemoryError) as error:
        said = str(error).split("\n")[0]
        raise NoRows(f"made-up items can't be run: {said}") from None
