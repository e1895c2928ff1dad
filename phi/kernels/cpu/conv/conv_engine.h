// SPDX-License-Identifier: Apache-2.0
// The products of 2-d convolutions on the CPU, on contiguous [batch,
// channels, height, width] images: directly (conv_direct.h), or by unfolding
// windows to columns, and multiplying each image's columns with the filter by
// Gemm (gemm.h). Operators, their attributes and formats are conv.h's.
//
// Bits: an image is one task, and sums over images are cut into chunks that the
// shape decides, so the number of threads changes nothing.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ENGINE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ENGINE_H_

#include "phi/kernels/cpu/conv/conv_geometry.h"

namespace switchyard::phi::kernels::cpu {

// Returns true if a filter of 1 x 1 sees every pixel once: the columns are the
// image itself.
bool IsPointwise(const ConvGeometry& g);

// Each writes all of its last argument. ResourceExhausted if there is no memory
// for workspace; what is then written is undefined.
template <typename T>
absl::Status ConvForward(Allocator& allocator, const ConvGeometry& g,
                         const T* input, const T* filter, T* out);
template <typename T>
absl::Status ConvInputGrad(Allocator& allocator, const ConvGeometry& g,
                           const T* filter, const T* out_grad, T* input_grad);
template <typename T>
absl::Status ConvFilterGrad(Allocator& allocator, const ConvGeometry& g,
                            const T* input, const T* out_grad, T* filter_grad);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ENGINE_H_
