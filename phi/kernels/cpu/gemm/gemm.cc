// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/gemm/gemm.h"

#include <algorithm>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/gemm/gemm_tile.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/gemm/gemm.cc"
#include "phi/kernels/cpu/gemm/gemm_local-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void PackFloat(const GemmStrips<float>& strips) { PackStrips(strips); }
void PackDouble(const GemmStrips<double>& strips) { PackStrips(strips); }
void PackedFloat(const GemmTask<float>& task) { MultiplyPacked(task); }
void PackedDouble(const GemmTask<double>& task) { MultiplyPacked(task); }
void LocalFloat(const GemmLocal<float>& local) { MultiplyLocal(local); }
void LocalDouble(const GemmLocal<double>& local) { MultiplyLocal(local); }
GemmTileShape TileFloat() {
  return {kGemmRows, kGemmColumns<float>, kGemmPackFromColumns};
}
GemmTileShape TileDouble() {
  return {kGemmRows, kGemmColumns<double>, kGemmPackFromColumns};
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(PackFloat);
HWY_EXPORT(PackDouble);
HWY_EXPORT(PackedFloat);
HWY_EXPORT(PackedDouble);
HWY_EXPORT(LocalFloat);
HWY_EXPORT(LocalDouble);
HWY_EXPORT(TileFloat);
HWY_EXPORT(TileDouble);

void Pack(const GemmStrips<float>& strips) {
  HWY_DYNAMIC_DISPATCH(PackFloat)(strips);
}
void Pack(const GemmStrips<double>& strips) {
  HWY_DYNAMIC_DISPATCH(PackDouble)(strips);
}
void Multiply(const GemmTask<float>& task) {
  HWY_DYNAMIC_DISPATCH(PackedFloat)(task);
}
void Multiply(const GemmTask<double>& task) {
  HWY_DYNAMIC_DISPATCH(PackedDouble)(task);
}
void Multiply(const GemmLocal<float>& local) {
  HWY_DYNAMIC_DISPATCH(LocalFloat)(local);
}
void Multiply(const GemmLocal<double>& local) {
  HWY_DYNAMIC_DISPATCH(LocalDouble)(local);
}
GemmTileShape TileShape(float) { return HWY_DYNAMIC_DISPATCH(TileFloat)(); }
GemmTileShape TileShape(double) { return HWY_DYNAMIC_DISPATCH(TileDouble)(); }

// A left operand of at most this many elements a block stays in the second
// cache while all of b passes by: b is then packed on the way. Otherwise both
// are packed first, and out is cut both ways.
constexpr int64_t kLocalElements = 1 << 16;
// Multiply-adds that are worth a thread.
constexpr double kThreadWork = 1 << 18;
// A local product is cut into at most this many tasks: the wider a task, the
// longer the pieces of rows that it writes.
constexpr int64_t kLocalParts = 32;
// Products of less work run whole, side by side.
constexpr double kWholeWork = 1 << 23;
// The part that is packed at once: bounds the memory, and stays in the last
// cache.
constexpr int64_t kOuterRows = 1920;
constexpr int64_t kOuterColumns = 2048;
// A task's rows stay in the second cache while its columns pass by.
constexpr int64_t kTaskRows = 120;
constexpr int64_t kTaskColumns = 512;

int64_t Parts(int64_t extent, int64_t part) {
  return (extent + part - 1) / part;
}
int64_t RoundUp(int64_t extent, int64_t part) {
  return Parts(extent, part) * part;
}

// How many pieces of `work` each are worth a thread.
int64_t Grain(double work) {
  return static_cast<int64_t>(
      std::min(1e9, std::max(1.0, kThreadWork / std::max(1.0, work))));
}

struct GemmExtents {
  int64_t m, n, k;
  double work() const {
    return static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
};

// `finish`, null for none, is of the only product; likewise below.
template <typename T>
void RunLocal(const GemmExtents& extents,
              absl::Span<const GemmProduct<T>> products,
              const GemmFinish* finish) {
  // Columns that are worth a thread, whole strips of them.
  const int64_t width = TileShape(T{}).columns;
  const double strip_work = static_cast<double>(width) *
                            static_cast<double>(extents.m) *
                            static_cast<double>(extents.k);
  const int64_t strips = Parts(extents.n, width);
  const int64_t columns =
      width *
      std::min(strips, std::max(Grain(strip_work), Parts(strips, kLocalParts)));
  const int64_t column_parts = Parts(extents.n, columns);
  const auto tasks = static_cast<int64_t>(products.size()) * column_parts;
  const double work = extents.work() / static_cast<double>(column_parts);
  ParallelFor(0, tasks, Grain(work), [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % column_parts * columns;
      GemmLocal<T> local = {products[t / column_parts], extents.m,
                            std::min(columns, extents.n - column), extents.k,
                            extents.n};
      local.product.b.data +=
          column *
          (local.product.packed_b ? extents.k : local.product.b.column_stride);
      local.product.out += column;
      Multiply(local);
      if (finish != nullptr) (*finish)(0, column, local.m, local.n);
    }
  });
}

// A block of one product that is packed at once.
template <typename T>
struct PackedBlock {
  GemmStrips<T> a;
  GemmStrips<T> b;
  bool pack_a;
  const T* packed_b;  // Null: b is packed here.
  int64_t b_step;     // From strip to strip of b, packed here or before.
  bool first;
  T* out;
  int64_t out_stride;
  const GemmFinish* finish;  // Null: none, or other blocks of k follow.
  int64_t row, column;       // Of `out` in the product's.
};

// The lanes of the strips that are packed together. Chosen so that each cache
// line is fully consumed when lanes are adjacent.
constexpr int64_t kGroupLanes = 96;

int64_t LanesOfGroup(int64_t width) {
  return std::max(width, kGroupLanes / width * width);
}

template <typename T>
int64_t Groups(const GemmStrips<T>& strips) {
  return Parts(strips.lanes, LanesOfGroup(strips.width));
}

template <typename T>
void PackGroup(const GemmStrips<T>& strips, int64_t group) {
  GemmStrips<T> some = strips;
  const int64_t lanes = LanesOfGroup(strips.width);
  const int64_t lane = group * lanes;
  some.data += lane * strips.lane_stride;
  some.lanes = std::min(lanes, strips.lanes - lane);
  some.to += lane * strips.depth;
  Pack(some);
}

// Groups of a's strips, then of b's.
template <typename T>
void PackBlock(const PackedBlock<T>& block) {
  const int64_t a_groups = block.pack_a ? Groups(block.a) : 0;
  const int64_t groups =
      a_groups + (block.packed_b == nullptr ? Groups(block.b) : 0);
  // A packed element costs as much as some thirty multiply-adds.
  const auto work = static_cast<double>(30 * kGroupLanes * block.b.depth);
  ParallelFor(0, groups, Grain(work), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      if (g < a_groups) {
        PackGroup(block.a, g);
      } else {
        PackGroup(block.b, g - a_groups);
      }
    }
  });
}

