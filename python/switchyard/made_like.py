# SPDX-License-Identifier: Apache-2.0
"""Methods that make a tensor of the dtype, on the place or of the shape of
another."""

from switchyard import _core, functions, torch_creation
from switchyard.functions.arguments import as_list, fitting, tensor_of

_ops = _core.ops


def new_zeros(x, *shape, size=None, dtype=None, device=None,
              requires_grad=False):
    """A tensor of zeros of x's dtype and place."""
    shape = as_list(shape if size is None else (size,))
    return new_full(x, shape, 0, dtype=dtype, device=device,
                    requires_grad=requires_grad)


def new_ones(x, *shape, size=None, dtype=None, device=None, requires_grad=False):
    """A tensor of ones of x's dtype and place."""
    shape = as_list(shape if size is None else (size,))
    return new_full(x, shape, 1, dtype=dtype, device=device,
                    requires_grad=requires_grad)


def new_full(x, shape, value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of ``value`` of x's dtype and place."""
    fitting("new_full", "value", value, dtype or x.dtype)
    made = _ops.full(shape, value, dtype or x.dtype)
    if type(x) is _core.Tensor:
        made = made.to(device or x.place)
    if requires_grad:
        made.requires_grad = True
    return made


def new_empty_strided(x, size, stride, *, dtype=None, device=None,
                      requires_grad=False):
    """``empty_strided`` of x's dtype and place."""
    return torch_creation.empty_strided(
        size, stride, dtype=dtype or x.dtype, device=device or x.device,
        requires_grad=requires_grad)


def view_as(x, other):
    """x in other's shape, by its own memory."""
    return x.view(*tensor_of(other).shape)


def reshape_as(x, other):
    """x in other's shape."""
    return functions.reshape(x, *tensor_of(other).shape)


def expand_as(x, other):
    """x repeated along axes of extent 1 to other's shape, as a view."""
    return functions.expand(x, *tensor_of(other).shape)


def type_as(x, other):
    """The elements as other's dtype."""
    return functions.astype(x, tensor_of(other).dtype)
