# SPDX-License-Identifier: Apache-2.0
"""Text of tensors, for people."""

import numpy as np

from switchyard.functions.storage_casts import numbers


def text_of_tensor(tensor):
    """As NumPy shows the elements, with dtype and what autograd knows.

    tensor([[1., 2.],
            [3., 4.]], dtype=float32, requires_grad=True)

    Large tensors are shortened, with their shape; numpy.set_printoptions
    sets precision and when to shorten. Of one that NumPy can't read where it
    lies, only what is shown is copied.
    """
    options = np.get_printoptions()
    count = tensor.size
    short, threshold = count > options["threshold"], options["threshold"]
    if short and (tensor.dtype == "bfloat16" or tensor.place != "cpu"):
        array, threshold = _ends(tensor.detach(), options["edgeitems"]), 0
    else:
        array = np.asarray(numbers(tensor))
    start = "tensor("
    text = np.array2string(array, separator=", ", prefix=start,
                           threshold=threshold)
    facts = [f"dtype={tensor.dtype}"]
    if short or count == 0:
        facts.insert(0, f"shape={tensor.shape}")
    if tensor.requires_grad:
        facts.append("requires_grad=True")
    if tensor.lod is not None:
        facts.append(f"lod={tensor.lod}")
    return f"{start}{text}, {', '.join(facts)})"


def _ends(tensor, count, axis=0):
    """An array of which NumPy shows what it shows of the tensor: ``count`` elements
    at both ends of each longer axis, and one between that it leaves out."""
    if axis == len(tensor.shape):
        return np.asarray(numbers(tensor))
    if tensor.shape[axis] <= 2 * count + 1:
        return _ends(tensor, count, axis + 1)
    before = (slice(None),) * axis
    return np.concatenate([
        _ends(tensor[(*before, slice(None, count + 1))], count, axis + 1),
        _ends(tensor[(*before, slice(-count, None))], count, axis + 1),
    ], axis)
