// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "framework/types/float16.h"

namespace switchyard::collective {
namespace {

// Elements of a block: its operands and scratch memory stay in the caches.
constexpr size_t kBlock = 2048;

template <typename T>
inline constexpr bool kIsHalf =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

template <typename T>
T Added(T left, T right) {
  if constexpr (std::is_integral_v<T>) {  // Wraps around.
    return static_cast<T>(static_cast<uint64_t>(left) +
                          static_cast<uint64_t>(right));
  } else if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(left) + static_cast<float>(right));
  } else {
    return left + right;
  }
}

// The less of the two, or the greater; -0 is less than +0, and NaN wins.
template <bool kLess, typename T>
T Extreme(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    return kLess ? std::min(left, right) : std::max(left, right);
  } else {
    const auto a = static_cast<std::conditional_t<kIsHalf<T>, float, T>>(left);
    const auto b = static_cast<decltype(a)>(right);
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? left : right;
    if (a == b) return std::signbit(a) == kLess ? left : right;
    return (a < b) == kLess ? left : right;
  }
}

template <typename T>
void CombineAs(Reduction reduction, const T* left, const T* right, T* out,
               size_t count) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean:
      for (size_t i = 0; i < count; ++i) out[i] = Added(left[i], right[i]);
      return;
    case Reduction::kMin:
      for (size_t i = 0; i < count; ++i)
        out[i] = Extreme<true>(left[i], right[i]);
      return;
    case Reduction::kMax:
      for (size_t i = 0; i < count; ++i)
        out[i] = Extreme<false>(left[i], right[i]);
      return;
  }
}

// Divides by `divisor`, unless it is 1, and makes every NaN the same.
template <typename T>
void FinishAs(const T* in, T* out, size_t count, int divisor) {
  if constexpr (std::is_integral_v<T>) {
    if (in != out) std::copy(in, in + count, out);
  } else {
    using Wide = std::conditional_t<kIsHalf<T>, float, T>;
    const Wide by = static_cast<Wide>(divisor);
    const Wide nan = std::numeric_limits<Wide>::quiet_NaN();
    for (size_t i = 0; i < count; ++i) {
      const Wide value = static_cast<Wide>(in[i]) / by;
      out[i] = static_cast<T>(value == value ? value : nan);
    }
  }
}

// Calls call(T()) for the C++ type of a dtype that CheckReduction() accepts.
template <typename Call>
void WithType(DataType dtype, Call call) {
  switch (dtype) {
    case DataType::kUInt8:
      return call(uint8_t());
    case DataType::kInt8:
      return call(int8_t());
    case DataType::kInt16:
      return call(int16_t());
    case DataType::kInt32:
      return call(int32_t());
    case DataType::kInt64:
      return call(int64_t());
    case DataType::kUInt16:
      return call(uint16_t());
    case DataType::kUInt32:
      return call(uint32_t());
    case DataType::kUInt64:
      return call(uint64_t());
    case DataType::kFloat16:
      return call(float16(0.0f));
    case DataType::kBFloat16:
      return call(bfloat16(0.0f));
    case DataType::kFloat32:
      return call(float());
    case DataType::kFloat64:
      return call(double());
    default:
      return;
  }
}

// The tree over one block after the other.
template <typename T>
class Tree {
 public:
  Tree(Reduction reduction, int shards, const std::vector<ShardValues>& pieces)
      : reduction_(reduction), shards_(shards), pieces_(pieces) {
    int depth = 0;
    while (depth < 31 && (int64_t{1} << depth) < shards) ++depth;
    scratch_.resize(2 * static_cast<size_t>(depth + 1) * kBlock);
  }

  void Reduce(T* out, size_t count) {
    const int divisor = reduction_ == Reduction::kMean ? shards_ : 1;
    for (begin_ = 0; begin_ < count; begin_ += kBlock) {
      length_ = std::min(kBlock, count - begin_);
      next_ = 0;
      const T* const values = ValuesOf({0, shards_}, scratch_.data(), 1);
      FinishAs(values, out + begin_, length_, divisor);
    }
  }

 private:
  // Returns the block of a node: that of a piece, or `own` with the reduction
  // of its children. Nodes are visited in the order of the pieces.
  const T* ValuesOf(ShardRange node, T* own, size_t depth) {
    if (pieces_[next_].range == node) {
      return static_cast<const T*>(pieces_[next_++].values) + begin_;
    }
    const int cut = CutOf(node);
    T* const below = scratch_.data() + 2 * depth * kBlock;
    const T* const left = ValuesOf({node.begin, cut}, below, depth + 1);
    const T* const right = ValuesOf({cut, node.end}, below + kBlock, depth + 1);
    CombineAs(reduction_, left, right, own, length_);
    return own;
  }

  const Reduction reduction_;
  const int shards_;
  const std::vector<ShardValues>& pieces_;
  std::vector<T> scratch_;  // Two blocks for each depth.
  size_t begin_ = 0;
  size_t length_ = 0;
  size_t next_ = 0;  // The piece that is visited next.
};

}  // namespace

const char* Name(Reduction reduction) {
  constexpr const char* kNames[] = {"sum", "mean", "min", "max"};
  return kNames[static_cast<int>(reduction)];
}

absl::Status CheckReduction(Reduction reduction, DataType dtype) {
  if (IsFloating(dtype)) return absl::OkStatus();
  if (IsInteger(dtype) && reduction != Reduction::kMean) {
    return absl::OkStatus();
  }
  return TypeError("dtype",
                   reduction == Reduction::kMean
                       ? "floating for a mean"
                       : "floating or an integer for a reduction",
                   Name(dtype));
}

void Combine(Reduction reduction, DataType dtype, const void* left,
             const void* right, void* out, size_t count) {
  WithType(dtype, [&](auto zero) {
    using T = decltype(zero);
    CombineAs(reduction, static_cast<const T*>(left),
              static_cast<const T*>(right), static_cast<T*>(out), count);
  });
}

void ReduceTree(Reduction reduction, DataType dtype, int shards,
                const std::vector<ShardValues>& pieces, void* out,
                size_t count) {
  WithType(dtype, [&](auto zero) {
    using T = decltype(zero);
    Tree<T>(reduction, shards, pieces).Reduce(static_cast<T*>(out), count);
  });
}

}  // namespace switchyard::collective
