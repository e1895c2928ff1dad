# SPDX-License-Identifier: Apache-2.0
"""kernel_facts: what the entries of ops_gen/ops promise of kernels, as JSON, in their order."""

load("@sy_ops//:ops.bzl", "OPS")

def _kernel_facts_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(out, json.encode([
        {
            "name": op.name,
            "family": op.family,
            "forward": op.forward,
            "backward": op.backward,
            "composed": bool(op.composite or op.invoke),
            "kernels": op.kernels,
        }
        for op in OPS.values()
    ]))
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles(files = [out]))]

kernel_facts = rule(
    implementation = _kernel_facts_impl,
    doc = "<name>.json: a list of entries, the kernels of each as [function, backend, dtypes].",
)
