// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/reduction/reduce_logical.h"

#include "phi/kernels/cpu/reduction/reduce_strided.h"

namespace switchyard::phi::kernels::cpu {
namespace {

__extension__ using Bits128 = unsigned __int128;

// Whether some element under the mask is 0 (kZero) or is not. The result is its
// opposite for "all": none is 0.
template <typename U, U kMask, bool kZero>
struct LogicalReduction {
  using Out = bool;
  using Total = bool;
  using Column = bool;
  static constexpr Total kStart = false;
  static constexpr Column kColumnStart = false;
  static bool Found(U x) { return ((x & kMask) == 0) == kZero; }
  static Total Row(const U* x, int64_t n, Total found) {
    for (int64_t i = 0; i < n && !found; ++i) found = Found(x[i]);
    return found;
  }
  static void Columns(const U* x, int64_t n, Column* found) {
    for (int64_t i = 0; i < n; ++i) found[i] = found[i] | Found(x[i]);
  }
  static Out Finish(Total found) { return found != kZero; }
  static Out FinishColumn(Column found) { return found != kZero; }
};

template <typename U, U kMask>
absl::Status ReduceBits(const CpuContext& context, const ReducePlan& plan,
                        const DenseTensor& x, bool any, DenseTensor* out) {
  bool* const to = out->mutable_data<bool>();
  return any ? ReduceTensor<LogicalReduction<U, kMask, false>, U>(context, plan,
                                                                  x, to)
             : ReduceTensor<LogicalReduction<U, kMask, true>, U>(context, plan,
                                                                 x, to);
}

}  // namespace

absl::Status ReduceLogical(const CpuContext& context, const ReducePlan& plan,
                           const DenseTensor& x, bool any, DenseTensor* out) {
  switch (x.dtype()) {
    case DataType::kFloat16:
    case DataType::kBFloat16:
      return ReduceBits<uint16_t, 0x7fff>(context, plan, x, any, out);
    case DataType::kFloat32:
      return ReduceBits<uint32_t, 0x7fffffff>(context, plan, x, any, out);
    case DataType::kComplex64:  // Both parts at once.
      return ReduceBits<uint64_t, 0x7fffffff7fffffff>(context, plan, x, any,
                                                      out);
    case DataType::kComplex128: {
      constexpr Bits128 kPart = 0x7fffffffffffffff;
      return ReduceBits<Bits128, kPart << 64 | kPart>(context, plan, x, any,
                                                      out);
    }
    case DataType::kFloat64:
      return ReduceBits<uint64_t, 0x7fffffffffffffff>(context, plan, x, any,
                                                      out);
    case DataType::kInt16:
      return ReduceBits<uint16_t, 0xffff>(context, plan, x, any, out);
    case DataType::kInt32:
      return ReduceBits<uint32_t, 0xffffffff>(context, plan, x, any, out);
    case DataType::kInt64:
      return ReduceBits<uint64_t, 0xffffffffffffffff>(context, plan, x, any,
                                                      out);
    default:
      return ReduceBits<uint8_t, 0xff>(context, plan, x, any, out);
  }
}

}  // namespace switchyard::phi::kernels::cpu
