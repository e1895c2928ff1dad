# SPDX-License-Identifier: Apache-2.0
"""Which attributes keep the items of a batch apart: those that name axes must
not name axis 0."""

import re

# Attributes of axes: none of them may be 0.
_AXES = ("axis", "axes", "dim", "axis1", "axis2", "start_axis")
# The first axis that is flattened or normalised.
_FIRST = ("begin_norm_axis", "x_num_col_dims", "in_num_col_dims")
# They work on the last two axes of their input: a single matrix is one item.
_MATRICES = ("cholesky", "determinant", "eigh", "eigvalsh", "inverse", "lu",
             "matrix_power", "matrix_rank", "qr", "solve", "svd", "svdvals",
             "tril", "tril_triu", "triangular_solve", "triu")
_SLICES = ("slice", "legacy_slice", "step_slice", "strided_slice")
_WHOLE = (1 << 31) - 1  # The end of a slice that has none.


def numbers_of(text):
    """The whole numbers of an attribute, "int64[1, 2]" or "-1 : int64"; None
    where it is of something else."""
    found = re.fullmatch(r"(?:u?int\d+\[([-\d, ]*)\]|(-?\d+)(?: : \w+)?)", text)
    if found is None:
        return None
    return [int(word) for word in (found[1] if found[2] is None else found[2]
                                   ).split(",") if word.strip()]


def _axes_kept(op, attributes, rank):
    for name in _AXES:
        if name not in attributes:
            continue
        axes = numbers_of(attributes[name])
        if axes is None or any(axis % rank == 0 for axis in axes):
            return False
        # All axes of extent 1, whichever those are in a run.
        if op == "squeeze" and not axes:
            return False
    return True


def _slices_whole(attributes, rank):
    """Whether a slice has all of axis 0, as x[:, 1:4] does."""
    axes = numbers_of(attributes["axes"])
    parts = [numbers_of(attributes.get(name, "")) for name in ("starts", "ends")]
    steps = numbers_of(attributes.get("steps", attributes.get("strides", "")))
    steps = [1] * len(axes) if steps is None else steps
    if None in parts or any(
            axis % rank == 0
            for axis in numbers_of(attributes.get("decrease_axis", "int64[]"))):
        return False
    return all(axis % rank != 0 or (start == 0 and end >= _WHOLE and step == 1)
               for axis, start, end, step in zip(axes, *parts, steps))


def keeps_rows(op, attributes, rank, shapes):
    """Whether a call of an operator with the fact keeps items apart.

    ``rank``: that of its inputs with rows; ``shapes``: of its results. That axis
    0 is there in the results is for the caller.
    """
    if rank == 0 or attributes.get("flatten") == "true":
        return False
    if op in _MATRICES:
        return rank > 2
    if op == "batch_norm":
        return "true" in (attributes.get("is_test"),
                          attributes.get("use_global_stats"))
    if op == "transpose":
        return numbers_of(attributes["perm"])[:1] == [0]
    if op in _SLICES:
        return _slices_whole(attributes, rank)
    if op == "tile":
        times = numbers_of(attributes["repeat_times"])
        return times is not None and (
            len(times) < rank or (len(times) == rank and times[0] == 1))
    if op == "pad":
        return numbers_of(attributes["paddings"])[:2] == [0, 0]
    for name in _FIRST:
        first = numbers_of(attributes.get(name, "1"))
        if first is None or first[0] in (0, -rank):
            return False
    if "elementwise_" in op:  # Its axis says where the second input begins.
        return True
    # Axes of unsqueeze count those of its result.
    return _axes_kept(op, attributes, len(shapes[0]) if op == "unsqueeze" else rank)
