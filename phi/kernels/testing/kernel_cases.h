// SPDX-License-Identifier: Apache-2.0
// Running kernels alone, in tests: by KernelDef, through their thunk, with
// outputs as InferMeta says, without selection or dispatch.
// CheckAgainstReference holds every linked kernel of an operator against its
// reference kernel.
#ifndef SWITCHYARD_PHI_KERNELS_TESTING_KERNEL_CASES_H_
#define SWITCHYARD_PHI_KERNELS_TESTING_KERNEL_CASES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::kernels {

// One call. An input without a buffer is an absent optional one; the tensors of
// a list follow each other. Where there are several lists, `list_sizes` says
// how many tensors each has.
struct KernelCase {
  std::string_view op;
  std::vector<DenseTensor> inputs = {};
  std::vector<AttrRef> attrs = {};
  std::vector<size_t> list_sizes = {};
};

// Returns the record of an operator of the linked binary; fails the test if
// there is none of this name.
const OpInfo& FindInfo(std::string_view op);
// The kernel for the case's key dtype; null if the backend has none.
const KernelDef* FindKernel(const KernelCase& call, std::string_view backend);

// Returns outputs as InferMeta infers them, allocated (except views) and filled
// with 0xa5 bytes. An output takes the memory of its in-place input where
// `inplace`.
absl::StatusOr<std::vector<DenseTensor>> Outputs(const KernelCase& call,
                                                 bool inplace = false);
// Runs the kernel into `outputs`. One that chooses layouts gets its first
// input in the layout `given`, if it takes that.
absl::Status Launch(const KernelDef& kernel, const KernelCase& call,
                    std::vector<DenseTensor>* outputs,
                    LayoutDescriptor given = {});
// Both together, by the kernel of `backend`.
absl::StatusOr<std::vector<DenseTensor>> RunKernel(const KernelCase& call,
                                                   std::string_view backend);

// Every kernel of the operator for the case's dtype, beside the reference one:
// results within `tolerance`; with 1 and 3 threads, with inputs of other
// strides (where the kernel takes them) and in place (where the operator has
// it) the same bits, and in other layouts of images; inputs untouched
// otherwise. Kernels whose conditions a test must meet are the tests' own
// business.
void CheckAgainstReference(const KernelCase& call, Tolerance tolerance = {});

// Pseudo-random numbers in [low, high), the same for the same seed; integers
// are rounded down.
template <typename T>
DenseTensor RandomTensor(const Shape& shape, double low = -2, double high = 2,
                         uint64_t seed = 1);

// Returns the same tensor in memory of another order: axes reversed, with gaps.
DenseTensor WithOtherStrides(const DenseTensor& x);

// Checks a gradient kernel by central differences in float64: d sum(w * out) /
// d inputs[input] for forward outputs out[output] and random w, which takes the
// place of the output's gradient. `backward` has the inputs of the backward
// operator, except the gradient of the output, at position `grad_input`.
struct GradientCase {
  KernelCase forward;
  int input = 0;   // Which input is varied.
  int output = 0;  // Which output is weighed.
  KernelCase backward;
  int grad_input = 0;   // Where the backward operator takes w.
  int grad_output = 0;  // Which of its results belongs to `input`.
};
void CheckGradient(GradientCase gradient, double tolerance = 1e-6);

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_TESTING_KERNEL_CASES_H_
