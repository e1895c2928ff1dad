// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/gemm.h"

#include <algorithm>

#include "framework/base/checked_math.h"
#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/gemm_tile.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/gemm.cc"
#include "phi/kernels/cpu/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

void BlockFloat(const GemmBlock<float>& block) { MultiplyBlock(block); }
void BlockDouble(const GemmBlock<double>& block) { MultiplyBlock(block); }
void PackFloat(const GemmOperand<float>& b, int64_t k, int64_t n, int64_t begin,
               int64_t end, float* packed) {
  PackPanels(b, k, n, begin, end, packed);
}
void PackDouble(const GemmOperand<double>& b, int64_t k, int64_t n,
                int64_t begin, int64_t end, double* packed) {
  PackPanels(b, k, n, begin, end, packed);
}
int64_t PanelFloat() { return kGemmColumns<float>; }
int64_t PanelDouble() { return kGemmColumns<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels {
namespace {

HWY_EXPORT(BlockFloat);
HWY_EXPORT(BlockDouble);
HWY_EXPORT(PackFloat);
HWY_EXPORT(PackDouble);
HWY_EXPORT(PanelFloat);
HWY_EXPORT(PanelDouble);

void Block(const GemmBlock<float>& block) {
  HWY_DYNAMIC_DISPATCH(BlockFloat)(block);
}
void Block(const GemmBlock<double>& block) {
  HWY_DYNAMIC_DISPATCH(BlockDouble)(block);
}
void Pack(const GemmOperand<float>& b, int64_t k, int64_t n, int64_t begin,
          int64_t end, float* packed) {
  HWY_DYNAMIC_DISPATCH(PackFloat)(b, k, n, begin, end, packed);
}
void Pack(const GemmOperand<double>& b, int64_t k, int64_t n, int64_t begin,
          int64_t end, double* packed) {
  HWY_DYNAMIC_DISPATCH(PackDouble)(b, k, n, begin, end, packed);
}
int64_t PanelWidth(float) { return HWY_DYNAMIC_DISPATCH(PanelFloat)(); }
int64_t PanelWidth(double) { return HWY_DYNAMIC_DISPATCH(PanelDouble)(); }

// From so many rows on, b is packed: each panel then serves several tiles.
constexpr int64_t kPackFromRows = 48;
// Multiply-adds that are worth a thread.
constexpr double kTaskWork = 1 << 18;

int64_t Parts(int64_t extent, int64_t part) {
  return (extent + part - 1) / part;
}

// The tasks of all products, numbered.
template <typename T>
void RunTasks(absl::Span<const GemmProduct<T>> products, const T* packed,
              int64_t m, int64_t n, int64_t k) {
  const int64_t row_parts = Parts(m, kGemmBlockRows);
  const int64_t column_parts = Parts(n, kGemmBlockColumns);
  const int64_t tasks =
      static_cast<int64_t>(products.size()) * row_parts * column_parts;
  const double task_work = static_cast<double>(std::min(m, kGemmBlockRows)) *
                           std::min(n, kGemmBlockColumns) * k;
  const auto grain = static_cast<int64_t>(
      std::min(1e9, std::max(1.0, kTaskWork / std::max(1.0, task_work))));
  ParallelFor(0, tasks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t row = t / column_parts % row_parts * kGemmBlockRows;
      const int64_t column = t % column_parts * kGemmBlockColumns;
      GemmBlock<T> block{&products[t / (row_parts * column_parts)],
                         packed,
                         n,
                         k,
                         row,
                         std::min(m, row + kGemmBlockRows),
                         column,
                         std::min(n, column + kGemmBlockColumns)};
      Block(block);
    }
  });
}

template <typename T>
absl::Status RunGemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                     absl::Span<const GemmProduct<T>> products) {
  if (m == 0 || n == 0 || products.empty()) return absl::OkStatus();
  if (k == 0) {
    for (const GemmProduct<T>& p : products) std::fill_n(p.out, m * n, T{0});
    return absl::OkStatus();
  }
  if (m < kPackFromRows) {
    RunTasks<T>(products, nullptr, m, n, k);
    return absl::OkStatus();
  }
  const int64_t width = PanelWidth(T{});
  const int64_t panels = Parts(n, width);
  const auto elements = CheckedMultiply(panels * width, k);
  const auto bytes =
      CheckedMultiply(elements.value_or(-1), elements ? sizeof(T) : -1);
  if (!elements || !bytes || *bytes < 0) {
    return SizeError("y", "small enough to be packed", "more bytes than 2^63");
  }
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer, allocator.Allocate(*bytes));
  T* packed = static_cast<T*>(buffer->data());
  for (size_t i = 0; i < products.size(); ++i) {
    const GemmOperand<T>& b = products[i].b;
    // Stacked products often share b.
    const bool same = i > 0 && b.data == products[i - 1].b.data;
    if (!same) {
      const int64_t grain = std::max<int64_t>(1, (1 << 16) / (k * width));
      ParallelFor(0, panels, grain, [&](int64_t begin, int64_t end) {
        Pack(b, k, n, begin, end, packed);
      });
    }
    RunTasks<T>(products.subspan(i, 1), packed, m, n, k);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<float>> products) {
  return RunGemm(allocator, m, n, k, products);
}

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<double>> products) {
  return RunGemm(allocator, m, n, k, products);
}

}  // namespace switchyard::phi::kernels
#endif  // HWY_ONCE
