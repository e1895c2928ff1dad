# SPDX-License-Identifier: Apache-2.0
"""Reads the index of every kernel archive: what they define is what the table of all kernels names.

    kernel_symbols_test.py TABLE.gen.cc ARCHIVE...
"""
import collections
import pathlib
import re
import struct
import sys

_SYMBOL = re.compile(r"_ZN10switchyard3phi\d+(kernel_\w+)E")
_DECLARATION = re.compile(r"extern const KernelDef (kernel_\w+);")
_PARTS = re.compile(r"kernel_(?P<function>\w+?)_(?:fluid_)?(?P<backend>reference|cpu|onednn|gpu|gpudnn)_[a-z]+[0-9]*")
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


def first_place(paths, pattern):
    """"path:line" of the first line of these files that matches; None if none does."""
    for path in sorted(paths):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(pattern, line):
                return "%s:%d" % (path, number)
    return None


def promised_at(symbol, root=pathlib.Path("ops_gen/ops")):
    """The line of the entry that names a kernel's function."""
    function = _PARTS.fullmatch(symbol)["function"]
    return first_place(root.glob("*.yaml"), r"\bfunc: \"?%s\b|\b%s \{" % (function, function)) or str(root)


def registered_at(symbol, archive, roots=("phi/legacy/kernels", "phi/kernels")):
    """The line of the source that registers a kernel; its archive where a generated one does."""
    parts = _PARTS.fullmatch(symbol)
    paths = [path for root in roots for path in pathlib.Path(root).rglob("*.*") if path.suffix in (".cc", ".h")]
    macro = r"^ *SY_\w+\(%s\b" % parts["function"]
    # Some registrations name their backend, others stand in a source of it.
    return first_place(paths, macro + ", %s\\b" % parts["backend"]) or first_place(paths, macro) or archive


def problems_of(table, found):
    """A sentence for each kernel that table and archives don't both name once. `table`: the symbols in it; `found`:
    the archives that define a symbol."""
    problems = ["%s: %s must be registered once, got %s" % (registered_at(name, where[0]), name, ", ".join(where))
                for name, where in sorted(found.items()) if len(where) > 1]
    problems += ["%s: %s must be promised once, got it in the table twice" % (promised_at(name), name)
                 for name, count in sorted(collections.Counter(table).items()) if count > 1]
    problems += ["%s: %s must be in `kernels:` of an entry of ops_gen/ops, got it registered in %s"
                 % (registered_at(name, where[0]), name, where[0])
                 for name, where in sorted(found.items()) if name not in set(table)]
    return problems + ["%s: %s is in `kernels:`, so it must be registered, got no such symbol" % (promised_at(name), name)
                       for name in sorted(set(table) - set(found))]


def main(table_path, archives):
    with open(table_path, encoding="ascii") as file:
        table = _DECLARATION.findall(file.read())
    found = defined(archives)
    problems = problems_of(table, found)
    for problem in problems:
        print("FAILED: " + problem)
    print("%d kernels in %d archives, %d problems"
          % (len(found), len(set(archives)), len(problems)))
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
