#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds libraries that nobody uses: those with no user but tests and examples.

Asks Bazel; builds nothing. A library that is written by hand and not testonly must be among the
dependencies of a target that is no test, not testonly and no example, or be a front door: a library
for other workspaces, which an example has as @switchyard//... Libraries that macros make (operators,
kernels) are for those who pick single ones.
"""
import os
import pathlib
import shlex
import subprocess
import sys

BAZEL = shlex.split(os.environ.get("BAZEL", "bazel"))
FRONT_DOORS = {
    "//phi/capi:plugin_cc",  # Plugins in C++: docs/plugins.md.
}
BY_HAND = "^(|sy_cc_library|sy_cc_joined_library)$"
LIBRARIES = f"""
let libraries = attr(generator_function, "{BY_HAND}", kind("cc_library rule", //...)) in
$libraries - attr(testonly, 1, $libraries) - //examples/..."""
UNUSED = f"""
let users = //... - attr(testonly, 1, //...) - tests(//...) - //examples/... in
({LIBRARIES}) - labels(deps, $users) - labels(srcs, $users) - labels(data, $users)"""


def query(expression):
    return set(subprocess.run([*BAZEL, "query", "--noshow_progress", expression], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.split())


def problems(libraries, unused):
    """Sentences about libraries that nobody uses and about front doors that are none."""
    examples = "".join(path.read_text() for path in pathlib.Path("examples").rglob("BUILD.bazel"))
    for name in sorted(unused - FRONT_DOORS):
        yield (f"{name}: expected a user that is no test and no example; make it testonly, take it away "
               "or, if it is for other workspaces, list it in FRONT_DOORS")
    for name in sorted(FRONT_DOORS):
        if name not in libraries:
            yield f"{name}: expected a library in FRONT_DOORS, got none"
        elif f'"@switchyard{name}"' not in examples:
            yield f'{name}: expected an example with "@switchyard{name}", got none'


def main():
    libraries = query(LIBRARIES)
    found = list(problems(libraries, query(UNUSED)))
    print("\n".join([*found, f"{len(libraries)} libraries, {len(found)} problems"]))
    sys.exit(1 if found or len(libraries) < 100 else 0)


main()
