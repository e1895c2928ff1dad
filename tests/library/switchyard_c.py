# SPDX-License-Identifier: Apache-2.0
"""The C interface by ctypes, with types and numbers that are read from its header."""
import ctypes
import re

import numpy as np

_PLAIN = {
    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t, "switchyard_status": ctypes.c_int32, "switchyard_dtype": ctypes.c_int32,
    "switchyard_kind": ctypes.c_int32, "switchyard_direction": ctypes.c_int32,
    "switchyard_options": ctypes.c_uint64, "switchyard_model": ctypes.c_uint64,
    "switchyard_session": ctypes.c_uint64}


def text_of(path):
    """A header without its comments."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)


def numbers(header):
    """{name: value} of the constants."""
    return {name: int(value) for name, value in re.findall(r"(SWITCHYARD_\w+) = (\d+)", header)}


def functions(header):
    """{name: (type of the result, [types of the arguments])}, as they are written."""
    found = {}
    for result, name, arguments in re.findall(r"^([a-z][\w ]*\*?) ?(switchyard_\w+)\(([^)]*)\);", header, re.M):
        words = [" ".join(one.split()) for one in arguments.split(",")]
        types = [re.sub(r" ?\w+$", "", one) for one in words if one != "void"]
        found[name] = (result.strip(), types)
    return found


def c_type(written):
    if written == "const char*":
        return ctypes.c_char_p
    return ctypes.c_void_p if "*" in written else _PLAIN[written]


class Error(Exception):
    """A call that failed, by its code's name; its text is the exception's."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Library:
    """The functions of the header at `path`, of the library at `binary`."""

    def __init__(self, binary, path):
        header = text_of(path)
        self.numbers = numbers(header)
        self.raw = ctypes.CDLL(str(binary))
        for name, (result, arguments) in functions(header).items():
            function = getattr(self.raw, name)
            function.restype = c_type(result)
            function.argtypes = [c_type(one) for one in arguments]
        statuses = ("OK", "INVALID_ARGUMENT", "WRONG_TYPE", "OUT_OF_RANGE", "NOT_FOUND", "UNSUPPORTED", "NO_MEMORY",
                    "DAMAGED", "UNAVAILABLE", "BAD_HANDLE", "BUSY", "DOES_NOT_FIT", "NOT_READY", "INTERNAL")
        self.statuses = {self.numbers["SWITCHYARD_" + name]: name for name in statuses}
        self.dtypes = {self.raw.switchyard_dtype_name(number).decode(): number for number in range(1, 14)}

    def call(self, name, *arguments):
        """switchyard_NAME(...); Error unless it returns OK."""
        code = getattr(self.raw, "switchyard_" + name)(*arguments)
        if code != 0:
            raise Error(self.statuses[code], self.raw.switchyard_error().decode())

    def get(self, kind, name, *arguments):
        """The value of type `kind` that a function writes to its last argument."""
        value = kind()
        self.call(name, *arguments, ctypes.byref(value))
        return value.value

    def options(self, **values):
        made = self.get(ctypes.c_uint64, "options_new")
        for name, value in values.items():
            self.call("options_set_" + name, made, value.encode() if isinstance(value, str) else value)
        return made

    def load(self, path, options=0):
        return self.get(ctypes.c_uint64, "model_load", str(path).encode(), options)

    def session(self, model, options=0):
        return self.get(ctypes.c_uint64, "session_new", model, options)

    def port(self, model, direction, position):
        """(name, kind, dtype, extents, levels) of an input ("INPUTS") or output."""
        name, kind, dtype = ctypes.c_char_p(), ctypes.c_int32(), ctypes.c_int32()
        rank, levels, extents = ctypes.c_int32(), ctypes.c_int32(), (ctypes.c_int64 * 9)()
        self.call("model_port", model, self.numbers["SWITCHYARD_" + direction], position, ctypes.byref(name),
                  ctypes.byref(kind), ctypes.byref(dtype), ctypes.byref(rank), extents, ctypes.byref(levels))
        return name.value.decode(), kind.value, dtype.value, list(extents[:rank.value]), levels.value

    def names(self, model, direction):
        count = self.get(ctypes.c_size_t, "model_count", model, self.numbers["SWITCHYARD_" + direction])
        return [self.port(model, direction, i)[0] for i in range(count)]

    def place(self, function, session, name, array, strides=True):
        """Calls session_set_input, session_set_output or session_add_item with an array's memory."""
        extents = (ctypes.c_int64 * 9)(*array.shape)
        steps = (ctypes.c_int64 * 9)(*array.strides) if strides else None
        span = array.itemsize + sum((n - 1) * step for n, step in zip(array.shape, array.strides))
        self.call(function, session, name.encode(), self.dtypes[array.dtype.name], array.ndim, extents, steps,
                  array.ctypes.data, span if array.size else 0)

    def output(self, session, name, item=0):
        """A copy of a result; None where an item of an array was not written."""
        dtype, rank, extents = ctypes.c_int32(), ctypes.c_int32(), (ctypes.c_int64 * 9)()
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.call("session_output", session, name.encode(), item, ctypes.byref(dtype), ctypes.byref(rank), extents,
                  ctypes.byref(data), ctypes.byref(size))
        if dtype.value == 0:
            return None
        bits = ctypes.string_at(data.value, size.value) if size.value else b""
        kind = self.raw.switchyard_dtype_name(dtype.value).decode()
        return np.frombuffer(bits, kind).reshape(list(extents[:rank.value])).copy()

    def run(self, session, feeds):
        """{name: result} of a run with these arrays; they need live for its length only."""
        for name, array in feeds.items():
            self.place("session_set_input", session, name, array)
        self.call("session_run", session)
