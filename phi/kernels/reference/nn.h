// SPDX-License-Identifier: Apache-2.0
// Reference kernels of dropout and embedding and their gradients.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NN_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NN_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/philox.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The factor of a kept element in training and of all elements in the test
// phase.
inline double KeptFactor(float p, bool is_test, std::string_view mode) {
  const bool upscale = mode == "upscale_in_train";
  if (is_test) return upscale ? 1 : 1 - double{p};
  return upscale && p < 1 ? 1 / (1 - double{p}) : 1;
}

// The uniform number of element i: of 32 bits for float, else of 64.
template <typename T>
double UniformDraw(const PhiloxStream& draws, int64_t i) {
  return sizeof(T) == 4 ? double{UniformFloat(draws.Draw32(i))}
                        : UniformDouble(draws.Draw64(i));
}

// Element i is kept if its uniform number is not below p.
template <typename T, typename Context>
absl::Status DropoutKernel(const Context&, const DenseTensor& x,
                           const DenseTensor* rng, float p, bool is_test,
                           std::string_view mode, int64_t stream,
                           DenseTensor* out, DenseTensor* mask) {
  if (!is_test && rng == nullptr) {
    return ArgumentError("rng", "a tensor in the training phase", "none");
  }
  const double factor = KeptFactor(p, is_test, mode);
  const PhiloxStream draws(is_test ? 0 : At<int64_t>(*rng, 0),
                           is_test ? 0 : At<int64_t>(*rng, 1), stream);
  for (int64_t i = 0; i < x.numel(); ++i) {
    const bool kept = is_test || UniformDraw<T>(draws, i) >= p;
    const double v = At<T>(x, i);
    if (mask != nullptr) mask->mutable_data<uint8_t>()[i] = kept;
    out->mutable_data<T>()[i] = static_cast<T>(kept ? v * factor : 0);
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status DropoutGradKernel(const Context&, const DenseTensor& mask,
                               const DenseTensor& out_grad, float p,
                               bool is_test, std::string_view mode,
                               DenseTensor* x_grad) {
  const double factor = KeptFactor(p, is_test, mode);
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    const bool kept = is_test || At<uint8_t>(mask, i) != 0;
    x_grad->mutable_data<T>()[i] =
        static_cast<T>(kept ? At<T>(out_grad, i) * factor : 0);
  }
  return absl::OkStatus();
}

// RangeError unless every index is a row of the table.
inline absl::Status CheckRows(std::string_view argument, const DenseTensor& x,
                              int64_t height) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t row = IntegerAt(x, i);
    if (row < 0 || row >= height) {
      return RangeError(argument, "in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  return absl::OkStatus();
}

template <typename T>
void CopyRows(const DenseTensor& x, const DenseTensor& weight,
              int64_t padding_idx, DenseTensor* out) {
  const int64_t width = weight.extent(1);
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t row = IntegerAt(x, i / width);
    out->mutable_data<T>()[i] =
        row == padding_idx ? T{0} : At<T>(weight, row * width + i % width);
  }
}

template <typename T, typename Context>
absl::Status EmbeddingKernel(const Context&, const DenseTensor& x,
                             const DenseTensor& weight, int64_t padding_idx,
                             DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  CopyRows<T>(x, weight, padding_idx, out);
  return absl::OkStatus();
}

// `out` has the sequences of `ids`.
template <typename T, typename Context>
absl::Status LookupTableKernel(const Context&, const DenseTensor& w,
                               const DenseTensor& ids, int64_t padding_idx,
                               DenseTensor* out) {
  SY_RETURN_IF_ERROR(CheckRows("ids", ids, w.extent(0)));
  CopyRows<T>(ids, w, padding_idx, out);
  out->SetLod(ids.lod());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status EmbeddingGradKernel(const Context&, const DenseTensor& x,
                                 const DenseTensor& weight,
                                 const DenseTensor& out_grad,
                                 int64_t padding_idx,
                                 DenseTensor* weight_grad) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  const int64_t width = weight.extent(1);
  std::vector<double> sums(weight_grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const int64_t row = IntegerAt(x, i / width);
    if (row != padding_idx) sums[row * width + i % width] += At<T>(out_grad, i);
  }
  for (int64_t w = 0; w < weight_grad->numel(); ++w) {
    weight_grad->mutable_data<T>()[w] = static_cast<T>(sums[w]);
  }
  return absl::OkStatus();
}

// The same gradient as rows: one for each index that is no padding.
template <typename T, typename Context>
absl::Status EmbeddingSparseGradKernel(const Context& context,
                                       const DenseTensor& x,
                                       const DenseTensor& weight,
                                       const DenseTensor& out_grad,
                                       int64_t padding_idx,
                                       SelectedRows* weight_grad) {
  SY_RETURN_IF_ERROR(CheckRows("x", x, weight.extent(0)));
  const int64_t width = weight.extent(1);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (IntegerAt(x, i) != padding_idx) kept.push_back(i);
  }
  weight_grad->set_height(weight.extent(0));
  weight_grad->mutable_rows().clear();
  DenseTensor& values = weight_grad->mutable_values();
  values.SetMeta(out_grad.dtype(),
                 Shape({static_cast<int64_t>(kept.size()), width}),
                 out_grad.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  for (size_t r = 0; r < kept.size(); ++r) {
    weight_grad->mutable_rows().push_back(IntegerAt(x, kept[r]));
    for (int64_t j = 0; j < width; ++j) {
      values.mutable_data<T>()[r * width + j] =
          At<T>(out_grad, kept[r] * width + j);
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status AccuracyKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& indices,
                            const DenseTensor& label, DenseTensor* accuracy,
                            DenseTensor* correct, DenseTensor* total) {
  int32_t hits = 0;
  const int64_t width = x.extent(1);
  for (int64_t r = 0; r < x.extent(0); ++r) {
    bool hit = false;
    for (int64_t j = 0; j < width; ++j) {
      hit |= IntegerAt(indices, r * width + j) == IntegerAt(label, r);
    }
    hits += hit ? 1 : 0;
  }
  const double share =
      x.extent(0) == 0 ? 0 : hits / static_cast<double>(x.extent(0));
  accuracy->mutable_data<float>()[0] = static_cast<float>(share);
  correct->mutable_data<int32_t>()[0] = hits;
  total->mutable_data<int32_t>()[0] = static_cast<int32_t>(x.extent(0));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NN_H_
