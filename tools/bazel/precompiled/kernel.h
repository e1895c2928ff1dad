// SPDX-License-Identifier: Apache-2.0
// The headers that generated registrations of kernels, signatures and legacy
// forms and the kernels of the fluid kind include, and standard.h: an edit of
// these headers compiles nearly all of them again in any case.
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_thunk.h"
#include "phi/core/op_info.h"
#include "phi/core/register_kernel.h"
#include "tools/bazel/precompiled/standard.h"
