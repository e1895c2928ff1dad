// SPDX-License-Identifier: Apache-2.0
// How reference kernels of convolutions and poolings find an element: images
// in either format, and padding by the words of the attribute.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_WINDOW_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_WINDOW_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// An image tensor, whichever axis its channels are.
class Image {
 public:
  Image(const DenseTensor& x, std::string_view data_format)
      : x_(x), last_(data_format == "NHWC") {}

  int64_t batch() const { return x_.extent(0); }
  int64_t channels() const { return x_.extent(last_ ? 3 : 1); }
  int64_t extent(int axis) const { return x_.extent((last_ ? 1 : 2) + axis); }
  bool inside(int64_t h, int64_t w) const {
    return h >= 0 && h < extent(0) && w >= 0 && w < extent(1);
  }
  Index index(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return last_ ? Index{n, h, w, c} : Index{n, c, h, w};
  }
  template <typename T>
  double at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return At<T>(x_, index(n, c, h, w));
  }
  // The row-major position, for results.
  int64_t position(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return Ravel(x_.shape(), index(n, c, h, w));
  }

 private:
  const DenseTensor& x_;
  bool last_;
};

// Padding before the first element along axis 0 (height) or 1 (width).
inline int64_t PaddingBefore(absl::Span<const int> paddings,
                             std::string_view algorithm, int axis,
                             int64_t extent, int64_t kernel, int64_t stride) {
  if (algorithm == "VALID") return 0;
  if (algorithm != "SAME") {
    return paddings.size() == 4 ? paddings[2 * axis] : paddings[axis];
  }
  int64_t outputs = 0;
  while (outputs * stride < extent) ++outputs;
  const int64_t covered = outputs == 0 ? 0 : (outputs - 1) * stride + kernel;
  return std::max<int64_t>(0, covered - extent) / 2;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_WINDOW_H_
