// SPDX-License-Identifier: Apache-2.0
#include "phi/core/anomaly/number_range.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "framework/device/transfer.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/float16.h"
#include "framework/types/storage_codes.h"

namespace switchyard::phi {
namespace {

// An element of a storage type.
struct Code {
  uint8_t code;
};

// Reads tensors one after the other into one range.
class RangeReader {
 public:
  absl::Status Read(const DenseTensor& tensor) {
    if (!tensor.allocated() || tensor.numel() == 0) return absl::OkStatus();
    if (tensor.place() == Place::Cpu()) return ReadOnHost(tensor);
    SY_ASSIGN_OR_RETURN(const DenseTensor copy,
                        Transferred(tensor, Place::Cpu()));
    return ReadOnHost(copy);
  }

  const NumberRange& range() const { return range_; }

 private:
  absl::Status ReadOnHost(const DenseTensor& tensor) {
    switch (tensor.dtype()) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return ReadAs<type>(tensor);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
      default:
        break;
    }
    if (!IsStorage(tensor.dtype())) return absl::OkStatus();
    numbers_ = NumbersOfCodes(tensor.dtype());
    return ReadAs<Code>(tensor);
  }

  template <typename T>
  absl::Status ReadAs(const DenseTensor& tensor) {
    const auto* const data = static_cast<const T*>(tensor.raw_data());
    if (!tensor.layout().strided()) {
      SY_ASSIGN_OR_RETURN(
          const int64_t bytes,
          CheckedByteSize(tensor.dtype(), tensor.shape(), tensor.layout()));
      ReadRun(data, bytes / static_cast<int64_t>(sizeof(T)), 1, 0);
    } else if (tensor.contiguous()) {
      ReadRun(data, tensor.numel(), 1, 0);
    } else {
      ReadAxis(tensor, data, 0, 0);
    }
    return absl::OkStatus();
  }

  // Reads the elements from `axis` on, of which the first is number `position`.
  template <typename T>
  void ReadAxis(const DenseTensor& tensor, const T* data, int axis,
                int64_t position) {
    const int64_t stride = tensor.strides()[axis];
    const int64_t extent = stride == 0 ? 1 : tensor.extent(axis);
    if (axis == tensor.rank() - 1) {
      return ReadRun(data, extent, stride, position);
    }
    const int64_t inner = tensor.shape().numel(axis + 1, tensor.rank());
    for (int64_t i = 0; i < extent; ++i) {
      ReadAxis(tensor, data + i * stride, axis + 1, position + i * inner);
    }
  }

  template <typename T>
  void ReadRun(const T* data, int64_t count, int64_t stride, int64_t position) {
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kIsComplex<T>) {
        Add(data[i * stride].real(), position + i);
        Add(data[i * stride].imag(), position + i);
      } else if constexpr (std::is_same_v<T, Code>) {
        Add(numbers_[data[i * stride].code], position + i);
      } else {
        Add(static_cast<double>(data[i * stride]), position + i);
      }
    }
  }

  void Add(double number, int64_t position) {
    if (std::isfinite(number)) {
      range_.least = std::min(range_.least, number);
      range_.greatest = std::max(range_.greatest, number);
      return;
    }
    int64_t& first =
        std::isnan(number) ? range_.first_nan : range_.first_infinity;
    if (first < 0) first = position;
  }

  NumberRange range_;
  const double* numbers_ = nullptr;  // Of the codes of a storage type.
};

}  // namespace

absl::StatusOr<NumberRange> RangeOf(const TensorBase& tensor) {
  RangeReader reader;
  switch (tensor.kind()) {
    case TensorKind::kDense:
      SY_RETURN_IF_ERROR(reader.Read(static_cast<const DenseTensor&>(tensor)));
      break;
    case TensorKind::kSelectedRows:
      SY_RETURN_IF_ERROR(
          reader.Read(static_cast<const SelectedRows&>(tensor).values()));
      break;
    case TensorKind::kSparseCoo:
      SY_RETURN_IF_ERROR(
          reader.Read(static_cast<const SparseCooTensor&>(tensor).values()));
      break;
    case TensorKind::kSparseCsr:
      SY_RETURN_IF_ERROR(
          reader.Read(static_cast<const SparseCsrTensor&>(tensor).values()));
      break;
    case TensorKind::kTensorArray: {
      const auto& array = static_cast<const TensorArray&>(tensor);
      for (const TensorArray::Element& element : array.elements().ToVector()) {
        if (element != nullptr) SY_RETURN_IF_ERROR(reader.Read(*element));
      }
      break;
    }
    case TensorKind::kStrings:
      break;
  }
  return reader.range();
}

}  // namespace switchyard::phi
