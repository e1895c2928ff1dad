# SPDX-License-Identifier: Apache-2.0
"""grid_sample by cubic convolution, made of operators."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import refuse
from switchyard.functions.precision import in_float32

_ops = _core.ops

_SHARPNESS = -0.75  # Of the kernel, as in PyTorch and OpenCV.


def _kernel(t):
    """The weights of the places -1, 0, 1, 2 for a point at t in [0, 1)."""
    a = _SHARPNESS

    def near(v):  # |v| up to 1.
        return _ops.add(_ops.multiply(_ops.multiply(_ops.scale(
            v, a + 2.0, -(a + 3.0)), v), v), 1.0)

    def far(v):  # |v| from 1 to 2.
        inner = _ops.scale(_ops.multiply(_ops.scale(v, 1.0, -5.0), v), a, 8.0 * a)
        return _ops.scale(_ops.multiply(inner, v), 1.0, -4.0 * a)
    back = _ops.scale(t, -1.0, 1.0)
    return [far(_ops.scale(t, 1.0, 1.0)), near(t), near(back),
            far(_ops.scale(back, 1.0, 1.0))]


def _mirrored(place, extent, align_corners):
    """Places mirrored at the centres, or the edges, of the outer pixels."""
    low, span = (0.0, extent - 1.0) if align_corners else (-0.5, float(extent))
    if span == 0:
        return _ops.zeros_like(place)
    off = _ops.abs(_ops.scale(place, 1.0, -low))
    turns = _ops.floor(_ops.scale(off, 1.0 / span))
    rest = _ops.subtract(off, _ops.scale(turns, span))
    odd = _ops.not_equal(_ops.scale(_ops.floor(_ops.scale(turns, 0.5)), 2.0), turns)
    return _ops.scale(_ops.where(odd, _ops.scale(rest, -1.0, span), rest), 1.0, low)


def _places(first, extent, padding_mode, align_corners):
    """The four places from ``first`` on as indices that are there, and where they
    are to be read (None: everywhere)."""
    found = []
    for i in range(4):
        place, inside = _ops.scale(first, 1.0, float(i)), None
        if padding_mode == "zeros":
            inside = _ops.logical_and(_ops.greater_equal(place, 0.0),
                                      _ops.less_equal(place, extent - 1.0))
        elif padding_mode == "reflection":
            place = _mirrored(place, extent, align_corners)
        # NaN is the first one.
        place = _ops.fmin(_ops.fmax(place, 0.0), extent - 1.0)
        found.append((_ops.cast(place, "int64"), inside))
    return found


def _points(coordinates, extent, align_corners):
    """(The place before each point and its distance, in pixels, from there)."""
    size = (extent - 1) / 2 if align_corners else extent / 2
    place = _ops.scale(coordinates, size, (extent - 1) / 2)
    before = _ops.floor(place.detach())
    return before, _ops.subtract(place, before)


@in_float32
def sampled(x, grid, padding_mode, align_corners):
    """Samples [n, channels, h', w'] of images x [n, channels, h, w]."""
    if len(x.shape) != 4 or len(grid.shape) != 4 or grid.shape[-1] != 2:
        raise ValueError("grid_sample: x must be images [n, channels, h, w] and grid "
                         "[n, h', w', 2] for mode 'bicubic', got shapes "
                         f"{tuple(x.shape)} and {tuple(grid.shape)}")
    if padding_mode not in ("zeros", "border", "reflection"):
        refuse("grid_sample", "padding_mode", "'zeros', 'border' or 'reflection'",
               padding_mode, ValueError)
    if grid.shape[0] != x.shape[0]:
        raise ValueError(f"grid_sample: grid must have the batch {x.shape[0]} of x, got "
                         f"{grid.shape[0]}")
    n, channels, height, width = x.shape
    if 0 in (height, width):
        raise ValueError("grid_sample: x must have pixels, got shape "
                         f"{tuple(x.shape)}")
    rows = _ops.reshape(x, [n, channels, height * width])
    shape = list(grid.shape[:3])
    (left, dx), (top, dy) = (
        _points(grid[..., i], extent, align_corners)
        for i, extent in ((0, width), (1, height)))
    across, down = (
        _places(_ops.scale(first, 1.0, -1.0), extent, padding_mode, align_corners)
        for first, extent in ((left, width), (top, height)))
    result = None
    for (row, row_inside), by_row in zip(down, _kernel(dy)):
        line = None
        for (column, inside), weight in zip(across, _kernel(dx)):
            index = _ops.add(_ops.scale(row, float(width)), column)
            index = _ops.expand(_ops.reshape(index, [n, 1, -1]),
                                [n, channels, shape[1] * shape[2]])
            values = _ops.reshape(_ops.take_along_axis(rows, index, 2),
                                  [n, channels, *shape[1:]])
            if inside is not None:
                read = _ops.unsqueeze(_ops.logical_and(inside, row_inside), [1])
                values = _ops.where(read, values, _ops.zeros_like(values))
            values = _ops.multiply(values, _ops.unsqueeze(weight, [1]))
            line = values if line is None else _ops.add(line, values)
        line = _ops.multiply(line, _ops.unsqueeze(by_row, [1]))
        result = line if result is None else _ops.add(result, line)
    return result
