# SPDX-License-Identifier: Apache-2.0
"""class_kernels: libraries of legacy class kernels. Which operators a source is for follows from its name."""

load("@sy_ops//:ops.bzl", "OPS")
load("//tools/bazel:cc.bzl", "sy_cc_library")

# The operators that have class kernels.
_OPS = [
    op
    for op in OPS.values()
    if [backend for _, backend, _ in op.kernels if backend.startswith("fluid/")]
]

def _subject(src):
    """The operator or the family that a source is named after: "sequence/pool.cc" is for sequence_pool."""
    folder, _, file = src[:-len(".cc")].rpartition("/")
    qualified = "%s_%s" % (folder, file)
    return qualified if qualified in OPS else file

def _operators(subject, subjects):
    """The operators with class kernels in the source of a subject.

    An operator's are in the source of its name, else in that of the operator whose gradient it is, else
    in its family's.
    """
    return [
        op.name
        for op in _OPS
        if [name for name in (op.name, op.forward, op.family) if name in subjects][:1] == [subject]
    ]

def class_kernels(srcs, deps):
    """//phi/legacy/kernels:<op> of the operators whose class kernels these sources hold.

    Args:
      srcs: the sources, each named after an operator or after a family of ops_gen/ops.
      deps: beside what every class kernel needs.
    """
    subjects = {_subject(src): None for src in native.glob(["*.cc", "*/*.cc"])}
    for src in srcs:
        subject = _subject(src)
        ops = _operators(subject, subjects)
        if not ops:
            fail("phi/legacy/kernels/%s must be named after an operator or a family with fluid/... in its kernels:" % src)
        library = subject if subject in ops else subject + "_family"
        sy_cc_library(
            name = library,
            srcs = [src],
            deps = deps + [
                ":register_legacy_kernel",
                "//framework/device/cpu:cpu_context",
                "//framework/device/cpu:parallel",
            ] + [
                package + op
                for op in ops
                for package in ["//phi/core/signatures:", "//phi/legacy/forms:"]
            ],
        )
        for op in ops:
            if op != library:
                native.alias(
                    name = op,
                    actual = ":" + library,
                )
