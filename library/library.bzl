# SPDX-License-Identifier: Apache-2.0
"""switchyard_library: libswitchyard, for programs that are not built by Bazel; see ./sy library."""

load("//phi/core:kernel_set.bzl", "kernel_set", "operators_of")
load("//tools/bazel:cc.bzl", "sy_cc_library")
load("//tools/bazel:copts.bzl", "SY_LINKOPTS")

SONAME = "libswitchyard.so.1"

VERSION = "0.1.0"

_OPERATORS = """\
// SPDX-License-Identifier: Apache-2.0
// Made by library.bzl: the operators of some models.
#include "library/library_operators.h"

// Their own headers would have it compiled again after every edit of an entry.
namespace switchyard::static_graph {
%s}  // namespace switchyard::static_graph

namespace switchyard::library {

absl::Span<const static_graph::DialectOp* const> LibraryOperators() {
  static const static_graph::DialectOp* const ops[] = {
%s  };
  return ops;
}

}  // namespace switchyard::library
"""

def _some_operators(name, ops):
    """The library <name>, which defines LibraryOperators()."""
    text = _OPERATORS % (
        "".join(["extern const DialectOp dialect_%s;\n" % op for op in ops]),
        "".join(["      &static_graph::dialect_%s,\n" % op for op in ops]),
    )
    native.genrule(
        name = name + "_source",
        outs = [name + ".cc"],
        cmd = "cat > $@ <<'END'\n%sEND" % text,
    )
    sy_cc_library(
        name = name,
        srcs = [name + ".cc"],
        deps = ["//library:library_operators"] + ["//static_graph/dialect:" + op for op in ops],
    )

def switchyard_library(name, ops = None, backends = None):
    """Defines the shared object <name>, whose SONAME is that of the interface's version.

    Args:
      name: of the file.
      ops: the operators that models may have; all if None. What they are composed of comes along.
      backends: as kernel_set has them; its default if None.
    """
    operators = "//library:every_operator"
    if ops != None:
        operators = name + "_operators"
        _some_operators(operators, operators_of(ops))
    kernel_set(name = name + "_set", ops = ops, backends = backends, twins = ops == None)
    exports = "//library:exports.lds"
    native.cc_binary(
        name = name,
        srcs = [name + "_set_table"],
        copts = ["-fvisibility=hidden"],
        linkopts = SY_LINKOPTS + [
            "-Wl,--version-script=$(location %s)" % exports,
            "-Wl,-soname," + SONAME,
            # A missing function is an error here, not in the host.
            "-Wl,-z,defs",
            # Its threads outlive every handle.
            "-Wl,-z,nodelete",
            # The libraries that come with it lie in a folder of their own.
            "-Wl,--disable-new-dtags",
            "-Wl,-rpath,'$$ORIGIN/switchyard'",
        ],
        linkshared = True,
        tags = ["nosan"],
        deps = [exports, name + "_set_kernels", "//library:interface", operators],
    )

def library_package(name, library):
    """Defines <name>, a .deb of a switchyard_library, its headers and what CMake and pkg-config read."""
    files = [
        "//:LICENSE",
        library,
        "//library:include/switchyard.h",
        "//library:include/switchyard_handles.h",
    ]

    # python3 by its path: the sandbox has no PATH of the shell's.
    native.genrule(
        name = name,
        srcs = files,
        outs = ["libswitchyard_%s_amd64.deb" % VERSION],
        cmd = "PYTHONPATH=python/wheel /usr/bin/python3 -B $(location //library/package:make_package.py) $@ %s %s" %
              (VERSION, " ".join(["$(location %s)" % file for file in files])),
        tags = ["nosan"],
        tools = [
            "//library/package:make_package.py",
            "//python/wheel:elf.py",
            "//python/wheel:make_wheel.py",
        ],
        visibility = ["//visibility:public"],
    )
