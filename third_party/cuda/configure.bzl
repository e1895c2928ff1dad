# SPDX-License-Identifier: Apache-2.0
"""cuda_configure: @local_cuda, the CUDA Toolkit of this machine, or empty targets where it has none;
and whether the machine has a GPU.

Never fails: whether a build may go without the toolkit is decided by --config=cuda (defs.bzl).
"""

_LIBRARIES = ["cublas", "cudnn"]

_DEFS = """\
\"\"\"What cuda_configure found.\"\"\"

CUDA_FOUND = {found}
CUDA_HOME = "{home}"
CUDA_MISSING = "{missing}"
GPU_FOUND = {gpu}
"""

def _cuda_configure_impl(rctx):
    home = rctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    lib = home + "/lib64"
    needed = [
        home + "/bin/nvcc",
        home + "/include/cuda_runtime.h",
        home + "/include/cublas_v2.h",
        home + "/include/cudnn.h",
        lib + "/libcudart_static.a",
    ] + ["%s/lib%s.so" % (lib, name) for name in _LIBRARIES]
    missing = [path for path in needed if not rctx.path(path).exists]

    attributes = {name: "" for name in ["headers", "cudart_static"] + _LIBRARIES}
    if not missing:
        rctx.symlink(home + "/include", "include")
        attributes["headers"] = 'hdrs = glob(["include/**"]), includes = ["include"]'
        attributes["cudart_static"] = 'linkopts = ["%s/libcudart_static.a", "-ldl", "-lrt", "-pthread"], deps = [":headers"]' % lib
        for name in _LIBRARIES:
            attributes[name] = 'linkopts = ["-L{lib}", "-Wl,-rpath,{lib}", "-l{name}"], deps = [":cudart_static"]'.format(lib = lib, name = name)

    rctx.file("BUILD.bazel", 'package(default_visibility = ["//visibility:public"])\n' + "".join([
        '\ncc_library(name = "%s", %s)\n' % (name, text)
        for name, text in attributes.items()
    ]), executable = False)
    rctx.file(
        "defs.bzl",
        _DEFS.format(
            found = not missing,
            home = home,
            missing = ", ".join(missing),
            # The file that the driver makes where it finds a GPU.
            gpu = rctx.path("/dev/nvidiactl").exists,
        ),
        executable = False,
    )

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
