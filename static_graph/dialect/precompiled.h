// SPDX-License-Identifier: Apache-2.0
// The headers that generated operators and most sources that work on programs
// include: the compiler reads them once (tools/bazel/cc.bzl).
#include "phi/core/arg_buffer.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/op_view.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"
#include "tools/bazel/precompiled/standard.h"
