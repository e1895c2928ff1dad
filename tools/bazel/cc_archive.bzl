# SPDX-License-Identifier: Apache-2.0
"""cc_objects, cc_archive and linked_only: what a library links, apart from the headers that it has.

A compilation's action key holds every header that its target declares, directly or through others.
Where hundreds of generated headers meet in one target, an added one compiles all of its users again,
whether they read it or not. So each of `cc_objects` declares just the headers that its sources
include, and a target that links the archive of them declares none.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

CcObjectsInfo = provider(
    doc = "Compiled sources that are not in a library yet.",
    fields = {
        "linking_contexts": "what they link besides each other",
        "outputs": "the objects, as CcCompilationOutputs",
    },
)

def _toolchain(ctx):
    """(the C++ toolchain, its features in the target's configuration)."""
    toolchain = find_cpp_toolchain(ctx)
    return toolchain, cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )

def _cc_objects_impl(ctx):
    toolchain, features = _toolchain(ctx)
    flags = [
        word
        for option in ctx.attr.copts
        for word in ctx.expand_make_variables("copts", option, {}).split(" ")
    ]
    _, outputs = cc_common.compile(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        srcs = ctx.files.srcs,
        user_compile_flags = flags,
        compilation_contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps] + [
            cc_common.create_compilation_context(headers = depset(ctx.files.textual_hdrs)),
        ],
    )
    return [
        CcObjectsInfo(
            linking_contexts = [dep[CcInfo].linking_context for dep in ctx.attr.deps],
            outputs = outputs,
        ),
        DefaultInfo(files = depset(outputs.pic_objects + outputs.objects)),
    ]

_TOOLCHAIN = {"_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain")}

cc_objects = rule(
    implementation = _cc_objects_impl,
    doc = "Compiles `srcs`; the attributes are those of cc_library. For the parts of a cc_archive.",
    attrs = dict(
        _TOOLCHAIN,
        copts = attr.string_list(),
        deps = attr.label_list(providers = [CcInfo]),
        srcs = attr.label_list(allow_files = [".cc"]),
        textual_hdrs = attr.label_list(allow_files = True),
    ),
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def _cc_archive_impl(ctx):
    toolchain, features = _toolchain(ctx)
    parts = [part[CcObjectsInfo] for part in ctx.attr.parts]
    linking_context, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.merge_compilation_outputs(
            compilation_outputs = [part.outputs for part in parts],
        ),
        linking_contexts = [context for part in parts for context in part.linking_contexts] +
                           [dep[CcInfo].linking_context for dep in ctx.attr.deps],
        disallow_dynamic_library = True,
    )
    return [CcInfo(linking_context = linking_context)]

cc_archive = rule(
    implementation = _cc_archive_impl,
    doc = """One archive of the objects of all `parts`, without their headers.

    For objects that refer to each other in circles, which no order of separate archives resolves.
    `deps` are the libraries that they refer to besides those that the parts name.
    """,
    attrs = dict(
        _TOOLCHAIN,
        deps = attr.label_list(providers = [CcInfo]),
        parts = attr.label_list(providers = [CcObjectsInfo]),
    ),
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def _linked_only_impl(ctx):
    return [CcInfo(linking_context = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).linking_context)]

linked_only = rule(
    implementation = _linked_only_impl,
    doc = "Links `deps` and brings none of their headers: for sources that declare what they refer to.",
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
