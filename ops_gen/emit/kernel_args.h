// SPDX-License-Identifier: Apache-2.0
// The parameters of kernel functions, and <op>.args.gen.h: the struct of them
// that the functions of an operator with many take.
#ifndef SWITCHYARD_OPS_GEN_EMIT_KERNEL_ARGS_H_
#define SWITCHYARD_OPS_GEN_EMIT_KERNEL_ARGS_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The most that a kernel function takes one by one, besides its context.
inline constexpr size_t kMaxKernelParameters = 8;

// One parameter of a kernel function, or field of the struct.
struct KernelParameter {
  std::string type;
  std::string name;
};

// Returns the parameters of a kernel function after its context: those of
// `param:` in their order, then the outputs.
std::vector<KernelParameter> KernelParameters(const Op& op,
                                              const KernelFunction& function);

// Returns true if the operator has functional kernels, which take a struct.
bool TakesKernelArgs(const Op& op);

// Returns "BatchNormArgs", from the kernel function's name.
std::string KernelArgsName(const std::string& kernel);

// Returns the header with the structs of such an operator.
GeneratedFile KernelArgsHeader(const Family& family, const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_KERNEL_ARGS_H_
