# SPDX-License-Identifier: Apache-2.0
"""Reads the index of every kernel archive: what they define is what the table of all kernels names.

    kernel_symbols_test.py TABLE.gen.cc ARCHIVE...
"""
import collections
import re
import struct
import sys

_SYMBOL = re.compile(r"_ZN10switchyard3phi\d+(kernel_\w+)E")
_DECLARATION = re.compile(r"extern const KernelDef (kernel_\w+);")
_MAGIC = b"!<arch>\n"
_HEADER = 60  # Bytes of a member's header: its name first, its size in decimal at 48.


def index(archive):
    """The global symbols that an archive's objects define: those of its first member, "/", which the
    linker reads. It is a big-endian count, an offset for each symbol, and their names, each ended by
    a zero byte. An archive of no symbols has none."""
    with open(archive, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            sys.exit("FAILED: %s is no archive" % archive)
        header = file.read(_HEADER)
        if header[:16].rstrip() != b"/":
            return []
        data = file.read(int(header[48:58]))
    count = struct.unpack_from(">I", data)[0]
    return data[4 + 4 * count:].decode("ascii").split("\0")[:count]


def defined(archives):
    """Archives by the kernel symbol that they define."""
    found = collections.defaultdict(list)
    for archive in sorted(set(archives)):
        for symbol in index(archive):
            match = _SYMBOL.fullmatch(symbol)
            if match:
                found[match.group(1)].append(archive)
    return found


def main(table_path, archives):
    with open(table_path, encoding="ascii") as file:
        table = _DECLARATION.findall(file.read())
    found = defined(archives)
    problems = ["%s is defined %d times: %s" % (name, len(where), ", ".join(where))
                for name, where in sorted(found.items()) if len(where) > 1]
    problems += ["%s is in the table twice" % name
                 for name, count in sorted(collections.Counter(table).items()) if count > 1]
    problems += ["%s is registered in %s, but in no `kernels:` of ops_gen/ops" % (name, where[0])
                 for name, where in sorted(found.items()) if name not in set(table)]
    problems += ["%s is in `kernels:` of ops_gen/ops, but registered nowhere" % name
                 for name in sorted(set(table) - set(found))]
    for problem in problems:
        print("FAILED: " + problem)
    print("%d kernels in %d archives, %d problems"
          % (len(found), len(set(archives)), len(problems)))
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
