# SPDX-License-Identifier: Apache-2.0
"""Calls of operators on tensor arrays."""
from tests.samples import samples
import switchyard as sy


def eager_argument(value):
    """A sample's argument; an array of the elements that its shape says."""
    kind = "tensor_array "
    if not isinstance(value, str) or "[" not in value:
        return value
    spec = samples.parse_value(value.removeprefix(kind))
    array = samples.array_of(spec, "array")
    if not value.startswith(kind):
        return samples.tensor(array, sy)
    return sy.create_array(spec.dtype, list(array))
