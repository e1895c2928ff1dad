# SPDX-License-Identifier: Apache-2.0
"""Makes inputs for a model of which nothing is known but its ports.

A case fixes the extents that the ports leave open: the first axis of a feed is its batch, or its
sequences where it has a LoD, and the others are its size. The same numbers come with the same seed.
"""
from typing import List, NamedTuple, Optional, Tuple

import numpy as np

from case_files import NamedArray

# Extents to try for the open ones of a feed, by their number; what a model refuses in
# PaddlePaddle is left out. Images: multiples of 32, which networks that halve five times need.
_IMAGES = [(64, 64), (96, 160), (160, 96), (32, 320), (320, 320), (224, 224), (256, 192)]
_LENGTHS = [(8,), (5,), (13,), (21,), (1,), (40,)]
_WIDTHS = [(96,), (160,), (320,), (64,), (200,), (480,)]
SIZES_WANTED = 4  # One to begin with and three others.
_BATCHES = (1, 2, 3)
_LODS = (([3, 5, 2], "three sequences"), ([2, 0, 3], "an empty sequence"),
         ([1], "one sequence of one element"))
_DRAWS = 3  # Of a model whose extents are all known.


class Port(NamedTuple):
    """A feed: -1 in ``shape`` is an open extent. ``limit``: its integers are below."""

    name: str
    dtype: str
    shape: Tuple[int, ...]
    lod_levels: int = 0
    limit: int = 2


class Case(NamedTuple):
    """One choice of the open extents. ``what`` says which of them it tries."""

    what: str
    batch: int
    size: Optional[Tuple[int, ...]]
    lengths: List[int]
    seed: int


def _open_axes(port):
    return [axis for axis, extent in enumerate(port.shape) if extent < 0 and axis > 0]


def _candidates(ports):
    """Sizes to try for the feeds, or none if no feed has an open one."""
    most = max(ports, key=lambda port: (len(_open_axes(port)), len(port.shape)), default=None)
    if most is None or not _open_axes(most):
        return []
    if len(_open_axes(most)) > 1:
        return _IMAGES
    return _WIDTHS if len(most.shape) > 3 else _LENGTHS


def cases_of(ports):
    """The cases to try, the first of each kind first."""
    lod = any(port.lod_levels for port in ports)
    batch = any(port.shape and port.shape[0] < 0 and not port.lod_levels for port in ports)
    sizes = _candidates(ports)
    first = sizes[0] if sizes else None
    lengths = _LODS[0][0]
    base_batch = len(lengths) if lod else _BATCHES[0]
    cases = [Case("base", base_batch, first, lengths, 0)]
    if lod:
        cases += [Case(what, len(some), first, some, 1 + i) for i, (some, what) in enumerate(_LODS[1:])]
    elif batch:
        cases += [Case("batch", some, first, lengths, 10 + some) for some in _BATCHES[1:]]
    cases += [Case("size", base_batch, size, lengths, 20 + i) for i, size in enumerate(sizes[1:])]
    if len(cases) == 1:
        cases += [Case("draw", base_batch, None, lengths, 30 + i) for i in range(1, _DRAWS)]
    return cases


def _levels(port, case):
    """Lengths by level: of several levels the upper ones have one sequence each."""
    if not port.lod_levels:
        return None
    return [[1] * len(case.lengths)] * (port.lod_levels - 1) + [list(case.lengths)]


def shape_of(port, case):
    """The feed's extents in a case."""
    size = list(case.size or ())
    shape = []
    for axis, extent in enumerate(port.shape):
        if extent >= 0:
            shape.append(extent)
        elif axis == 0:
            shape.append(sum(case.lengths) if port.lod_levels else case.batch)
        else:
            # Feeds with fewer open axes than others have the last of them.
            shape.append(size.pop(0) if len(size) > 1 or len(_open_axes(port)) == 1 else size[-1])
    return tuple(shape)


def _image_size(ports, case):
    """Height and width of the model's image, for the feeds that repeat them."""
    for port in ports:
        shape = shape_of(port, case)
        if len(shape) == 4:
            return shape[2:]
    return (1, 1)


def _numbers(port, shape, image, rng):
    # Noise would mean nothing to the sizes and scales that PaddleDetection's models take too.
    if port.name in ("im_shape", "im_size", "im_info") and shape[-1:] in ((2,), (3,)):
        row = [*image, 1][:shape[-1]]
        return np.broadcast_to(np.array(row), shape)
    if port.name == "scale_factor":
        return np.ones(shape)
    if port.dtype == "bool":
        return rng.random(shape) < 0.5
    if port.dtype.startswith(("int", "uint")):
        return rng.integers(0, port.limit, shape)
    noise = rng.normal(size=shape)
    if len(shape) == 4:
        # Noise alone is without edges for a convolution to find.
        coarse = rng.normal(size=(*shape[:2], *(-(-extent // 8) for extent in shape[2:])))
        blocks = coarse.repeat(8, axis=2).repeat(8, axis=3)
        noise = 0.3 * noise + blocks[:, :, :shape[2], :shape[3]]
    return noise


def make(ports, case):
    """The feeds of a case."""
    rng = np.random.default_rng(case.seed)
    image = _image_size(ports, case)
    return [NamedArray(port.name,
                       np.array(_numbers(port, shape_of(port, case), image, rng), dtype=port.dtype, order="C"),
                       _levels(port, case)) for port in ports]
