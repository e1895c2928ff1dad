// SPDX-License-Identifier: Apache-2.0
// The registrations of a backend's kernels, phi/kernels/<backend>/<op>.gen.cc:
// each kernel function that the header of `kernel: header:` declares, for the
// dtypes that `kernels:` promises. The cpu kernels of operators with `functor:`
// are made here too: one file for those of a family that share a header of
// phi/kernels/functors instantiates the elementwise frame
// (phi/kernels/cpu/elementwise/elementwise-inl.h) over their functors.
#ifndef SWITCHYARD_OPS_GEN_EMIT_KERNELS_H_
#define SWITCHYARD_OPS_GEN_EMIT_KERNELS_H_

#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitReferenceKernels(const Family& family);
std::vector<GeneratedFile> EmitCpuKernels(const Family& family);
std::vector<GeneratedFile> EmitOnednnKernels(const Family& family);
std::vector<GeneratedFile> EmitGpuKernels(const Family& family);
std::vector<GeneratedFile> EmitGpudnnKernels(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_KERNELS_H_
