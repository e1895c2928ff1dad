// SPDX-License-Identifier: Apache-2.0
// Gemm of float16 and bfloat16: operands are made float, multiplied and summed
// as float, and each element of out is rounded once.
#include <algorithm>
#include <optional>

#include "framework/base/checked_math.h"
#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/conversion/half_conversion.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Bytes of float operands and results that a group of products may take, so
// that stacks of small products run side by side and large ones one by one.
constexpr int64_t kGroupBytes = int64_t{1} << 26;

// The operand as float at `to`, without gaps: by columns if that is how it
// lies, otherwise by rows.
template <typename T>
GemmOperand<float> WidenOperand(const GemmOperand<T>& x, int64_t rows,
                                int64_t columns, float* to) {
  if (x.row_stride == 1 && x.column_stride != 1) {
    const GemmOperand<float> transposed =
        WidenOperand<T>({x.data, x.column_stride, 1}, columns, rows, to);
    return {transposed.data, 1, transposed.row_stride};
  }
  ParallelFor(0, rows,
              std::max<int64_t>(1, kHalfGrain / std::max<int64_t>(1, columns)),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const T* from = x.data + i * x.row_stride;
                  float* row = to + i * columns;
                  if (x.column_stride == 1) {
                    Widen(DataTypeOf<T>::value, from, columns, row);
                    continue;
                  }
                  for (int64_t j = 0; j < columns; ++j) {
                    row[j] = from[j * x.column_stride];
                  }
                }
              });
  return {to, columns, 1};
}

template <typename T>
absl::Status RunHalf(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                     absl::Span<const GemmProduct<T>> products) {
  if (m == 0 || n == 0 || products.empty()) return absl::OkStatus();
  // Expanded operands may have more elements than memory has bytes.
  const auto a = CheckedMultiply(m, k), b = CheckedMultiply(k, n);
  const auto ab = a && b ? CheckedAdd(*a, *b) : std::nullopt;
  const auto each = ab ? CheckedAdd(*ab, m * n) : std::nullopt;
  const auto bytes = each ? CheckedMultiply(*each, sizeof(float)) : each;
  if (!bytes) {
    return SizeError("y", "small enough to be made float32",
                     "more bytes than 2^63");
  }
  const int64_t group = std::min(
      static_cast<int64_t>(products.size()),
      std::max<int64_t>(1, kGroupBytes / std::max<int64_t>(1, *bytes)));
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      allocator.Allocate(group * *bytes));
  float* const converted = static_cast<float*>(buffer->data());
  SY_ASSIGN_OR_RETURN(const Workspace<GemmProduct<float>> workspace,
                      Workspace<GemmProduct<float>>::Make(allocator, group));
  while (!products.empty()) {
    const auto now = products.subspan(0, group);
    const auto wide = workspace.span().subspan(0, now.size());
    float* at = converted;
    for (size_t i = 0; i < now.size(); ++i, at += *each) {
      wide[i] = {WidenOperand(now[i].a, m, k, at),
                 WidenOperand(now[i].b, k, n, at + *a), at + *ab};
    }
    SY_RETURN_IF_ERROR(Gemm(allocator, m, n, k, absl::MakeConstSpan(wide)));
    for (size_t i = 0; i < now.size(); ++i) {
      NarrowBuffer(wide[i].out, m * n, now[i].out);
    }
    products.remove_prefix(now.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<float16>> products) {
  return RunHalf(allocator, m, n, k, products);
}

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<bfloat16>> products) {
  return RunHalf(allocator, m, n, k, products);
}

}  // namespace switchyard::phi::kernels::cpu
