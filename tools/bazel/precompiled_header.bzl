# SPDX-License-Identifier: Apache-2.0
"""precompiled_header: a header that gcc has read already, for targets that include it first.

Reading abseil's and the standard library's headers takes 1.5 of the 2 CPU seconds that a small
source file compiles. gcc takes HEADER.gch, where it lies beside HEADER and was made with options
that fit, in HEADER's stead, and reads HEADER where they don't: the result is the same.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _compile_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    header = ctx.actions.declare_file(ctx.attr.folder + "/" + ctx.file.hdr.basename)
    compiled = ctx.actions.declare_file(ctx.attr.folder + "/" + ctx.file.hdr.basename + ".gch")
    ctx.actions.symlink(output = header, target_file = ctx.file.hdr)
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts + ["-x", "c++-header"],
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        source_file = header.path,
        output_file = compiled.path,
        use_pic = True,
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset([header], transitive = [context.headers, toolchain.all_files]),
        outputs = [compiled],
        mnemonic = "CppPrecompile",
    )
    return [DefaultInfo(files = depset([header, compiled]))]

_compile = rule(
    implementation = _compile_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "folder": attr.string(),
        "hdr": attr.label(allow_single_file = [".h"]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

# Below the package's folder, so that no source file's own directory holds them.
_FOLDER = "gcc"

# gcc keeps the headers that it reads for a precompiled one only where it is to list them.
_KEEP_HEADERS = ["-MD", "-MF", "/dev/null"]

def precompiled_header(name, hdr, deps, copts = [], names_ours = False, testonly = False):
    """:<name>, for copts of `include_precompiled("//<package>:<name>")`.

    Args:
      name: of the target, and of the header without ".h".
      hdr: the header.
      deps: the libraries that it includes.
      copts: those of the targets that include it, as far as macros tell: without optimisation some
        differ, and gcc would not take the precompiled form.
      names_ours: whether it includes headers of this workspace, which targets then depend on.
      testonly: as usual.
    """
    _compile(
        name = name + "_files",
        testonly = testonly,
        copts = copts + (_KEEP_HEADERS if names_ours else []),
        folder = _FOLDER,
        hdr = hdr,
        deps = deps,
    )
    native.cc_library(
        name = name,
        testonly = testonly,
        textual_hdrs = [name + "_files"],
        deps = deps,
    )

def include_precompiled(target, names_ours):
    """The copts of a target that depends on a precompiled header; none for clang.

    Args:
      target: of precompiled_header.
      names_ours: whether the header includes headers of this workspace. gcc lists those as read only
        if asked, and what it doesn't list may change without compiling the target again.
    """
    label = Label(target)
    path = "/".join([part for part in [label.workspace_root, label.package, _FOLDER, label.name + ".h"] if part])
    return select({
        str(Label("//tools/bazel/precompiled:off")): [],
        "//conditions:default": ["-include", "$(BINDIR)/" + path] + (["-fpch-deps"] if names_ours else []),
    })
