# SPDX-License-Identifier: Apache-2.0
"""Reads of a 64-bit ELF file what it needs: libraries, their versions, where it
looks for them. Enough for libraries of x86-64; ValueError for anything else."""

import dataclasses
import struct

_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29
_VERNEED, _VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF


@dataclasses.dataclass
class Elf:
    """``needed``: names of libraries; ``versions``: {library: those it needs}."""

    soname: str
    needed: list
    rpath: str
    runpath: str
    versions: dict


def read(data: bytes) -> Elf:
    """The facts of a shared object."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("no 64-bit little-endian ELF file")
    segments = _segments(data)
    dynamic = _dynamic(data, segments)
    strings = _offset(segments, dict(dynamic)[_STRTAB])

    def text(at):
        begin = strings + at
        return data[begin:data.index(b"\0", begin)].decode()
    found = {tag: text(value) for tag, value in dynamic
             if tag in (_SONAME, _RPATH, _RUNPATH)}
    return Elf(found.get(_SONAME, ""),
               [text(value) for tag, value in dynamic if tag == _NEEDED],
               found.get(_RPATH, ""), found.get(_RUNPATH, ""),
               _versions(data, segments, dict(dynamic), text))


def _segments(data):
    """[(type, offset, address, size in the file)]."""
    begin, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    found = []
    for i in range(count):
        kind, _, offset, address, _, length, _, _ = struct.unpack_from(
            "<IIQQQQQQ", data, begin + i * size)
        found.append((kind, offset, address, length))
    return found


def _dynamic(data, segments):
    """[(tag, value)] of the dynamic section."""
    for kind, offset, _, length in segments:
        if kind == _DYNAMIC:
            return list(struct.iter_unpack("<QQ", data[offset:offset + length]))
    raise ValueError("no shared object: it has no dynamic section")


def _offset(segments, address):
    for kind, offset, begin, length in segments:
        if kind == _LOAD and begin <= address < begin + length:
            return offset + address - begin
    raise ValueError(f"address {address:#x} is in no segment")


def _versions(data, segments, dynamic, text):
    """{library: [version]} of the version needs."""
    found, count = {}, dynamic.get(_VERNEEDNUM, 0)
    at = _offset(segments, dynamic[_VERNEED]) if count else 0
    for _ in range(count):
        _, several, name, first, following = struct.unpack_from(
            "<HHIII", data, at)
        each = at + first
        for _ in range(several):
            _, _, _, version, step = struct.unpack_from("<IHHII", data, each)
            found.setdefault(text(name), []).append(text(version))
            each += step
        at += following
    return found
