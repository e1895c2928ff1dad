# SPDX-License-Identifier: Apache-2.0
"""The zip file that torch.save writes: names, and where their bytes lie.

Entries are stored as they are, at most as many bytes as the file has; zip64 is
read, compression and encryption are refused. Every number is checked before it
is used. The standard library's reader trusts more, and unpacks.
"""

from __future__ import annotations

import struct

_END = b"PK\5\6"
_END_64 = b"PK\6\6"
_LOCATOR_64 = b"PK\6\7"
_ENTRY = b"PK\1\2"
_LOCAL = b"PK\3\4"
_NOT_HERE_32, _NOT_HERE_16 = 0xFFFFFFFF, 0xFFFF
_MOST_ENTRIES = 200_000


class Archive:
    """The entries of a zip file, open for reading, of ``size`` bytes.

    ValueError for a file that is none, or contradicts itself, and for one with
    parts that are packed unless ``packed``: then only names may be read.
    """

    def __init__(self, file, size, packed=False):
        self._file, self._size, self._may_be_packed = file, size, packed
        self._places: dict[str, tuple[int, int]] = {}
        at, size, count = self._directory()
        listed, at = self._bytes(at, size), 0
        for _ in range(count):
            at = self._add(listed, at)
        # Names of one part would be read again and again.
        if not packed and sum(
                size for _, size in self._places.values()) > self._size:
            raise ValueError("has parts of more bytes than it has itself")

    def names(self):
        """The names of the entries, in the order of the file."""
        return list(self._places)

    def read(self, name):
        """The bytes of an entry, in memory of their own."""
        if name not in self._places:
            raise ValueError(f"has no part {name}")
        header, size = self._places[name]
        mark, names, extra = struct.unpack("<4s22xHH", self._bytes(header, 30))
        if mark != _LOCAL:
            raise ValueError(f"the part {name} has no header")
        return self._bytes(header + 30 + names + extra, size)

    def _bytes(self, at, size):
        if at < 0 or size < 0 or at + size > self._size:
            raise ValueError("is cut off: a part leaves the file")
        data = bytearray(size)
        self._file.seek(at)
        if self._file.readinto(data) != size:
            raise ValueError("is cut off")
        return data

    def _unpack(self, form, at):
        return struct.unpack(form, self._bytes(at, struct.calcsize(form)))

    def _directory(self):
        """(where the list of entries begins, its bytes, how many entries)."""
        # A comment of up to 64 KiB may follow.
        first = max(0, self._size - 22 - _NOT_HERE_16)
        tail = self._bytes(first, self._size - first)
        end = tail.rfind(_END)
        if end < 0:
            raise ValueError("is cut off: it has no list of its parts")
        end += first
        count, size, at = self._unpack("<HII", end + 10)
        if _NOT_HERE_16 == count or _NOT_HERE_32 in (size, at):
            count, size, at = self._directory_64(end)
        if count > min(_MOST_ENTRIES, size // 46):
            raise ValueError(f"has a list of {size} bytes for {count} parts")
        return at, size, count

    def _directory_64(self, end):
        if end < 20 or self._bytes(end - 20, 4) != _LOCATOR_64:
            raise ValueError("has no 64-bit list of its parts")
        place, = self._unpack("<Q", end - 12)
        if self._bytes(place, 4) != _END_64:
            raise ValueError("has no 64-bit list of its parts")
        return self._unpack("<QQQ", place + 32)

    def _add(self, listed, at):
        """Adds the entry that is described at ``at``; returns where it ends."""
        if listed[at:at + 4] != _ENTRY or at + 46 > len(listed):
            raise ValueError("has a list of its parts that is damaged")
        (flags, method, packed, size, name_size, extra_size, comment_size,
         header) = struct.unpack_from("<4xHH8xIIHHH8xI", listed, at + 4)
        end = at + 46 + name_size + extra_size + comment_size
        if end > len(listed):
            raise ValueError("has a list of its parts that is cut off")
        try:
            name = listed[at + 46:at + 46 + name_size].decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("has a part whose name is no text") from None
        extra = listed[at + 46 + name_size:end - comment_size]
        size, packed, header = _wide(extra, size, packed, header)
        stored = not flags & 1 and method == 0 and packed == size
        if not stored and not self._may_be_packed:
            raise ValueError(f"has a part {name} that is packed; torch.save "
                             "stores them as they are")
        if header + 30 + packed > self._size:
            raise ValueError(f"is cut off: its part {name} leaves the file")
        if name in self._places:
            raise ValueError(f"has two parts {name}")
        self._places[name] = header, size
        return end


def _wide(extra, *numbers):
    """The numbers, those that 32 bits don't hold from the 64-bit field."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            given = list(struct.unpack_from(
                f"<{min(size, len(extra) - at - 4) // 8}Q", extra, at + 4))
            return [given.pop(0) if number == _NOT_HERE_32 and given else number
                    for number in numbers]
        at += 4 + size
    return numbers
