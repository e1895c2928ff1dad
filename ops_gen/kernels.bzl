# SPDX-License-Identifier: Apache-2.0
"""backend_kernels and reference_kernels, which make registrations of kernels, and lists of operators."""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:rules.bzl", "per_family")
load("//ops_gen:shards.bzl", "link_shards", "linked_shard", "sharded")
load("//third_party/cuda:defs.bzl", "cuda_library")
load("//tools/bazel:cc.bzl", "sy_cc_registrations")

# Backends whose kernels have a folder for each family.
_WITH_FOLDERS = ["cpu", "reference"]

def _runs_on(op, backend):
    return [row for row in op.kernels if row[1] == backend] != []

def _is_functor(op, backend):
    """Whether the operator's kernel is made of a functor, and shares a file with its header's."""
    return backend in ("cpu", "gpu") and op.functor

def _own_functions(op, backend):
    """The operator's kernel functions on a backend that are in a file of its own."""
    return [
        func
        for func, of_backend, _ in op.kernels
        if of_backend == backend and (not _is_functor(op, backend) or func in op.kinds_functions)
    ]

def _functor_library(op):
    return "%s_%s_functors" % (op.family, op.kernel_header.split("/")[1])

def _kernel_libraries(op, backend):
    """The libraries whose headers declare the operator's own kernel functions."""
    libraries = {}
    for func in _own_functions(op, backend):
        header = op.kinds_header if func in op.kinds_functions else op.kernel_header
        folder, file = header.split("/")
        library = "/%s:%s" % (folder, file) if backend in _WITH_FOLDERS else ":%s_kernels" % file
        libraries["//phi/kernels/" + backend + library] = None
    return libraries.keys()

def _functor_files(op, backend):
    library = _functor_library(op)
    return [library + ".gen.cc"] + ([library + ".gen.cu"] if backend == "gpu" else [])

def _kernel_files(op, backend):
    return (_functor_files(op, backend) if _is_functor(op, backend) else []) + (
        [op.name + ".gen.cc"] if _own_functions(op, backend) else []
    )

def functor_libraries(backend):
    """The libraries of the backend's kernels that are made of functors: one a family and header."""
    return sorted({
        _functor_library(op): None
        for op in OPS.values()
        if _runs_on(op, backend) and _is_functor(op, backend)
    })

def _functor_deps(library, header, backend, **kwargs):
    """Returns what a library of functors is compiled with; on a GPU the launchers, by nvcc."""
    functors = "//phi/kernels/functors:" + header
    if backend == "cpu":
        return ["//phi/kernels/cpu/elementwise", functors]
    cuda_library(
        name = library + "_launch",
        srcs = [library + ".gen.cu"],
        deps = ["//phi/kernels/gpu:elementwise_device", functors],
        **kwargs
    )
    return ["//phi/kernels/gpu:elementwise", ":%s_launch" % library]

def _registration_deps(op, backend):
    return _kernel_libraries(op, backend) + [
        "//phi/core:register_kernel",
        "//phi/core/signatures:" + op.name,
    ]

def _cpu_deps(op):
    return _registration_deps(op, "cpu")

def _reference_deps(op):
    return _registration_deps(op, "reference")

# Backends whose registrations are compiled by operator for products, and by shard for tests and for
# what links all operators.
_SHARDED = {"cpu": _cpu_deps}

def _kernel_shards(backend, ops):
    """The registrations of a backend's own kernel functions, a shard of operators in one compilation."""
    files = {op.name: [op.name + ".gen.cc"] for op in ops if _own_functions(op, backend)}
    link_shards(
        sharded(sy_cc_registrations, backend, "phi/kernels/" + backend, files, _SHARDED[backend]),
        visibility = ["//visibility:public"],
    )

def kernel_labels(op, backend, shards):
    """The targets that register an operator's kernels.

    Args:
      op: the operator, of OPS.
      backend: a key of `kernels:`.
      shards: whether the registrations of other operators may come along, of which a linker drops
        what nothing refers to: a product would compile the kernels that they name.
    """
    if not shards or backend not in _SHARDED:
        return ["//phi/kernels/%s:%s" % (backend, op.name)]
    names = ([_functor_library(op)] if _is_functor(op, backend) else []) + (
        [linked_shard(backend, op.name)] if _own_functions(op, backend) else []
    )
    return ["//phi/kernels/%s:%s" % (backend, name) for name in names]

def backend_kernels(backend, **kwargs):
    """//phi/kernels/<backend>:<op> of the operators with kernels of that backend.

    They register what :<header>_kernels declares (where families have folders, <folder>:<header>), or
    what the functors of that header make. Where there are shards too, a pattern of targets means those.

    Args:
      backend: a key of `kernels:`.
      **kwargs: of each target: what it is compatible with.
    """
    ops = [op for op in OPS.values() if _runs_on(op, backend)]
    per_family(backend + "_kernels", {op.name: _kernel_files(op, backend) for op in ops}, **kwargs)
    groups = {}
    for op in ops:
        functor = [_functor_library(op)] if _is_functor(op, backend) else []
        for library in functor:
            groups.setdefault(library, []).append(op)
        if functor and not _own_functions(op, backend):
            native.alias(
                name = op.name,
                actual = functor[0],
                visibility = ["//visibility:public"],
            )
        else:
            sy_cc_registrations(
                name = op.name,
                srcs = [op.name + ".gen.cc"],
                visibility = ["//visibility:public"],
                tags = ["manual"] if backend in _SHARDED else [],
                deps = functor + _registration_deps(op, backend),
                **kwargs
            )
    if backend in _SHARDED:
        _kernel_shards(backend, ops)
    for library, members in groups.items():
        sy_cc_registrations(
            name = library,
            srcs = [library + ".gen.cc"],
            visibility = ["//visibility:public"],
            deps = ["//phi/core:register_kernel"] + _functor_deps(
                library,
                members[0].kernel_header.split("/")[1],
                backend,
                **kwargs
            ) + ["//phi/core/signatures:" + op.name for op in members],
            **kwargs
        )

def reference_kernels():
    """//phi/kernels/reference:<op>, as of backend_kernels, but a shard of operators is one compilation.

    Only tests link these kernels: no product pays for the others of a shard.
    """
    files = {op.name: [op.name + ".gen.cc"] for op in OPS.values() if _runs_on(op, "reference")}
    per_family("reference_kernels", files)
    shards = sharded(sy_cc_registrations, "reference", "phi/kernels/reference", files, _reference_deps)
    for name, target in link_shards(shards).items():
        native.alias(
            name = name,
            actual = target,
            visibility = ["//visibility:public"],
        )

def _is_declared_in(op, folders):
    """Whether a header of the folders declares a kernel of the operator that no functor makes."""
    headers = ([] if op.functor else [op.kernel_header]) + [op.kinds_header]
    return [header for header in headers if header.split("/")[0] in folders] != []

def operators_of(backend, folders = None):
    """The operators with kernels of a backend.

    Args:
      backend: a key of `kernels:`.
      folders: only those some of whose kernels a header of these folders declares; None for all.
    """
    return [
        op.name
        for op in OPS.values()
        if _runs_on(op, backend)
        if folders == None or _is_declared_in(op, folders)
    ]

def functor_operators():
    """The operators with `functor:`."""
    return [op.name for op in OPS.values() if op.functor]

def functor_headers():
    """The headers of phi/kernels/functors that hold the operators' functors."""
    return sorted({op.kernel_header.split("/")[1]: None for op in OPS.values() if op.functor})
