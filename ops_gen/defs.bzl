# SPDX-License-Identifier: Apache-2.0
"""The macros that make a layer's targets from the YAML files: one call in the layer's BUILD file.

Each generates per (layer, family): editing an operator runs one generation a layer, and compiles
only the files that came out different.
"""

load("@sy_ops//:ops.bzl", "OPS")
load("//ops_gen:families.bzl", "FAMILIES")
load("//ops_gen:rules.bzl", "ops_gen")
load("//ops_gen:shards.bzl", "link_shards", "op_headers", "sharded")
load("//third_party/cuda:defs.bzl", "cuda_library")
load("//tools/bazel:cc.bzl", "sy_cc_library", "sy_cc_objects", "sy_cc_registrations")
load("//tools/bazel:cc_archive.bzl", "cc_archive")

def _per_family(layer, files, **kwargs):
    """One ops_gen target a family. `files` is {operator: its files}, which operators may share."""
    for family in FAMILIES:
        outs = {
            file: None
            for name in files
            if OPS[name].family == family
            for file in files[name]
        }.keys()
        if outs:
            ops_gen(
                name = "%s_%s" % (family, layer),
                layer = layer,
                outs = outs,
                src = "//ops_gen/ops:%s.yaml" % family,
                **kwargs
            )

def _pair(stem):
    return [stem + ".gen.h", stem + ".gen.cc"]

def _signature_stems(op):
    return [op.name] + ([op.forward + "_grad_map"] if op.forward else [])

def _signature_deps(op):
    return [":" + stem + "_headers" for stem in _signature_stems(op)] + (
        [":%s_headers" % op.forward] if op.forward else []
    ) + ["//phi/core:infer_meta_context"] + (
        ["//phi/infermeta:" + op.header] if op.header else []
    )

def op_signatures():
    """//phi/core/signatures:<op>, :<op>_call_headers, :<op>_grad_map and :every_operator."""
    files = {
        op.name: [file for stem in _signature_stems(op) for file in _pair(stem)] + [op.name + ".call.gen.h"]
        for op in OPS.values()
    }
    _per_family("signatures", files)
    linked = link_shards(sharded(sy_cc_library, "signatures", "phi/core/signatures", files, _signature_deps))
    for op in OPS.values():
        op_headers(op.name + "_call", [op.name + ".call.gen.h"], [
            "//framework/types:attr_arg",
            "//phi/core:arg_buffer",
        ])
        sy_cc_library(
            name = op.name,
            visibility = ["//visibility:public"],
            deps = [
                linked[op.name],
                op_headers(op.name, [op.name + ".gen.h"], [
                    "//phi/core:kernel_thunk",
                    "//phi/core:kernel_context",
                    "//phi/core:op_info",
                ]),
            ],
        )
        if op.forward:
            gradient = op.forward + "_grad_map"
            sy_cc_library(
                name = gradient,
                deps = [
                    ":" + op.forward,
                    ":" + op.name,
                    linked[op.name],
                    op_headers(gradient, [gradient + ".gen.h"], ["//phi/core:grad_info"]),
                ],
            )
    ops_gen(
        name = "all_signatures",
        layer = "signatures",
        names = sorted(OPS.keys()),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "every_operator",
        srcs = ["every_operator.gen.cc"],
        hdrs = ["every_operator.h"],
        deps = ["//phi/core:op_info"] + sorted({target: None for target in linked.values()}),
    )

def _is_legacy(op):
    return op.legacy or (op.forward and OPS[op.forward].legacy)

def _legacy_deps(op):
    return [
        ":%s_headers" % op.name,
        "//phi/core/signatures:" + op.name,
    ]

def legacy_tables():
    """//phi/legacy:<op> of the operators with `fluid:` and of their gradients, and :tables."""
    files = {op.name: _pair(op.name) for op in OPS.values() if _is_legacy(op)}
    _per_family("legacy", files)
    linked = link_shards(sharded(sy_cc_library, "legacy", "phi/legacy", files, _legacy_deps))
    for name in files:
        sy_cc_library(
            name = name,
            deps = [
                linked[name],
                op_headers(name, [name + ".gen.h"], [":legacy_form"]),
            ],
        )
    ops_gen(
        name = "all_legacy",
        layer = "legacy",
        names = sorted(files),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "tables",
        srcs = [
            "every_operator.cc",
            "every_operator.gen.cc",
        ],
        hdrs = ["every_operator.h"],
        deps = [":legacy_form", "//phi/core:op_table"] + sorted({target: None for target in linked.values()}),
    )

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
        library = "cpu/%s:%s" % (folder, file) if backend == "cpu" else "%s:%s_kernels" % (backend, file)
        libraries["//phi/kernels/" + library] = None
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

def backend_kernels(backend, **kwargs):
    """//phi/kernels/<backend>:<op> of the operators with kernels of that backend.

    They register what :<header>_kernels declares (of cpu: //phi/kernels/cpu/<folder>:<header>), or
    what the functors of that header make.

    Args:
      backend: a key of `kernels:`.
      **kwargs: of each target: what it is compatible with.
    """
    ops = [op for op in OPS.values() if _runs_on(op, backend)]
    _per_family(backend + "_kernels", {op.name: _kernel_files(op, backend) for op in ops}, **kwargs)
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
                deps = functor + _kernel_libraries(op, backend) + [
                    "//phi/core:register_kernel",
                    "//phi/core/signatures:" + op.name,
                ],
                **kwargs
            )
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
        if folders == None or [h for h in (op.kernel_header, op.kinds_header) if h.split("/")[0] in folders]
    ]

