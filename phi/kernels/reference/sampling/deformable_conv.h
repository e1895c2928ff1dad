// SPDX-License-Identifier: Apache-2.0
// Reference kernels of deformable_conv and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_DEFORMABLE_CONV_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_DEFORMABLE_CONV_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/deformable_conv.args.gen.h"
#include "phi/core/signatures/deformable_conv_grad.args.gen.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// One product of a deformable convolution: an element of the result, a channel
// of its group, and a tap.
struct MovedProduct {
  Index weight;   // In filter.
  Index moves;    // In offset: that down; that across is the next channel.
  Index mask;     // In mask.
  int64_t image;  // In input.
  int64_t channel;
  double y;
  double x;
};

// The sum that a product reads from a plane: pixels times weights, and how much
// each weight grows by as the place moves.
struct MovedPixel {
  Index at;
  double weight;
  double down;
  double across;
};

inline std::vector<MovedPixel> PixelsAbout(const MovedProduct& product,
                                           const Shape& input) {
  std::vector<MovedPixel> pixels;
  const double top = std::floor(product.y), left = std::floor(product.x);
  for (int k = 0; k < 4; ++k) {
    const double y = top + k / 2, x = left + k % 2;
    if (!(y >= 0 && x >= 0 && y < double(input.extent(2)) &&
          x < double(input.extent(3)))) {
      continue;
    }
    const double near_y = 1 - std::abs(product.y - y);
    const double near_x = 1 - std::abs(product.x - x);
    pixels.push_back(
        {Index{product.image, product.channel, int64_t(y), int64_t(x)},
         near_y * near_x, (k < 2 ? -1 : 1) * near_x,
         (k % 2 == 0 ? -1 : 1) * near_y});
  }
  return pixels;
}

// Calls fn(product) for each of the element of the result at `where`.
template <typename T, typename Fn>
void ForEachMovedProduct(const DenseTensor& input, const DenseTensor& offset,
                         const DenseTensor& filter, const Index& where,
                         absl::Span<const int> strides,
                         absl::Span<const int> paddings,
                         absl::Span<const int> dilations, int deformable_groups,
                         int groups, const Fn& fn) {
  const int64_t own = filter.extent(1);
  const int64_t group = where[1] / (filter.extent(0) / groups);
  const bool four = paddings.size() == 4;
  for (int64_t c = 0; c < own; ++c) {
    const int64_t channel = group * own + c;
    const int64_t moved = channel / (input.extent(1) / deformable_groups);
    for (int64_t i = 0; i < filter.extent(2); ++i) {
      for (int64_t j = 0; j < filter.extent(3); ++j) {
        const int64_t tap =
            (moved * filter.extent(2) + i) * filter.extent(3) + j;
        MovedProduct product = {Index{where[1], c, i, j},
                                Index{where[0], 2 * tap, where[2], where[3]},
                                Index{where[0], tap, where[2], where[3]},
                                where[0],
                                channel,
                                0,
                                0};
        Index across = product.moves;
        ++across[1];
        product.y =
            double(where[2] * strides[0] - paddings[0] + i * dilations[0]) +
            double(At<T>(offset, product.moves));
        product.x = double(where[3] * strides[1] - paddings[four ? 2 : 1] +
                           j * dilations[1]) +
                    double(At<T>(offset, across));
        fn(product);
      }
    }
  }
}

template <typename S>
inline constexpr auto kDeformableConvSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DeformableConvKernel(const ReferenceContext&,
                                  const DeformableConvArgs& args) {
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    double sum = 0;
    ForEachMovedProduct<T>(
        args.input, args.offset, args.filter, Unravel(args.out->shape(), i),
        args.strides, args.paddings, args.dilations, args.deformable_groups,
        args.groups, [&](const MovedProduct& product) {
          double factor = At<T>(args.filter, product.weight);
          if (args.mask != nullptr) factor *= At<T>(*args.mask, product.mask);
          for (const MovedPixel& pixel :
               PixelsAbout(product, args.input.shape())) {
            sum += factor * pixel.weight * double(At<T>(args.input, pixel.at));
          }
        });
    args.out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

// Rounds sums to a gradient that is wanted.
template <typename T>
void RoundSums(const std::vector<double>& sums, DenseTensor* grad) {
  for (int64_t i = 0; grad != nullptr && i < grad->numel(); ++i) {
    grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
}

template <typename S>
inline constexpr auto kDeformableConvGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DeformableConvGradKernel(const ReferenceContext&,
                                      const DeformableConvGradArgs& args) {
  std::vector<double> inputs(args.input.numel()), offsets(args.offset.numel()),
      filters(args.filter.numel()),
      masks(args.mask_grad == nullptr ? 0 : args.mask_grad->numel());
  for (int64_t i = 0; i < args.out_grad.numel(); ++i) {
    const double grad = At<T>(args.out_grad, i);
    ForEachMovedProduct<T>(
        args.input, args.offset, args.filter, Unravel(args.out_grad.shape(), i),
        args.strides, args.paddings, args.dilations, args.deformable_groups,
        args.groups, [&](const MovedProduct& product) {
          const double weight = At<T>(args.filter, product.weight);
          const double masked = args.mask == nullptr
                                    ? 1
                                    : double(At<T>(*args.mask, product.mask));
          double sample = 0, down = 0, across = 0;
          for (const MovedPixel& pixel :
               PixelsAbout(product, args.input.shape())) {
            const double value = At<T>(args.input, pixel.at);
            sample += pixel.weight * value;
            down += pixel.down * value;
            across += pixel.across * value;
            inputs[Ravel(args.input.shape(), pixel.at)] +=
                grad * weight * masked * pixel.weight;
          }
          filters[Ravel(args.filter.shape(), product.weight)] +=
              grad * masked * sample;
          if (args.mask_grad != nullptr) {
            masks[Ravel(args.mask_grad->shape(), product.mask)] +=
                grad * weight * sample;
          }
          Index moves = product.moves;
          offsets[Ravel(args.offset.shape(), moves)] +=
              grad * weight * masked * down;
          ++moves[1];
          offsets[Ravel(args.offset.shape(), moves)] +=
              grad * weight * masked * across;
        });
  }
  RoundSums<T>(inputs, args.input_grad);
  RoundSums<T>(offsets, args.offset_grad);
  RoundSums<T>(filters, args.filter_grad);
  RoundSums<T>(masks, args.mask_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SAMPLING_DEFORMABLE_CONV_H_
