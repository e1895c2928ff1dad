// SPDX-License-Identifier: Apache-2.0
// The cpu kernels of operators with `functor:`: phi/kernels/cpu/<op>.gen.cc,
// which instantiates the elementwise frame (phi/kernels/cpu/elementwise-inl.h)
// over the hand-written functor (phi/kernels/functors), and their reference
// kernels: phi/kernels/reference/<op>.gen.cc, which registers the formula of
// the same name (phi/kernels/reference/formulas.h).
#ifndef SWITCHYARD_OPS_GEN_EMIT_FUNCTOR_H_
#define SWITCHYARD_OPS_GEN_EMIT_FUNCTOR_H_

#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitFunctorKernels(const Family& family);
std::vector<GeneratedFile> EmitFunctorReferences(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_FUNCTOR_H_
