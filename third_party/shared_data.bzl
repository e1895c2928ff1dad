# SPDX-License-Identifier: Apache-2.0
"""shared_data: @shared_data, the real models and data sets beside the checkout.

The only way of the project to ../shared/data (or $SWITCHYARD_SHARED_DATA). None of it is part of
the project: where the folder is absent, the repository still loads, PRESENT is False, and a target
of it that is asked for fails with a sentence. A test that needs it carries the tag `shared_data`.
"""

# target: the files, relative to the data folder
_FILES = {
    "digits": ["digits/**"],
    # Programs that run, with inputs and outputs of PaddlePaddle: golden_*_test.py list them.
    "golden_models": ["golden/**", "models/**"],
    "legacy_ops": ["legacy_ops.json"],
    "mnist": ["mnist/**"],
    "mnist_mlp": ["models/mnist_mlp_scl1323/**"],
    "optest": ["optest/**"],
    "programs": ["programs/**"],
    "uci_housing": [
        "golden/uci_housing_fit_a_line/**",
        "models/uci_housing_fit_a_line/**",
    ],
}

_ABSENT_BZL = """\
\"\"\"Stands in for a target whose files are absent.\"\"\"

def _absent_impl(ctx):
    fail("\\n\\n  %s: no folder {folder}.\\n  Put the shared data there, or set SWITCHYARD_SHARED_DATA.\\n" % ctx.label)

absent = rule(implementation = _absent_impl)
"""

def _shared_data_impl(rctx):
    root = rctx.path(Label("//:WORKSPACE")).realpath.dirname
    folder = rctx.os.environ.get("SWITCHYARD_SHARED_DATA") or "%s/shared/data" % root.dirname
    present = rctx.path(folder).exists

    lines = ['package(default_visibility = ["//visibility:public"])', ""]
    if present:
        for top in {files.split("/")[0]: None for globs in _FILES.values() for files in globs}:
            rctx.symlink("%s/%s" % (folder, top), top)
        lines += [
            'filegroup(name = "%s", srcs = glob(%s))' % (name, globs)
            for name, globs in _FILES.items()
        ]
    else:
        rctx.file("absent.bzl", _ABSENT_BZL.format(folder = folder), executable = False)
        lines += ['load(":absent.bzl", "absent")']
        lines += ['absent(name = "%s")' % name for name in _FILES]
    rctx.file("BUILD.bazel", "\n".join(lines) + "\n", executable = False)
    rctx.file("defs.bzl", '"""Whether the shared data is there."""\n\nPRESENT = %s\n' % present, executable = False)

shared_data = repository_rule(
    implementation = _shared_data_impl,
    environ = ["SWITCHYARD_SHARED_DATA"],
    local = True,
)
