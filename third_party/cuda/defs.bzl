"""cuda_library: CUDA C++ compiled by nvcc, an empty library where --config=cuda is not given."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@local_cuda//:defs.bzl", "CUDA_FOUND", "CUDA_HOME", "CUDA_MISSING")

CudaFlagInfo = provider(fields = ["value"])

def _cuda_flag_impl(ctx):
    value = ctx.build_setting_value
    if value and not CUDA_FOUND:
        fail("\n\n  --config=cuda: no CUDA Toolkit with cuBLAS and cuDNN at %s (missing: %s).\n  Set CUDA_HOME, or build without --config=cuda.\n" % (CUDA_HOME, CUDA_MISSING))
    return CudaFlagInfo(value = value)

cuda_flag = rule(
    implementation = _cuda_flag_impl,
    build_setting = config.bool(flag = True),
)

# Hopper's machine code, and PTX for what comes after it.
_ARCHS = [
    "arch=compute_90,code=sm_90",
    "arch=compute_90,code=compute_90",
]

def _cuda_library_impl(ctx):
    own = cc_common.create_compilation_context(headers = depset(ctx.files.hdrs))
    deps = [dep[CcInfo] for dep in ctx.attr.deps]
    if not ctx.attr._enable[CudaFlagInfo].value:
        return [DefaultInfo(), CcInfo(compilation_context = own)]

    merged = cc_common.merge_cc_infos(cc_infos = [CcInfo(compilation_context = own)] + deps)
    context = merged.compilation_context
    args = ctx.actions.args()
    args.add("-ccbin", "/usr/bin/g++")
    args.add("-std=c++17")
    args.add_all(ctx.attr.archs, before_each = "-gencode")
    args.add_all(["-Xcompiler", "-fPIC,-Wall", "--expt-relaxed-constexpr", "--extended-lambda"])
    if ctx.var["COMPILATION_MODE"] == "opt":
        args.add_all(["-O3", "-DNDEBUG", "-lineinfo"])
    elif ctx.var["COMPILATION_MODE"] == "dbg":
        args.add_all(["-g", "-lineinfo"])
    args.add_all(depset(transitive = [context.defines, context.local_defines]), before_each = "-D")
    args.add_all(depset(transitive = [context.quote_includes, context.includes]), before_each = "-I")
    args.add_all(context.system_includes, before_each = "-isystem")
    args.add_all(ctx.attr.copts)

    objects = []
    for src in ctx.files.srcs:
        obj = ctx.actions.declare_file("_objs/%s/%s.pic.o" % (ctx.label.name, src.basename[:-len(".cu")]))
        objects.append(obj)
        src_args = ctx.actions.args()
        src_args.add("-c", src)
        src_args.add("-o", obj)
        ctx.actions.run(
            executable = CUDA_HOME + "/bin/nvcc",
            arguments = [args, src_args],
            inputs = depset([src], transitive = [context.headers]),
            outputs = [obj],
            mnemonic = "CudaCompile",
            progress_message = "Compiling %s" % src.short_path,
            # nvcc runs the host compiler by name.
            env = {"PATH": "/usr/bin:/bin"},
        )

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    linking, outputs = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            pic_objects = depset(objects),
        ),
        linking_contexts = [dep.linking_context for dep in deps],
        alwayslink = ctx.attr.alwayslink,
        disallow_dynamic_library = True,
    )
    files = [objects[0]] if not outputs.library_to_link else [
        file
        for file in [outputs.library_to_link.pic_static_library, outputs.library_to_link.static_library]
        if file
    ][:1]
    return [
        DefaultInfo(files = depset(files)),
        CcInfo(
            compilation_context = cc_common.merge_cc_infos(
                cc_infos = [CcInfo(compilation_context = own)] + deps,
            ).compilation_context,
            linking_context = linking,
        ),
    ]

_cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {
        "alwayslink": attr.bool(),
        "archs": attr.string_list(default = _ARCHS),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "hdrs": attr.label_list(allow_files = [".h", ".cuh"]),
        "srcs": attr.label_list(allow_files = [".cu"]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_enable": attr.label(default = "//third_party/cuda:enable"),
    },
    fragments = ["cpp"],
    incompatible_use_toolchain_transition = True,
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def cuda_library(name, deps = [], **kwargs):
    _cuda_library(
        name = name,
        deps = deps + ["@local_cuda//:cudart_static"],
        **kwargs
    )
