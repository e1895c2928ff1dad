# SPDX-License-Identifier: Apache-2.0
"""Text of tensors, for people."""

import numpy as np


def text_of_tensor(tensor):
    """As NumPy shows the elements, with dtype and what autograd knows.

    tensor([[1., 2.],
            [3., 4.]], dtype=float32, requires_grad=True)

    Large tensors are shortened, with their shape; numpy.set_printoptions
    sets precision and when to shorten.
    """
    array = np.asarray(tensor.numpy())
    start = "tensor("
    text = np.array2string(array, separator=", ", prefix=start)
    facts = [f"dtype={tensor.dtype}"]
    if array.size > np.get_printoptions()["threshold"] or array.size == 0:
        facts.insert(0, f"shape={tensor.shape}")
    if tensor.requires_grad:
        facts.append("requires_grad=True")
    if tensor.lod is not None:
        facts.append(f"lod={tensor.lod}")
    return f"{start}{text}, {', '.join(facts)})"