template <typename T>
void MultiplyBlock(const PackedBlock<T>& block) {
  const int64_t m = block.a.lanes, n = block.b.lanes;
  const T* const b = block.packed_b == nullptr ? block.b.to : block.packed_b;
  const int64_t row_parts = Parts(m, kTaskRows);
  const int64_t rows = RoundUp(Parts(m, row_parts), block.a.width);
  const double work = GemmExtents{m, n, block.a.depth}.work();
  const auto wanted = static_cast<int64_t>(
      std::min(32.0, std::max(1.0, work / (2 * kThreadWork))));
  const int64_t columns = RoundUp(
      Parts(n, std::max(Parts(n, kTaskColumns), Parts(wanted, row_parts))),
      block.b.width);
  const int64_t column_parts = Parts(n, columns);
  const int64_t tasks = Parts(m, rows) * column_parts;
  ParallelFor(
      0, tasks, Grain(work / static_cast<double>(tasks)),
      [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
          const int64_t row = t / column_parts * rows;
          const int64_t column = t % column_parts * columns;
          Multiply(GemmTask<T>{
              block.pack_a ? block.a.to + row * block.a.depth
                           : block.a.data + row * block.a.lane_stride,
              block.pack_a ? 0 : block.a.lane_stride,
              b + column / block.b.width * block.b_step, block.b_step,
              std::min(rows, m - row), std::min(columns, n - column),
              block.a.depth, block.first,
              block.out + row * block.out_stride + column, block.out_stride});
          if (block.finish == nullptr) continue;
          (*block.finish)(block.row + row, block.column + column,
                          std::min(rows, m - row),
                          std::min(columns, n - column));
        }
      });
}

