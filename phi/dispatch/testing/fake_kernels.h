// SPDX-License-Identifier: Apache-2.0
// A small image without a kernel set, for the tests of dispatch: a fake GPU
// whose memory is the host's, a handful of operators with kernels that do just
// enough, and the rows of the transforms cast, copy and contiguous. The kernels
// count their launches.
#ifndef SWITCHYARD_PHI_DISPATCH_TESTING_FAKE_KERNELS_H_
#define SWITCHYARD_PHI_DISPATCH_TESTING_FAKE_KERNELS_H_

#include <initializer_list>

#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::dispatch {

// An operator and its kernels.
struct FakeOp {
  OpInfo info;
  OpKernels op_kernels;
};

// out = x + y, of one shape or y a scalar; any strides; promotes; may write
// into x. float32 on the CPU and the GPU, float64 on the CPU.
extern const FakeOp fake_plus;
// out = -x; contiguous inputs; the CPU alone.
extern const FakeOp fake_negate;
// out is a view of the first half of x's first axis.
extern const FakeOp fake_half;
// Has an optional input and output: out = x, mask = x if wanted.
extern const FakeOp fake_pair;
// out = the vectors `x`, a list, one after another; `order` (text) and
// `weights` (integers) are attributes that it does not look at.
extern const FakeOp fake_join;
// float32[extent, extent].
extern const FakeOp fake_fill;
// out = the rows of x: dense, or SelectedRows where `sparse`; a kernel each.
extern const FakeOp fake_rows;
// Its kernel finds something wrong.
extern const FakeOp fake_failing;

// Launches of fake kernels, transforms not counted.
int Launches();

// A float32 tensor on the fake GPU with these elements, row-major.
DenseTensor OnGpu(const Shape& shape, std::initializer_list<float> values);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_TESTING_FAKE_KERNELS_H_
