# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel: the package, what its extension needs, licences.

    make_wheel.py WHEEL VERSION LICENSE FILE...

FILEs are those of the package; a path's part after the last "switchyard/" is
its place there. Pages of the operators (docs/ops) go to switchyard/docs.
Libraries that are not glibc's go to switchyard/libs, where the
extension looks for its own and theirs (DT_RPATH, $ORIGIN/libs). Debug symbols
are stripped. The same files give the same bytes.
"""

import base64
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import elf

TAG = "cp311-cp311-manylinux_2_36_x86_64"
# Libraries that every system with glibc has.
GLIBC = frozenset((
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libm.so.6",
    "libpthread.so.0", "librt.so.1"))
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu")

METADATA = """\
Metadata-Version: 2.1
Name: switchyard
Version: {version}
Summary: A deep-learning operator framework: eager tensors and static programs
License: Apache-2.0
Requires-Python: ==3.11.*
Requires-Dist: numpy>=1.24
{licences}
"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: switchyard\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def stripped(path):
    """The bytes of a shared object without its symbols for debuggers."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "stripped.so")
        subprocess.run(["strip", "-o", made, path], check=True)
        return made.read_bytes()


def located(name):
    for folder in FOLDERS:
        path = pathlib.Path(folder, name)
        if path.exists():
            return path.resolve()
    raise SystemExit(f"make_wheel: no library {name} in {' or '.join(FOLDERS)}")


def libraries(extension, there=GLIBC):
    """{name: path} of all that the extension needs, and they need, beside those that are there."""
    found, rest = {}, list(elf.read(extension).needed)
    while rest:
        name = rest.pop()
        if name not in there and name not in found:
            found[name] = located(name)
            rest += elf.read(found[name].read_bytes()).needed
    return dict(sorted(found.items()))


def licences(paths):
    """{Debian's package: its licence} of those that the libraries are from."""
    found, names = {}, [path.name for path in paths]
    # One question: each reads all lists of files.
    said = subprocess.run(["dpkg-query", "-S", *(f"*/{name}" for name in names)],
                          check=True, capture_output=True, text=True).stdout
    for name in names:
        package = next(line.split(":")[0] for line in said.splitlines()
                       if line.endswith("/" + name))
        # A package may have its documentation in another one's folder.
        found[package] = pathlib.Path(
            "/usr/share/doc", package, "copyright").read_bytes()
    return dict(sorted(found.items()))


def place_of(path):
    """Where in the package a file goes."""
    _, page, name = str(path).rpartition("docs/ops/")
    if page:
        return "docs/" + name.replace("generated/", "ops/")
    return str(path).rpartition("switchyard/")[2]


def files_of(version, licence, paths):
    """{name in the wheel: bytes}."""
    made = {}
    for path in sorted(paths):
        made[f"switchyard/{place_of(path)}"] = (
            stripped(path) if path.suffix == ".so" else path.read_bytes())
    needed = libraries(made["switchyard/_core.so"])
    for name, path in needed.items():
        made[f"switchyard/libs/{name}"] = path.read_bytes()
    info = f"switchyard-{version}.dist-info"
    texts = {"LICENSE": licence.read_bytes(),
             **{f"{package}.txt": text for package, text in
                licences(needed.values()).items()}}
    for name, text in texts.items():
        made[f"{info}/licenses/{name}"] = text
    listed = "\n".join(f"License-File: {name}" for name in texts)
    made[f"{info}/METADATA"] = METADATA.format(
        version=version, licences=listed).encode()
    made[f"{info}/WHEEL"] = WHEEL.encode()
    made[f"{info}/RECORD"] = record(made, info).encode()
    return made


def record(files, info):
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        lines.append(f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}")
    return "\n".join([*lines, f"{info}/RECORD,,", ""])


def main():
    wheel, version, licence, *paths = sys.argv[1:]
    files = files_of(version, pathlib.Path(licence), map(pathlib.Path, paths))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED,
                         compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)


if __name__ == "__main__":
    main()