// Elements that RunPacked packs at once.
template <typename T>
int64_t PackedElements(const GemmExtents& extents, bool packed_b) {
  const GemmTileShape tile = TileShape(T{});
  const int64_t columns =
      packed_b ? 0 : RoundUp(std::min(extents.n, kOuterColumns), tile.columns);
  return GemmBlockDepth(extents.k, 0) *
         (RoundUp(std::min(extents.m, kOuterRows), tile.rows) + columns);
}

template <typename T>
void RunPacked(const GemmExtents& extents, const GemmProduct<T>& product,
               const GemmFinish* finish, T* workspace) {
  const GemmTileShape tile = TileShape(T{});
  const GemmOperand<T>& a = product.a;
  const GemmOperand<T>& b = product.b;
  for (int64_t j = 0; j < extents.n; j += kOuterColumns) {
    const int64_t columns = std::min(kOuterColumns, extents.n - j);
    for (int64_t i = 0; i < extents.m; i += kOuterRows) {
      const int64_t rows = std::min(kOuterRows, extents.m - i);
      for (int64_t p = 0; p < extents.k;) {
        const int64_t depth = GemmBlockDepth(extents.k, p);
        const PackedBlock<T> block = {
            {a.data + i * a.row_stride + p * a.column_stride, a.row_stride,
             a.column_stride, rows, depth, tile.rows, workspace},
            {b.data + p * b.row_stride + j * b.column_stride, b.column_stride,
             b.row_stride, columns, depth, tile.columns,
             workspace + depth * RoundUp(rows, tile.rows)},
            a.column_stride != 1 || columns >= tile.pack_from_columns,
            product.packed_b ? b.data + j * extents.k + p * tile.columns
                             : nullptr,
            (product.packed_b ? extents.k : depth) * tile.columns,
            p == 0,
            product.out + i * extents.n + j,
            extents.n,
            p + depth == extents.k ? finish : nullptr,
            i,
            j};
        PackBlock(block);
        MultiplyBlock(block);
        p += depth;
      }
    }
  }
}

template <typename T>
absl::Status RunGemm(Allocator& allocator, const GemmExtents& extents,
                     absl::Span<const GemmProduct<T>> products,
                     const GemmFinish* finish = nullptr) {
  if (extents.m == 0 || extents.n == 0 || products.empty()) {
    return absl::OkStatus();
  }
  if (extents.k == 0) {
    for (const GemmProduct<T>& p : products) {
      std::fill_n(p.out, extents.m * extents.n, T{0});
    }
    if (finish != nullptr) (*finish)(0, 0, extents.m, extents.n);
    return absl::OkStatus();
  }
  if (extents.m <= kLocalElements / GemmBlockDepth(extents.k, 0)) {
    RunLocal(extents, products, finish);
    return absl::OkStatus();
  }
  const auto count = static_cast<int64_t>(products.size());
  // Stacks of small products run side by side, each chunk in its own part of
  // the workspace; large ones one after the other, each shared by the team.
  constexpr int64_t kChunks = 32;
  const bool whole = count > 1 && extents.work() < kWholeWork;
  const int64_t grain =
      whole ? std::max(Parts(count, kChunks), Grain(extents.work())) : count;
  const int64_t elements = PackedElements<T>(extents, products[0].packed_b);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      allocator.Allocate(Parts(count, grain) * elements * sizeof(T)));
  T* workspace = static_cast<T*>(buffer->data());
  ParallelFor(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      RunPacked(extents, products[i], finish,
                workspace + begin / grain * elements);
    }
  });
  return absl::OkStatus();
}

}  // namespace

int64_t GemmStripColumns(float) { return TileShape(0.0f).columns; }
int64_t GemmStripColumns(double) { return TileShape(0.0).columns; }

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<float>> products) {
  return RunGemm(allocator, {m, n, k}, products);
}

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  absl::Span<const GemmProduct<double>> products) {
  return RunGemm(allocator, {m, n, k}, products);
}

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  const GemmProduct<float>& product, GemmFinish finish) {
  return RunGemm(allocator, {m, n, k}, absl::MakeConstSpan(&product, 1),
                 &finish);
}

absl::Status Gemm(Allocator& allocator, int64_t m, int64_t n, int64_t k,
                  const GemmProduct<double>& product, GemmFinish finish) {
  return RunGemm(allocator, {m, n, k}, absl::MakeConstSpan(&product, 1),
                 &finish);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
