# SPDX-License-Identifier: Apache-2.0
"""sy.save and sy.load_state: named tensors in a file, in safetensors' format.

The format: 8 bytes with the header's length (little-endian), the header (JSON:
{name: {"dtype", "shape", "data_offsets": [begin, end]}}, and "__metadata__",
texts by name), then the elements of all tensors, row-major, without gaps.
Files come from anywhere, so every number in the header is checked before it is
used; a ValueError says what is wrong.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat

import numpy as np

from switchyard import _core
from switchyard.file_kinds import (SAFETENSORS, TORCH_FILE, kind_of,
                                   open_at_once)
from switchyard.functions.arguments import STORED

_DTYPES = {"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16",
           "I32": "int32", "I64": "int64", "F16": "float16",
           "BF16": "bfloat16", "F32": "float32", "F64": "float64",
           "C64": "complex64", "U16": "uint16", "U32": "uint32", "U64": "uint64",
           "F8_E4M3": "float8_e4m3fn", "F8_E4M3FNUZ": "float8_e4m3fnuz",
           "F8_E5M2": "float8_e5m2", "F8_E5M2FNUZ": "float8_e5m2fnuz",
           "F8_E8M0": "float8_e8m0fnu"}
CODES = {dtype: code for code, dtype in _DTYPES.items()}
_MAX_HEADER = 100_000_000
# The key of a file whose names were made by joining nested ones.
_NESTED = "switchyard.nested"
_MAX_DEPTH = 100


def size_of(dtype):
    if dtype in STORED:
        return 1
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def save(state, path: str | os.PathLike,
         metadata: dict[str, str] | None = None) -> None:
    """Writes {name: tensor or array} to ``path``; replaces it in one step.

    Values may be such dicts themselves: sy.save({"model": model.state_dict(),
    "optimizer": optimizer.state_dict()}, path). ``metadata``: {text: text}.
    ``path`` may be a symbolic link to a file, which stays one, but no device
    and no pipe.
    """
    path = os.fspath(path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"save: no folder {folder}")
    if os.path.isdir(path):
        raise IsADirectoryError(f"save: {path} is a folder")
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"save: {path} must be a regular file, got a device "
                         "or a pipe")
    if not isinstance(state, dict):
        raise TypeError("save: state must be a dict of tensors, got "
                        f"{type(state).__name__}")
    nested = any(isinstance(value, dict) for value in state.values())
    tensors = _as_tensors(_flat(state) if nested else state)
    notes = dict(metadata or {})
    if nested:
        notes[_NESTED] = "/"
    _replace(path, header_of(tensors, notes), tensors)


def _replace(path, header, tensors):
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target),
                             f".sy-save-{os.urandom(8).hex()}")
    # The name is known before there is a file, so that an interrupt at any
    # point finds it to remove; unless it was moved already.
    try:
        with open(temporary, "xb") as file:
            file.write(len(header).to_bytes(8, "little"))
            file.write(header)
            for tensor in tensors.values():
                file.write(_bytes_of(tensor))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def load_state(path: str | os.PathLike, with_metadata: bool = False,
               pytorch=None):
    """{name: Tensor} of a file that ``save`` or another program wrote, in
    safetensors' format or by torch.save.

    Of torch.save: the dict of a ``state_dict()``, or one of several and of
    numbers and texts (a checkpoint); nothing of the file is called or imported,
    and whole modules are refused. Tensors of one storage share memory here.

    ``with_metadata``: (tensors, {text: text}). ``pytorch``: a model, for a file
    of the ``state_dict()`` of the same model there, of which the result is what
    ``model.load_state_dict`` takes: weights of Linear are transposed, names that
    differ are ours. ValueError for a file that is no such file, is cut off or
    contradicts itself.
    """
    path = os.fspath(path)
    with open(path, "rb", opener=open_at_once) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ValueError(f"load_state: {path} must be a regular file, got "
                             "a device or a pipe")
        state, notes = _read(file, about.st_size, path)
    if notes.pop(_NESTED, None) is not None:
        state = _unflat(state)
    if pytorch is not None:
        from switchyard.pytorch import converted
        state = converted(state, pytorch)
    return (state, notes) if with_metadata else state


def _read(file, size, path):
    """(state, metadata) of a file that is open."""
    found = kind_of(path, "state")
    if found is not None and found[0] == TORCH_FILE:
        from switchyard.torch_files import read_state
        return read_state(file, size, path), {}
    if found is not None and found[0] != SAFETENSORS:
        raise ValueError(f"load_state: {path} is {found[0]}: {found[1]}")
    entries, notes, start = read_header(file, size, path)
    state = {}
    for name, (dtype, shape, begin, end) in entries.items():
        file.seek(start + begin)
        data = file.read(end - begin)
        if len(data) != end - begin:
            raise ValueError(f"load_state: {path}: {name} is cut off")
        state[name] = tensor_of(data, dtype, shape)
    return state, notes


# Writing.


def _flat(state, prefix="", depth=1):
    if depth > _MAX_DEPTH:
        raise ValueError(f"save: dicts must be at most {_MAX_DEPTH} deep, got "
                         "more, or one that contains itself")
    flat = {}
    for name, value in state.items():
        if not isinstance(name, str) or "/" in name:
            raise ValueError("save: a nested state's names must be text "
                             f"without '/', got {name!r}")
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}/", depth + 1))
        else:
            flat[prefix + name] = value
    return flat


def _unflat(state):
    nested = {}
    for name, value in state.items():
        *folders, last = name.split("/")
        place = nested
        for folder in folders:
            place = place.setdefault(folder, {})
            if not isinstance(place, dict):
                raise ValueError(f"load_state: {name} is inside a tensor")
        if last in place:
            raise ValueError(f"load_state: {name} is there twice")
        place[last] = value
    return nested


def _as_tensors(state):
    tensors = {}
    for name, value in state.items():
        if not isinstance(name, str) or name == "__metadata__":
            raise ValueError(f"save: a tensor can't be called {name!r}")
        if not isinstance(value, _core.Tensor):
            value = _core.tensor(value)
        tensors[name] = value
    return tensors


def header_of(tensors, notes):
    header, offset = {}, 0
    if notes:
        for key, text in notes.items():
            if not isinstance(key, str) or not isinstance(text, str):
                raise TypeError("save: metadata must be {text: text}, got "
                                f"{key!r}: {text!r}")
        header["__metadata__"] = notes
    for name, tensor in tensors.items():
        if tensor.dtype not in CODES:
            raise TypeError(f"save: {name} must be of a dtype that safetensors "
                            f"has, got {tensor.dtype}")
        size = tensor.size * size_of(tensor.dtype)
        header[name] = {"dtype": CODES[tensor.dtype],
                        "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % 8)


def _bytes_of(tensor):
    elements = tensor.numpy()
    if tensor.dtype == "bfloat16":  # NumPy has it as float32 only.
        elements = (np.ascontiguousarray(elements).view(np.uint32)
                    >> np.uint32(16)).astype(np.uint16)
    return np.ascontiguousarray(elements).tobytes()


# Reading.


def tensor_of(data, dtype, shape):
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).astype(np.uint32)
        elements = (bits << np.uint32(16)).view(np.float32).reshape(shape)
        return _core.tensor(elements, "bfloat16")
    if dtype in STORED:
        return _core.tensor(np.frombuffer(data, np.uint8).reshape(shape), dtype)
    if dtype == "bool" and data.strip(b"\0\1"):
        raise ValueError("load_state: a bool must be 0 or 1")
    return _core.tensor(np.frombuffer(data, dtype).reshape(shape))


def unique_names(pairs):
    """The dict of a JSON object's pairs. ValueError for a name that is there twice."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name is there twice")
    return result


