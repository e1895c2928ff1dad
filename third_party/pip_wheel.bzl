# SPDX-License-Identifier: Apache-2.0
"""pip_wheel: a package for tests that pip downloads, by its hash.

A dependency of tests alone: neither the package nor a product has any of it. Where pip reaches no
index, or has no wheel for this Python, the repository still loads and PRESENT is False: the tests
that need it are left out.
"""

_LIBRARY = """\
py_library(
    name = "{name}",
    testonly = True,
    srcs = glob(["{package}/**/*.py"]),
    data = glob(["{package}/**/*.so*", "{package}.libs/*"]),
    imports = ["."],
    visibility = ["//visibility:public"],
)
"""

def _pip_wheel_impl(rctx):
    requirement = "%s --hash=sha256:%s\n" % (rctx.attr.requirement, rctx.attr.sha256)
    rctx.file("requirements.txt", requirement, executable = False)
    pip = ["/usr/bin/python3", "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    result = rctx.execute(pip + ["--only-binary", ":all:", "-r", "requirements.txt", "-d", "wheel"])
    present = result.return_code == 0
    library = ""
    if present:
        wheel = rctx.path("wheel").readdir()[0]
        rctx.execute(["/usr/bin/python3", "-m", "zipfile", "-e", wheel, "."])
        library = _LIBRARY.format(name = rctx.name, package = rctx.attr.package)
    rctx.file("BUILD.bazel", library, executable = False)
    rctx.file("defs.bzl", '"""Whether the wheel could be had."""\n\nPRESENT = %s\n' % present, executable = False)

pip_wheel = repository_rule(
    implementation = _pip_wheel_impl,
    doc = "@<name>: the package; @<name>//:defs.bzl says by PRESENT whether it is there.",
    attrs = {
        "package": attr.string(mandatory = True, doc = "what Python imports"),
        "requirement": attr.string(mandatory = True, doc = "as pip reads it, one version"),
        "sha256": attr.string(mandatory = True, doc = "the wheel's"),
    },
    configure = True,
)
