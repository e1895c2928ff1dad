# SPDX-License-Identifier: Apache-2.0
"""Archives of shards whose operators call each other: a gradient is made of operators that have gradients.

Shards that refer to each other in circles are one archive, since no order of separate archives
resolves them. Any other shard is an archive of its own, which depends on those that it refers to.
So a product compiles the shards that its operators reach, and no others.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//tools/bazel:cc_archive.bzl", "cc_archive", "linked_only")

# The operators that autograd itself calls (eager/ops/autograd_ops.h): sums of gradients, casts, ones
# to begin with.
AUTOGRAD_OPS = ["add", "assign", "cast", "full"]

def _reached(node, edges):
    """{node: None} of what `edges`, {node: its successors}, lead to from `node`, itself included."""
    reached = {node: None}
    newest = [node]
    for _ in edges:
        newest = {to: None for each in newest for to in edges[each] if to not in reached}.keys()
        if not newest:
            break
        reached.update({to: None for to in newest})
    return reached

def _circles(edges):
    """{node: the first, by name, of those that it reaches and that reach it}."""
    reached = {node: _reached(node, edges) for node in edges}
    return {
        node: min([other for other in reached[node] if node in reached[other]])
        for node in edges
    }

def archive_shards(shards, common_ops, common_objects):
    """:operators, which links all shards; and the archives that it consists of.

    Args:
      shards: {operator: the target of its shard, a cc_objects}.
      common_ops: operators that every operator calls, by way of
      common_objects: objects in the archive of those operators.

    Returns:
      {operator: the archive that has its shard}.
    """
    edges = {shard: {} for shard in shards.values()}
    for name, shard in shards.items():
        op = OPS[name]
        calls = op.uses + [op.backward, op.invoke] + common_ops
        edges[shard].update({shards[call]: None for call in calls if call in shards})
    firsts = _circles(edges)
    for first in {first: None for first in firsts.values()}:
        members = [shard for shard in edges if firsts[shard] == first]
        needed = {firsts[to]: None for shard in members for to in edges[shard]}
        common = [op for op in common_ops if firsts[shards[op]] == first]
        cc_archive(
            name = first[1:] + "_archive",
            parts = sorted(members) + (common_objects if common else []),
            deps = sorted([to + "_archive" for to in needed if to != first]),
        )
    archives = {name: firsts[shard] + "_archive" for name, shard in shards.items()}
    linked_only(
        name = "operators",
        deps = sorted({archive: None for archive in archives.values()}),
    )
    return archives
