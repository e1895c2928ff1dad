# SPDX-License-Identifier: Apache-2.0
"""sy_cc_fuzz_test: one LLVMFuzzerTestOneInput, run two ways.

In an ordinary build a test that runs every file of its corpus once; under --config=fuzz a libFuzzer
program: bazel-bin/<package>/<name> -max_total_time=60 CORPUS_DIR.
"""

load("//tools/bazel:copts.bzl", "SY_COPTS", "SY_LINKOPTS")

def sy_cc_fuzz_test(name, srcs, corpus, deps = [], **kwargs):
    """corpus: files or filegroups."""
    native.cc_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = select({
            "@switchyard//tools/bazel:libfuzzer": ["-runs=0"],
            "//conditions:default": [],
        }) + ["$(locations %s)" % files for files in corpus],
        copts = SY_COPTS,
        data = corpus,
        linkopts = SY_LINKOPTS + select({
            "@switchyard//tools/bazel:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + select({
            "@switchyard//tools/bazel:libfuzzer": [],
            "//conditions:default": ["@switchyard//tools/bazel:fuzz_corpus_main"],
        }),
        **kwargs
    )
