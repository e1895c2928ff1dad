# SPDX-License-Identifier: Apache-2.0
"""Tells what a file is by its first bytes, where it is not of a kind that is
read here, and how what is in it gets here."""

from __future__ import annotations

import os
import stat

TORCH_FILE = "a file of torch.save"
SAFETENSORS = "a safetensors file"
SAVED_PROGRAM = "a saved program of Switchyard"
_ARRAY = "an array of NumPy (.npy)"
_ARRAYS = "NumPy's archive of several arrays (.npz)"
_TEXT = "a text file"
_ONNX = "an ONNX model"
_TORCH_PROGRAMS = ("a TorchScript module of PyTorch",
                   "an exported program of PyTorch (.pt2)")
_MOST = 4096

# How what is in a file gets here, by what it was to be: a model, a state (named
# tensors), an array.
_WEIGHTS = ("save the weights as safetensors or, in PyTorch, torch.save("
            "model.state_dict(), path); build the model here and read them with "
            "sy.load_state(path, pytorch=model)")
_STATE = ("it has weights alone; build the model here and read them with "
          "sy.load_state(path, pytorch=model)")
_WAYS = {
    "model": {
        TORCH_FILE: _STATE, SAFETENSORS: _STATE,
        _ONNX: "sy.load reads it",
        _ARRAY: "it is no model but an input: --input NAME=FILE, or np.load",
        _ARRAYS: "it is no model but several arrays: np.load reads them",
        _TEXT: "a model is a file of Program.save, an ONNX model or a program of "
               "PaddlePaddle",
        None: _WEIGHTS,
    },
    "state": {
        SAVED_PROGRAM: "sy.load reads it; its tensors are program.state",
        _ARRAY: "np.load reads it", _ARRAYS: "dict(np.load(path)) is a state",
        _TEXT: "a state is a file of sy.save, safetensors or torch.save",
        None: _WEIGHTS,
    },
    "array": {
        _TEXT: "np.save the array that np.loadtxt reads",
        None: "np.save the array that it stands for",
    },
}


def describe(path: str | os.PathLike, use: str) -> str | None:
    """"an ONNX model: " and the way here, or None for a file without a known
    mark (or one that can't be read).

    ``use``: what it was to be, "model", "state" or "array".
    """
    found = kind_of(path, use)
    return None if found is None else f"{found[0]}: {found[1]}"


def kind_of(path: str | os.PathLike, use: str) -> tuple[str, str] | None:
    """(what it is, the way here), or None.

    Reads the first bytes alone; of a zip file also the names inside.
    """
    kind = _kind(path)
    if kind is None:
        return None
    ways = _WAYS[use]
    return kind, _OWN_WAYS.get(kind) or ways.get(kind, ways[None])


def _kind(path):
    try:
        if os.path.isdir(path):
            inside = os.path.isfile(os.path.join(path, "saved_model.pb"))
            return "TensorFlow's SavedModel" if inside else None
        with open(path, "rb", opener=open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            start = file.read(_MOST)
    except OSError:
        return None
    if start.startswith(b"PK\3\4"):
        return _zip(path)
    return next((kind for marked, kind in _MARKS if marked(start)), None)


def open_at_once(path, flags):
    """An opener for which a pipe without a writer is no wait."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _zip(path):
    """A zip file by the names in it."""
    from switchyard.torch_files.archive import Archive
    try:
        with open(path, "rb") as file:
            names = Archive(file, os.fstat(file.fileno()).st_size,
                            packed=True).names()
    except (OSError, ValueError):
        return _DAMAGED_ZIP
    last = {name.rpartition("/")[2] for name in names}
    inside = {name.partition("/")[2] for name in names}
    if "constants.pkl" in last and any(name.startswith("code/")
                                       for name in inside):
        return _TORCH_PROGRAMS[0]
    if any("exported_program" in name or "models/" in name for name in names):
        return _TORCH_PROGRAMS[1]
    if "data.pkl" in last:
        return TORCH_FILE
    if names and all(name.endswith(".npy") for name in names):
        return _ARRAYS
    if "metadata.json" in last and "config.json" in last:
        return "a Keras model (.keras)"
    return "a zip file"


def _is_safetensors(start):
    """A header's length, then JSON."""
    return (len(start) > 9 and start[8:9] == b"{"
            and 2 <= int.from_bytes(start[:8], "little") <= 100_000_000)


def _is_onnx(start):
    """The fields of a ModelProto: ir_version, then texts or the opsets."""
    return (len(start) > 4 and start[0] == 0x08 and 1 <= start[1] <= 20
            and start[2] in (0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42))


def _is_saved_model(start):
    """The fields of TensorFlow's SavedModel: its version 1, a MetaGraphDef."""
    return start[:3] == b"\x08\x01\x12"


def _is_old_torch(start):
    """torch.save before PyTorch 1.6: a pickle of a number that is its mark."""
    return start[:14] == b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"


def _is_text(start):
    if not start or b"\0" in start:
        return False
    try:
        start[:-3 if len(start) == _MOST else None].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return all(byte >= 32 or byte in b"\t\n\r\f" for byte in start)


def _begins(mark):
    return lambda start: start.startswith(mark)


_DAMAGED_ZIP = "a zip file that is cut off or damaged"
# Ways that are the same whatever it was to be.
_OWN_WAYS = {
    _DAMAGED_ZIP: "write it again",
    "a zip file": "unpack it and give the file that is inside",
    "a gzip file": "unpack it",
    "a file of torch.save before PyTorch 1.6":
        "write it again there, torch.save(torch.load(path), path)",
    "a shared library or a program": "a plugin is loaded by sy.plugins.load",
}

# (test of the first bytes, what it is), in order.
_MARKS = (
    (_begins(b"SYPROG"), SAVED_PROGRAM),
    (_begins(b"\x93NUMPY"), _ARRAY),
    (_begins(b"\x89HDF\r\n\x1a\n"), "an HDF5 file, as Keras writes"),
    (_begins(b"GGUF"), "a GGUF file of llama.cpp"),
    (lambda start: start[4:8] == b"TFL3", "a TensorFlow Lite model"),
    (_is_safetensors, SAFETENSORS),
    (_is_old_torch, "a file of torch.save before PyTorch 1.6"),
    (lambda start: start[:1] == b"\x80" and start[1:2] in (
        b"\2", b"\3", b"\4", b"\5"),
     "a pickle"),
    (_is_saved_model, "TensorFlow's SavedModel"),
    (_is_onnx, _ONNX),
    (_begins(b"\x1f\x8b"), "a gzip file"),
    (_begins(b"\x7fELF"), "a shared library or a program"),
    (_begins(b"\xff\xd8\xff"), "a JPEG picture"),
    (_begins(b"\x89PNG"), "a PNG picture"),
    (_is_text, _TEXT),
)
