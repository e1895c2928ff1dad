# SPDX-License-Identifier: Apache-2.0
"""array_api_strict: the oracle of the tests of the Array API, a wheel that pip downloads.

A dependency of tests alone: neither the package nor a product has any of it. Where pip reaches no
index, the repository still loads and PRESENT is False: the tests that need it are left out.
"""

_WHEEL = "array_api_strict-2.6.1-py3-none-any.whl"
_REQUIREMENT = "array-api-strict==2.6.1 --hash=sha256:84548915c11265f4b87070731bd26edf46b202a04e7491194abcb46f4986c88f\n"

_LIBRARY = """\
py_library(
    name = "array_api_strict",
    testonly = True,
    srcs = glob(["array_api_strict/**/*.py"]),
    imports = ["."],
    visibility = ["//visibility:public"],
)
"""

def _array_api_strict_impl(rctx):
    rctx.file("requirements.txt", _REQUIREMENT, executable = False)
    pip = ["/usr/bin/python3", "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    result = rctx.execute(pip + ["-r", "requirements.txt", "-d", "."])
    present = result.return_code == 0
    if present:
        rctx.execute(["/usr/bin/python3", "-m", "zipfile", "-e", _WHEEL, "."])
    rctx.file("BUILD.bazel", _LIBRARY if present else "", executable = False)
    rctx.file("defs.bzl", '"""Whether the wheel could be had."""\n\nPRESENT = %s\n' % present, executable = False)

array_api_strict = repository_rule(
    implementation = _array_api_strict_impl,
    configure = True,
)
