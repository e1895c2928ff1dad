// SPDX-License-Identifier: Apache-2.0
// The parts of squeeze_excite that go over an image, and its products of
// vectors, for images whose channels come first or lie in blocks, with the same
// bits. A cut changes none either: a channel depends on itself and its gate.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_GATE_CHANNELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_GATE_CHANNELS_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Some channels of one image: `block` of them lie together at each of `pixels`
// pixels, and block follows block. A `block` of 1 is a plane.
template <typename T>
struct ImageBlocks {
  const T* x;
  int64_t pixels, block, blocks;
};

// Writes the mean of each channel: [blocks, block].
void MeansOfChannels(const ImageBlocks<float>& image, float* means);
void MeansOfChannels(const ImageBlocks<double>& image, double* means);

// Writes each channel times its gate, of [blocks, block].
void GateChannels(const ImageBlocks<float>& image, const float* gates,
                  float* out);
void GateChannels(const ImageBlocks<double>& image, const double* gates,
                  double* out);

// out[i] = bias[i] (null: 0) plus the sum over j of matrix[i, j] * x[j].
template <typename T>
struct MatrixTimesVector {
  const T* matrix;
  const T* x;
  const T* bias;
  int64_t rows, columns;
  T* out;
};
void MultiplyVector(const MatrixTimesVector<float>& product);
void MultiplyVector(const MatrixTimesVector<double>& product);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_GATE_CHANNELS_H_
