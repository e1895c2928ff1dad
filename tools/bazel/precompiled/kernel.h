// SPDX-License-Identifier: Apache-2.0
// What every generated registration of a kernel includes, and standard.h: an
// edit of these headers compiles all registrations again in any case.
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_thunk.h"
#include "phi/core/op_info.h"
#include "phi/core/register_kernel.h"
#include "tools/bazel/precompiled/standard.h"
