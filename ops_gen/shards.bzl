# SPDX-License-Identifier: Apache-2.0
"""Shards: the generated sources of some twelve operators, compiled as one file.

Reading headers is most of what a small file costs to compile. Targets stay one an operator: each
brings its own headers and links the object of its shard, of which a linker drops the sections that
nothing refers to.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:families.bzl", "FAMILIES")
load("//tools/bazel:cc.bzl", "sy_cc_library")
load("//tools/bazel:cc_archive.bzl", "linked_only")
load("//tools/bazel:joined_source.bzl", "joined_source")

_ENTRIES_A_SHARD = 16

def _shards():
    """{operator: its shard}: by the name's hash, so that an added operator moves no other one.

    A gradient is in its forward operator's shard. The number of a family's shards doubles with the
    family.
    """
    numbers = {}
    for family in FAMILIES:
        ops = [op for op in OPS.values() if op.family == family]
        count = 1
        for _ in range(16):
            if count * _ENTRIES_A_SHARD < len(ops):
                count *= 2
        for op in ops:
            numbers[op.name] = "%s_%d" % (family, hash(op.forward or op.name) % count)
    return numbers

_SHARDS = _shards()

def sharded(rule, layer, folder, files, deps, **kwargs):
    """:<layer>_<shard>, one compilation of the sources of a shard's operators, for each shard.

    Args:
      rule: sy_cc_library, or sy_cc_objects where shards refer to each other in circles.
      layer: names the targets.
      folder: where the sources are generated, as #include sees it.
      files: {operator: its generated files}.
      deps: deps(op) lists what their sources need.
      **kwargs: of each target.

    Returns:
      {operator: the target of its shard}.
    """
    members = {}
    for name in files:
        members.setdefault("%s_%s" % (layer, _SHARDS[name]), []).append(OPS[name])
    for target, ops in members.items():
        sources = [file for op in ops for file in files[op.name] if file.endswith(".cc")]
        joined_source(
            name = target + "_source",
            out = target + ".gen.cc",
            folder = folder,
            sources = sources,
            what = "the entries of ops_gen/ops that are compiled together.",
        )
        rule(
            name = target,
            srcs = [target + ".gen.cc"],
            textual_hdrs = sources,
            deps = sorted({dep: None for op in ops for dep in deps(op)}),
            **kwargs
        )
    return {name: ":%s_%s" % (layer, _SHARDS[name]) for name in files}

def op_headers(name, hdrs, deps):
    """:<name>_headers, for the compilation of a shard, which must not depend on itself."""
    sy_cc_library(
        name = name + "_headers",
        hdrs = hdrs,
        deps = deps,
    )
    return ":%s_headers" % name

def linked_shard(layer, name):
    """The target of an operator's shard without the headers of all its operators."""
    return "%s_%s_linked" % (layer, _SHARDS[name])

def link_shards(shards, **kwargs):
    """{operator: its shard's objects without the headers of all its operators}; kwargs: of the targets."""
    for target in {target: None for target in shards.values()}:
        linked_only(
            name = target[1:] + "_linked",
            deps = [target],
            **kwargs
        )
    return {name: target + "_linked" for name, target in shards.items()}
