# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that give a copy of what a view shows, and views by
strides."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, whole
from switchyard.functions import picking, pieces, shaping
from switchyard.functions.arguments import numbers_in, tensor_of, to_shape

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["alias_copy", "as_strided", "as_strided_copy", "as_strided_scatter",
           "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy",
           "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy",
           "unbind_copy", "unfold_copy", "unsqueeze_copy", "view_copy"]


def _copied(x):
    return tuple(map(_ops.assign, x)) if isinstance(x, (tuple, list)) else (
        _ops.assign(x))


def alias_copy(x: T) -> T:
    """A copy of x."""
    return _ops.assign(tensor_of(x))


def _diagonal(name, x, offset, dim1, dim2):
    x = tensor_of(x)
    axes = [whole(name, argument, given) for argument, given in (
        ("dim1", dim1), ("dim2", dim2))]
    return _ops.diagonal(x, whole(name, "offset", offset), *axes)


def diagonal_copy(x: T, offset: int = 0, dim1: int = 0, dim2: int = 1) -> T:
    """A copy of the diagonals ``offset`` of the axes ``dim1`` and ``dim2``."""
    return _copied(_diagonal("diagonal_copy", x, offset, dim1, dim2))


def expand_copy(x: T, size, *, implicit: bool = False) -> T:
    """A copy of ``expand``."""
    del implicit
    return _copied(shaping.expand(x, size))


def narrow_copy(x: T, dim: int, start: int, length: int) -> T:
    """A copy of ``narrow``."""
    return _copied(picking.narrow(x, dim, start, length))


def permute_copy(x: T, dims) -> T:
    """A copy of ``permute``."""
    return _copied(shaping.permute(x, dims))


def split_with_sizes_copy(x: T, split_sizes, dim: int = 0) -> tuple:
    """Copies of the pieces of ``split_with_sizes``."""
    return _copied(pieces.split_with_sizes(x, split_sizes, dim))


def squeeze_copy(x: T, dim=None) -> T:
    """A copy of ``squeeze``."""
    return _copied(shaping.squeeze(x, dim=dim))


def t_copy(x: T) -> T:
    """A copy of a matrix with its axes exchanged; of a list or a number."""
    x = tensor_of(x)
    if len(x.shape) > 2:
        raise ValueError(f"t_copy: x must have at most two axes, got {len(x.shape)}")
    return _copied(shaping.transpose(x) if len(x.shape) == 2 else x)


def transpose_copy(x: T, dim0: int, dim1: int) -> T:
    """A copy of ``transpose``."""
    x = tensor_of(x)
    return _copied(shaping.swapaxes(x, dim0, dim1) if x.shape else x)


def unbind_copy(x: T, dim: int = 0) -> tuple:
    """Copies of the slices of ``unbind``."""
    return _copied(shaping.unbind(x, dim))


def unfold_copy(x: T, dim: int, size: int, step: int) -> T:
    """A copy of the windows of ``unfold``."""
    return pieces.unfold(x, dim, size, step)


def unsqueeze_copy(x: T, dim: int) -> T:
    """A copy of ``unsqueeze``."""
    return _copied(shaping.expand_dims(x, dim))


def view_copy(x: T, size) -> T:
    """A copy of x with other extents."""
    return _copied(shaping.reshape(x, size))


def _places(name, x, size, stride, offset):
    """Where each element of a view by strides is in x, read in a row."""
    size, stride = (numbers_in(name, argument, given) for argument, given in (
        ("size", size), ("stride", stride)))
    if len(size) != len(stride):
        raise ValueError(f"{name}: stride must be of {len(size)} axes as size is, "
                         f"got {len(stride)}")
    places = np.array(whole(name, "storage_offset", offset or 0, FROM_0))
    for n, step in zip(size, stride):
        if n < 0 or step < 0:
            raise ValueError(f"{name}: size and stride must be from 0, got {n} and "
                             f"{step}")
        places = places[..., None] + np.arange(n) * step
    if places.size and places.max() >= x.size:
        raise ValueError(f"{name}: size and stride must stay in the {x.size} "
                         f"elements of x, got one at {int(places.max())}")
    return places


def as_strided(x: T, size, stride, storage_offset=None) -> T:
    """The elements of x, read in a row, that lie at the steps ``stride`` from
    ``storage_offset`` on. A copy: nothing here writes through it."""
    x = tensor_of(x)
    places = _places("as_strided", x, size, stride, storage_offset)
    if not places.size:
        return _ops.full(list(places.shape), 0, x.dtype)
    taken = _ops.index_select(to_shape(x, [x.size]), places.reshape(-1), 0)
    return to_shape(taken, list(places.shape))


def as_strided_copy(x: T, size, stride, storage_offset=None) -> T:
    """``as_strided``."""
    return as_strided(x, size, stride, storage_offset)


def as_strided_scatter(x: T, src, size, stride, storage_offset=None) -> T:
    """x with the elements of ``src`` at the places of ``as_strided``."""
    from switchyard.functions.writing import put
    x = tensor_of(x)
    places = _places("as_strided_scatter", x, size, stride, storage_offset)
    return put(x, places, src)
