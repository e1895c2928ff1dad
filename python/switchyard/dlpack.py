# SPDX-License-Identifier: Apache-2.0
"""Exchange of tensors with other libraries by DLPack, without a copy.

A Tensor has ``__dlpack__`` and ``__dlpack_device__``, so that
``numpy.from_dlpack(x)`` and ``torch.from_dlpack(x)`` see x's memory.
"""

from __future__ import annotations

from switchyard import _core

_CPU = 1


def from_dlpack(array, *, device=None,
                copy: bool | None = None) -> _core.Tensor:
    """A Tensor over the memory of ``array``, which must be on the CPU.

    ``array``: anything with ``__dlpack__`` (NumPy, PyTorch, ...), or a DLPack
    capsule. Writes on one side are seen on the other. BufferError for what
    can't be shared: another device, an element type that we lack, negative
    strides. ``copy``: memory of its own; ``device``: where the tensor is put.
    """
    shared = _shared(array)
    if copy:
        shared = _core.tensor(shared)
    return shared if device is None else shared.to(device)


def _shared(array):
    if not hasattr(array, "__dlpack__"):
        if type(array).__name__ == "PyCapsule":
            return _core.from_dlpack_capsule(array)
        raise TypeError("from_dlpack: array must have __dlpack__, got "
                        f"{type(array).__name__}")
    if hasattr(array, "__dlpack_device__"):
        device = int(array.__dlpack_device__()[0])
        if device != _CPU:
            raise BufferError("from_dlpack: device must be the CPU, "
                              f"got type {device}")
    return _core.from_dlpack_capsule(array.__dlpack__())


def dlpack(tensor, *, stream=None):
    """``Tensor.__dlpack__``: a capsule over the tensor's memory."""
    if stream not in (None, -1):
        raise BufferError("__dlpack__: the CPU has no streams")
    return _core.to_dlpack(tensor)


def dlpack_device(tensor):
    """``Tensor.__dlpack_device__``: (device type, number)."""
    del tensor
    return (_CPU, 0)
