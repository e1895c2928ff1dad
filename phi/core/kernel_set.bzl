# SPDX-License-Identifier: Apache-2.0
"""kernel_set: the kernels that a binary links, and the table of candidates that goes with them.

    kernel_set(name = "softmax_only", ops = ["softmax"], backends = ["cpu", "onednn"])
    sy_cc_binary(
        name = "...",
        srcs = ["...", ":softmax_only_table"],
        deps = [":softmax_only_kernels", ...],
    )

The table is compiled into the binary itself: an archive that nothing before it asks for would not
be pulled. A binary has exactly one. One that writes or checks the kernels of saved programs has
":softmax_only_digests" among its srcs, too: what its kernels were made of.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:archives.bzl", "AUTOGRAD_OPS")
load("//ops_gen:kernels.bzl", "kernel_labels")
load("//ops_gen:rules.bzl", "ops_gen")
load("//phi/core/digests:kernel_digests.bzl", "kernel_digests")
load("//tools/bazel:cc.bzl", "sy_cc_library")

# Without the reference kernels, which are for tests, and those that need CUDA.
DEFAULT_BACKENDS = ["cpu", "onednn", "fluid/cpu", "fluid/onednn"]

# Backends that are our own code alone.
_OWN = ["reference", "cpu"]

_BACKENDS = ["reference", "cpu", "onednn", "gpu", "gpudnn", "fluid/cpu", "fluid/onednn", "fluid/gpu"]

# Headers of phi/composite whose bodies run only where a policy or a device has no kernel of the
# operator: its kernels serve every call.
_SPARE_BODIES = ["activation_value", "layer_value"]

def _parts(op, backends):
    """The operators that a body calls; none where kernels of `backends` spare it."""
    spared = op.composite in _SPARE_BODIES and [1 for _, backend, _ in op.kernels if backend in backends]
    return [] if spared else op.uses

def _closure(names, gradients, backends = []):
    """`names`, what their bodies call, their gradients if asked for, and the transforms."""
    found = {}
    todo = names + [op.name for op in OPS.values() if "transform" in op.traits]
    todo += AUTOGRAD_OPS if gradients else []
    for _ in range(len(OPS) + 1):  # Starlark has no while; each round finds one or stops.
        todo = [name for name in todo if name not in found]
        if not todo:
            break
        found.update({name: True for name in todo})
        todo = [
            name
            for op in [OPS[name] for name in todo]
            for name in _parts(op, backends) + [op.invoke] + ([op.backward] if gradients else [])
            if name
        ]
    return sorted(found.keys())

def operators_of(names):
    """The operators that a binary needs whose programs have these: theirs, those of their bodies and
    the transforms."""
    return _closure(names, False)

def _ours(label):
    """A label of this workspace, wherever the set is defined."""
    return str(Label(label))

def _labels(op, backend, shards):
    if backend.startswith("fluid/"):
        # Those that call a library have a folder of the backend's name.
        folder = "" if backend == "fluid/cpu" else backend[len("fluid"):]
        return [_ours("//phi/legacy/kernels%s:%s" % (folder, op))]
    return [_ours(label) for label in kernel_labels(OPS[op], backend, shards)]

def _without_twins(kernels, func, backend, dtypes):
    """The dtypes of a kernel except, of a legacy one, those for which ours is on its device too."""
    twins = {
        "fluid/cpu": ["cpu"],
        "fluid/onednn": ["cpu", "onednn"],
        "fluid/gpu": ["gpu", "gpudnn"],
    }.get(backend, [])
    ours = [
        dtype
        for other, own, own_dtypes in kernels
        for dtype in own_dtypes
        if other == func and own in twins
    ]
    return [dtype for dtype in dtypes if dtype not in ours]

def kernel_set(
        name,
        ops = None,
        backends = None,
        gradients = False,
        own_kernels = {},
        twins = True,
        testonly = False):
    """Defines <name>_table and <name>_digests, for a binary's srcs, and <name>_kernels, for its deps.

    Args:
      name: of the set.
      ops: the operators, forward or backward; all if None. What they are composed of, unless their
        kernels serve every call, and the transforms that selection inserts come along.
      backends: keys of `kernels:` in YAML; DEFAULT_BACKENDS if None.
      gradients: bring the gradients of `ops` too, and the operators that autograd itself calls.
      own_kernels: kernels of backends of the caller's own (phi/core/register_kernel.h): their library,
        and "op backend dtype" for each. Their operators are among `ops`, or come along.
      twins: bring legacy kernels that have twins of ours too, which outrank them.
      testonly: for sets with the reference kernels.
    """
    backends = DEFAULT_BACKENDS if backends == None else backends
    for backend in backends:
        if backend not in _BACKENDS:
            fail("kernel_set %s: backends must be of %s, got %s" % (name, _BACKENDS, backend))
    for op in ops or []:
        if op not in OPS:
            fail("kernel_set %s: ops must be operators of ops_gen/ops, got %s" % (name, op))

    # Tests and what links all operators compile less by shards, which they share.
    shards = ops == None or testonly

    lines = []
    kernels = {}
    closure = _closure(OPS.keys() if ops == None else ops, gradients)

    # The others have a row without kernels, for what is linked and not called.
    with_kernels = {op: True for op in _closure(OPS.keys() if ops == None else ops, gradients, backends)}

    # A transform alone is no reason to link a library.
    libraries = {
        backend: True
        for op in with_kernels
        if "transform" not in OPS[op].traits
        for _, backend, _ in OPS[op].kernels
    }
    for op in closure:
        if not OPS[op].kernels:
            continue
        lines.append(op)
        if op not in with_kernels:
            continue

        # A kernel function's place in the entry: of two on one backend the first is asked first.
        places = {}
        for func, backend, dtypes in OPS[op].kernels:
            place = places.setdefault(func, len(places))
            if not twins:
                dtypes = _without_twins(OPS[op].kernels, func, backend, dtypes)
            if dtypes and backend in backends and (backend in libraries or backend in _OWN):
                lines += ["%s %s %s %s %d" % (op, func, backend, dtype, place) for dtype in dtypes]
                kernels.update({label: True for label in _labels(op, backend, shards)})

    for library, registered in own_kernels.items():
        for line in registered:
            words = line.split(" ")
            if len(words) != 3:
                fail("kernel_set %s: own_kernels must be 'op backend dtype', got '%s'" % (name, line))
            if words[0] not in lines:
                fail("kernel_set %s: own_kernels must be of operators of the set, got '%s'" % (name, line))
            lines.append("%s %s %s %s 0" % (words[0], words[0], words[1], words[2]))
        kernels[library] = True

    ops_gen(
        name = name + "_table",
        testonly = testonly,
        layer = "kernel_table",
        names = lines,
        outs = [name + "_table/kernel_table.gen.cc"],
    )
    kernel_digests(
        name = name + "_digests",
        testonly = testonly,
        kernels = [":%s_kernels" % name],
        out = name + "_digests.gen.cc",
        own = own_kernels.keys(),
    )
    sy_cc_library(
        name = name + "_kernels",
        testonly = testonly,
        deps = [
            _ours("//phi/core/digests"),
            _ours("//phi/core:kernel_tables"),
        ] + sorted(kernels.keys()),
    )
