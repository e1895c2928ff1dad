"""cuda_configure: @local_cuda, the CUDA Toolkit of this machine, or empty targets where it has none."""

_LIBRARIES = ["cublas", "cudnn"]

def _cuda_configure_impl(rctx):
    home = rctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    lib = home + "/lib64"
    needed = [
        home + "/bin/nvcc",
        home + "/include/cuda_runtime.h",
        home + "/include/cublas_v2.h",
        home + "/include/cudnn.h",
        lib + "/libcudart_static.a",
        lib + "/libcublas.so",
        lib + "/libcudnn.so",
    ]
    missing = [path for path in needed if not rctx.path(path).exists]
    found = not missing

    rctx.file("defs.bzl", """\
\"\"\"What cuda_configure found.\"\"\"

CUDA_FOUND = {found}
CUDA_HOME = "{home}"
CUDA_MISSING = "{missing}"
""".format(found = found, home = home, missing = ", ".join(missing)), executable = False)

    targets = {}
    if found:
        rctx.symlink(home + "/include", "include")
        targets["headers"] = 'hdrs = glob(["include/**"]), includes = ["include"]'
        targets["cudart_static"] = 'linkopts = ["{}/libcudart_static.a", "-ldl", "-lrt", "-pthread"], deps = [":headers"]'.format(lib)
        for name in _LIBRARIES:
            targets[name] = 'linkopts = ["-L{lib}", "-Wl,-rpath,{lib}", "-l{name}"], deps = [":cudart_static"]'.format(lib = lib, name = name)
    else:
        for name in ["headers", "cudart_static"] + _LIBRARIES:
            targets[name] = ""
    rctx.file("BUILD.bazel", 'package(default_visibility = ["//visibility:public"])\n' + "".join([
        '\ncc_library(name = "%s", %s)\n' % (name, attrs)
        for name, attrs in targets.items()
    ]), executable = False)

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
