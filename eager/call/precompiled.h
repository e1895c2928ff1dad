// SPDX-License-Identifier: Apache-2.0
// The headers that the sources of generated eager operators include: the
// compiler reads them once (tools/bazel/cc.bzl).
#include "eager/call/composite_ops.h"
#include "eager/call/eager_op.h"
#include "eager/call/run.h"
#include "phi/core/arg_buffer.h"
#include "tools/bazel/precompiled/standard.h"
