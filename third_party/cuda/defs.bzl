# SPDX-License-Identifier: Apache-2.0
"""cuda_library: CUDA C++ compiled by nvcc, headers alone where --config=cuda is not given.

A .cu file holds kernels and their launchers and includes little (abseil in it costs seconds a
file); the .cc beside it, in a cc_library, registers.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@local_cuda//:defs.bzl", "CUDA_FOUND", "CUDA_HOME", "CUDA_MISSING")

_CudaFlagInfo = provider(fields = ["value"])

def _cuda_flag_impl(ctx):
    value = ctx.build_setting_value
    if value and not CUDA_FOUND:
        fail("\n\n  --config=cuda: no CUDA Toolkit with cuBLAS and cuDNN at %s (missing: %s).\n  Set CUDA_HOME, or build without --config=cuda.\n" % (CUDA_HOME, CUDA_MISSING))
    return _CudaFlagInfo(value = value)

cuda_flag = rule(
    implementation = _cuda_flag_impl,
    build_setting = config.bool(flag = True),
)

# Hopper's machine code, and PTX for what comes after it.
_ARCHS = [
    "arch=compute_90,code=sm_90",
    "arch=compute_90,code=compute_90",
]

_COPTS = [
    "-std=c++17",
    "-O3",
    "-DNDEBUG",
    "-lineinfo",
    "--expt-relaxed-constexpr",
    "--extended-lambda",
    "-Xcompiler",
    "-fPIC,-Wall,-ffp-contract=off",
]

def _compile(ctx, context):
    """The objects of ctx.files.srcs; context is what they may include."""
    args = ctx.actions.args()
    args.add("-ccbin", "/usr/bin/g++")
    args.add_all(_ARCHS, before_each = "-gencode")
    args.add_all(_COPTS)
    args.add_all(depset(transitive = [context.defines, context.local_defines]), before_each = "-D")
    args.add_all(depset(transitive = [context.quote_includes, context.includes]), before_each = "-I")
    args.add_all(context.system_includes, before_each = "-isystem")

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
    return objects

def _archive(ctx, objects, deps):
    """(the linking context of the objects and deps, the archive's files)"""
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
        disallow_dynamic_library = True,
    )
    library = outputs.library_to_link
    if not library:
        return linking, []
    return linking, [library.pic_static_library or library.static_library]

def _cuda_library_impl(ctx):
    deps = [dep[CcInfo] for dep in ctx.attr.deps]
    own = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
    ))
    context = cc_common.merge_cc_infos(cc_infos = [own] + deps).compilation_context
    if not ctx.attr._enable[_CudaFlagInfo].value:
        return [DefaultInfo(), CcInfo(compilation_context = context)]

    linking, archive = _archive(ctx, _compile(ctx, context), deps)
    return [
        DefaultInfo(files = depset(archive)),
        CcInfo(compilation_context = context, linking_context = linking),
    ]

_cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {
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
