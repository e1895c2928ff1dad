# SPDX-License-Identifier: Apache-2.0
"""Reads the files of torch.save: tensors in plain containers, such as a state
dict or a checkpoint of several. Whole modules are refused by the name of their
class: nothing of the file is ever called or imported."""

from __future__ import annotations

from switchyard.torch_files.archive import Archive
from switchyard.torch_files.opcodes import Interpreter
from switchyard.torch_files.values import (CALLED, CONSTANTS, Storage,
                                           StorageClass, Tensor)


def read_state(file, size, path):
    """The dict that the file holds, with tensors here.

    ``file`` is open for reading bytes, ``size`` is how many it has. Tensors of
    one storage share memory (those of bool and bfloat16 are copies). ValueError
    for a file that is damaged, or holds anything but tensors, numbers and texts
    in tuples, lists, dicts and sets.
    """
    try:
        return _state(Archive(file, size))
    except ValueError as error:
        raise ValueError(f"load_state: {path} {error}") from None


def _state(archive):
    (folder,) = {name.partition("/")[0] for name in archive.names()
                 if name.endswith("/data.pkl") and name.count("/") == 1} or {""}
    if not folder:
        raise ValueError("has no part data.pkl, as files of torch.save have")
    if f"{folder}/byteorder" in archive.names():
        order = bytes(archive.read(f"{folder}/byteorder"))
        if order != b"little":
            raise ValueError("must have its numbers in little-endian order, got "
                             f"{order[:20].decode('ascii', 'replace')}")
    storages: dict[str, Storage] = {}

    def persistent(words):
        return _storage(archive, folder, storages, words)

    made = Interpreter(archive.read(f"{folder}/data.pkl"), CALLED, CONSTANTS,
                       persistent, _refuse).run()
    if not isinstance(made, dict):
        what = "a tensor" if isinstance(made, Tensor) else type(made).__name__
        raise ValueError(f"must hold a dict, as of state_dict(), got {what}")
    return _here(made, {})


def _storage(archive, folder, storages, words):
    """The storage that ("storage", class, key, location, count) names."""
    if not isinstance(words, tuple) or len(words) != 5 or words[0] != "storage":
        raise ValueError("has a reference that is no storage")
    _, kind, key, _, count = words
    if not isinstance(kind, StorageClass):
        raise ValueError("has a storage of an unknown class")
    if (not isinstance(key, str) or type(count) is not int
            or not 0 <= count < 2**58):
        raise ValueError("has a storage whose name or size is wrong")
    found = storages.get(key)
    if found is None:
        found = storages[key] = Storage(archive.read(f"{folder}/data/{key}"),
                                        kind.dtype, count)
    if (found.dtype, found.count) != (kind.dtype, count):
        raise ValueError(f"has a storage {key} of two sizes or dtypes")
    return found


# How tensors that are not read are made, by the name in the file.
_TENSORS = {
    "torch._utils._rebuild_tensor_v3":
        "a tensor of a dtype that there is none of here (float8, complex32, uint16, "
        "uint32 or uint64): convert it there before torch.save, as by tensor.float()",
    "torch._utils._rebuild_qtensor":
        "a quantised tensor: save tensor.int_repr(), its scale and its zero point",
    "torch._utils._rebuild_sparse_tensor":
        "a sparse tensor: save tensor.to_dense(), or its indices() and values()",
}


def _refuse(name):
    if name in _TENSORS:
        raise ValueError(f"has {_TENSORS[name]}")
    raise ValueError(
        f"has an object of the class {name}; only tensors, numbers and texts in "
        "tuples, lists and dicts are read: save its state there, "
        "torch.save(model.state_dict(), path)")


def _here(value, made):
    """The value with tensors here; what it has twice stays one object."""
    if isinstance(value, (StorageClass, Storage)) or callable(value):
        raise ValueError("has a storage or a function for a value")
    if not isinstance(value, (Tensor, dict, list, tuple)):
        return value
    if id(value) not in made:
        if isinstance(value, Tensor):
            here = value.made()
        elif isinstance(value, dict):
            here = {key: _here(part, made) for key, part in value.items()}
        else:
            here = type(value)(_here(part, made) for part in value)
        made[id(value)] = here
    return made[id(value)]
