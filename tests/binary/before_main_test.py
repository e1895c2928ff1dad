# SPDX-License-Identifier: Apache-2.0
"""Reads a linked binary: no code of ours runs before main.

The functions that .init_array points to are those of the C run time, and those that the compiler
made for source files. The latter may do nothing but construct the standard library's
std::ios_base::Init, as every file that includes <iostream> does.

    before_main_test.py IMAGE
"""
import re
import struct
import subprocess
import sys

_ALLOWED_CALLS = ("std::ios_base::Init::Init()", "__cxa_atexit")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def init_functions(binary):
    """Addresses in .init_array: of a position-independent binary they are relocations' addends."""
    sections = run("readelf", "-SW", binary)
    match = re.search(r"\.init_array\s+INIT_ARRAY\s+(\w+) (\w+) (\w+)", sections)
    begin, offset, size = (int(group, 16) for group in match.groups())
    addresses = []
    for line in run("readelf", "-rW", binary).splitlines():
        relocation = re.match(r"\s*(\w+)\s+\w+\s+R_X86_64_RELATIVE\s+(\w+)", line)
        if relocation and begin <= int(relocation.group(1), 16) < begin + size:
            addresses.append(int(relocation.group(2), 16))
    if addresses:
        return addresses
    with open(binary, "rb") as file:
        file.seek(offset)
        return list(struct.unpack("<%dQ" % (size // 8), file.read(size)))


def names_by_address(binary):
    names = {}
    for line in run("nm", "-C", "--defined-only", binary).splitlines():
        address, _, name = line.split(" ", 2)
        names.setdefault(int(address, 16), name)
    return names


def misdeeds_of(binary, address):
    """Returns what the function at an address does beside constructing ios_base::Init."""
    listing = run("objdump", "-dC", "--no-show-raw-insn", "--start-address=%d" % address,
                  "--stop-address=%d" % (address + 512), binary)
    own, body = re.search(r"<([^\n]*)>:\n(.*?)(?:\n\n|$)", listing, re.DOTALL).groups()
    misdeeds = []
    for target in re.findall(r"\t(?:call|jmp)\s+\w+ <(.*)>", body):
        name = re.sub(r"@plt$|\+0x\w+$", "", target)
        if name != own and not name.startswith(_ALLOWED_CALLS):
            misdeeds.append("calls " + name)
    misdeeds += ["writes to " + name
                 for name in re.findall(r"\tv?mov\w*\s+[^\n]*,0x\w+\(%rip\)[^\n]*<(.*)>", body)]
    return misdeeds


def main(binary):
    names = names_by_address(binary)
    functions = init_functions(binary)
    failures = 0
    made_by_compiler = 0
    for address in functions:
        name = names.get(address, "?")
        if not name.startswith("_GLOBAL__") and name != "?":
            continue  # Of the C run time: frame_dummy, __cpu_indicator_init.
        made_by_compiler += 1
        misdeeds = misdeeds_of(binary, address)
        if misdeeds:
            failures += 1
            print("FAILED: %s runs before main: %s" % (name, ", ".join(misdeeds)))
    print("%d functions before main, %d made for a source file, %d that do more than they may"
          % (len(functions), made_by_compiler, failures))
    return 1 if failures or not functions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
