# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the digests of kernels' sources (phi/core/digests/kernel_digests.h).

kernel_digests.py LIST OUT: LIST has the path of each source of some kernels, one a line. A file's digest is that of
its bytes and of those of the files in the list that it includes, directly or not; a header brings the source of its
name along.
"""
import hashlib
import os
import re
import sys

_INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_OUTPUTS = re.compile(r"^bazel-out/[^/]+/bin/")


def name_of(path):
    """The name by which files include it, and kernels name it: without the folder of outputs."""
    return _OUTPUTS.sub("", path)


def reached(name, contents, includes):
    """The names of the files that `name` is made of, in order."""
    found, todo = {name}, [name]
    while todo:
        one = todo.pop()
        stem, extension = os.path.splitext(one)
        more = list(includes[one])
        if extension == ".h":
            more += [stem + ".cc", stem + ".cu"]
        for other in more:
            if other in contents and other not in found:
                found.add(other)
                todo.append(other)
    return sorted(found)


def digests(contents):
    """{name: digest} of {name: bytes}."""
    own = {name: hashlib.sha256(text).digest() for name, text in contents.items()}
    # A file of another workspace is included by its path there.
    short = {re.sub(r"^external/[^/]+/", "", name): name for name in contents}
    includes = {name: [short.get(one.decode(), "") for one in _INCLUDE.findall(text)]
                for name, text in contents.items()}
    result = {}
    for name in contents:
        whole = hashlib.sha256()
        for one in reached(name, contents, includes):
            whole.update(own[one])
        result[name] = int.from_bytes(whole.digest()[:8], "big") or 1
    return result


def main(listing, out):
    contents = {}
    with open(listing, encoding="utf-8") as file:
        for path in file.read().split():
            with open(path, "rb") as source:
                contents[name_of(path)] = source.read()
    # As C++ compares names.
    rows = sorted(digests(contents).items(), key=lambda row: row[0].encode())
    with open(out, "w", encoding="utf-8") as file:
        file.write("// Generated: the digests of the sources of kernels.\n"
                   '#include "phi/core/digests/kernel_digests.h"\n\n'
                   "namespace switchyard::phi {\n\n"
                   "absl::Span<const SourceDigest> LinkedSourceDigests() {\n"
                   "  static constexpr SourceDigest kDigests[] = {\n")
        for name, digest in rows:
            file.write(f'      {{"{name}", 0x{digest:016x}}},\n')
        file.write("  };\n  return kDigests;\n}\n\n}  // namespace switchyard::phi\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