def functor_operators():
    """The operators with `functor:`."""
    return [op.name for op in OPS.values() if op.functor]

def functor_headers():
    """The headers of phi/kernels/functors that hold the operators' functors."""
    return sorted({op.kernel_header.split("/")[1]: None for op in OPS.values() if op.functor})

def op_apis():
    """//phi/api:<op> of the operators that have kernels or invoke one that has."""
    ops = [op for op in OPS.values() if op.kernels or op.invoke]
    _per_family("api", {op.name: _pair(op.name) for op in ops})
    for op in ops:
        sy_cc_library(
            name = op.name,
            srcs = [op.name + ".gen.cc"],
            hdrs = [op.name + ".gen.h"],
            visibility = ["//visibility:public"],
            deps = [
                ":flat_call",
                "//framework/base:status",
                "//framework/tensor:dense_tensor",
                "//framework/types:attribute",
                "//phi/core:kernel_table",
                "//phi/core/signatures:" + op.name,
                "//phi/dispatch:call",
            ] + ([":" + op.invoke] if op.invoke else []),
        )

def _mixed_deps(op):
    """The headers that an operator's source reads: its gradient's, and those of what its body calls."""
    return [
        ":%s_headers" % name
        for name in [op.name, op.backward]
        if name
    ] + [
        "//phi/core/signatures:%s_call_headers" % name
        for name in [op.invoke] + op.uses
        if name
    ] + (["//phi/composite:" + op.composite] if op.composite else []) + [
        "//phi/core/signatures:" + op.name,
    ] + (["//phi/core/signatures:%s_grad_map" % op.name] if op.backward else [])

def _archive(layer, folder, header_deps, deps, parts, visibility = None):
    """:<op> for each operator of a layer, and :every_operator, over one archive, :operators.

    Operators refer to each other in circles (a gradient is made of operators that have gradients),
    so their objects are one archive; a linker takes of it only what it is asked for.

    Args:
      layer: the generator's.
      folder: of the BUILD file, as #include sees it.
      header_deps: what the generated headers include.
      deps: deps(op) lists what the sources need besides.
      parts: other libraries that are part of the archive.
      visibility: of the operators' targets.
    """
    files = {name: _pair(name) for name in OPS}
    _per_family(layer, files)
    for name in OPS:
        op_headers(name, [name + ".gen.h"], header_deps)
    shards = sharded(sy_cc_objects, layer, folder, files, deps)
    cc_archive(
        name = "operators",
        parts = sorted({target: None for target in shards.values()}) + parts,
    )
    for name in OPS:
        sy_cc_library(
            name = name,
            visibility = visibility,
            deps = [
                ":operators",
                ":%s_headers" % name,
            ],
        )
    ops_gen(
        name = "all_" + layer,
        layer = layer,
        names = sorted(OPS.keys()),
        outs = ["every_operator.gen.cc"],
    )
    sy_cc_library(
        name = "every_operator",
        srcs = ["every_operator.gen.cc"],
        hdrs = ["every_operator.h"],
        visibility = visibility,
        deps = [":operators"] + header_deps,
    )

def _eager_deps(op):
    return _mixed_deps(op) + [
        ":autograd_ops_headers",
        ":flat_run",
        "//eager/call:run",
        "//framework/base:op_error",
        "//phi/core:kernel_table",
    ]

def eager_ops():
    """//eager/ops:<op>, :every_operator, and :ops, the public header switchyard/ops.h."""
    _archive(
        "eager",
        "eager/ops",
        header_deps = [
            "//eager/call:eager_op",
            "//eager/call:run",
            "//eager/tensor",
            "//phi/core:arg_buffer",
        ],
        deps = _eager_deps,
        parts = [":autograd_ops"],
        visibility = ["//visibility:public"],
    )
    forward = [op for op in OPS.values() if not op.forward]
    ops_gen(
        name = "public_header",
        layer = "public_header",
        names = sorted([op.name for op in forward] + [
            "%s_ %s" % (op.name, op.name)
            for op in forward
            if op.inplace and not op.name.endswith("_")
        ]),
        outs = ["switchyard/ops.h"],
    )
    sy_cc_library(
        name = "ops",
        hdrs = ["switchyard/ops.h"],
        includes = ["."],
        visibility = ["//visibility:public"],
        deps = [":operators"] + [":%s_headers" % op.name for op in forward],
    )

def dialect_ops():
    """//static_graph/dialect:<op> and :every_operator."""
    _archive(
        "dialect",
        "static_graph/dialect",
        header_deps = [
            ":dialect_op",
            ":composite_ops",
            ":op_view",
            "//phi/core:arg_buffer",
        ],
        deps = _mixed_deps,
        parts = [],
        visibility = ["//visibility:public"],
    )