def read_header(file, size, path):
    """(entries, metadata, where the elements begin)."""
    def fail(what):
        raise ValueError(f"load_state: {path}: {what}")

    first = file.read(8)
    if len(first) < 8:
        fail("too short for a safetensors file")
    length = int.from_bytes(first, "little")
    if length > min(size - 8, _MAX_HEADER):
        fail(f"the header's length {length} leaves the file")
    try:
        header = json.loads(file.read(length).decode("utf-8"),
                            object_pairs_hook=unique_names)
    except (ValueError, RecursionError) as error:
        fail(f"the header is not JSON: {error}")
    if not isinstance(header, dict):
        fail("the header must be an object")
    notes = header.pop("__metadata__", {})
    if not isinstance(notes, dict) or not all(
            isinstance(text, str) for text in notes.values()):
        fail("__metadata__ must hold texts")
    entries = {name: _entry(name, entry, fail)
               for name, entry in header.items()}
    _check_layout(entries, size - 8 - length, fail)
    return entries, notes, 8 + length


def is_count(number):
    return isinstance(number, int) and not isinstance(number, bool) and (
        0 <= number < 2**63)


def _entry(name, entry, fail):
    """(dtype, shape, begin, end), each checked."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape",
                                                     "data_offsets"}:
        fail(f"{name} must have dtype, shape and data_offsets")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in _DTYPES:
        fail(f"{name} has dtype {code!r}, known are {', '.join(_DTYPES)}")
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        fail(f"{name} must have a shape of extents")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(
            map(is_count, offsets)):
        fail(f"{name} must have two data_offsets")
    begin, end = offsets
    dtype = _DTYPES[code]
    if end - begin != math.prod(shape) * size_of(dtype):
        fail(f"{name} has {end - begin} bytes, {code}{shape} has others")
    return dtype, shape, begin, end


def _check_layout(entries, size, fail):
    """The tensors follow one another from 0 to the end of the file."""
    at = 0
    for begin, end, name in sorted((begin, end, name) for
                                   name, (_, _, begin, end) in entries.items()):
        if begin != at:
            fail(f"{name} must begin at {at}, begins at {begin}")
        at = end
    if at != size:
        fail(f"the tensors have {at} bytes, the file has {size}")
