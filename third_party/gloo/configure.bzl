# SPDX-License-Identifier: Apache-2.0
"""gloo_configure: @local_gloo, Gloo of this machine, or an empty target where it has none.

Never fails: what needs it is left out (compatible.bzl).
"""

_HEADERS = "/usr/include/gloo"
_LIBRARY = "/usr/lib/libgloo.so"

def _gloo_configure_impl(rctx):
    found = rctx.path(_HEADERS + "/transport/tcp/device.h").exists and rctx.path(_LIBRARY).exists
    attributes = ""
    if found:
        rctx.symlink(_HEADERS, "include/gloo")
        attributes = ', hdrs = glob(["include/**"]), includes = ["include"], linkopts = ["-lgloo"]'
    rctx.file("BUILD.bazel", 'package(default_visibility = ["//visibility:public"])\n' +
                             '\ncc_library(name = "gloo"%s)\n' % attributes, executable = False)
    rctx.file("defs.bzl", '"""What gloo_configure found."""\n\nGLOO_FOUND = %s\n' % found, executable = False)

gloo_configure = repository_rule(
    implementation = _gloo_configure_impl,
    local = True,
)
