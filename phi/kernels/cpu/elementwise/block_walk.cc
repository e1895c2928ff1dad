// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/elementwise/block_walk.h"

#include <algorithm>
#include <cstring>

namespace switchyard::phi::kernels::cpu {
namespace {

// Elements that are gathered at a time where an input is not contiguous.
constexpr int64_t kGatherBlock = 512;
// Bytes of the widest vector.
constexpr int64_t kMaxVectorBytes = 64;
// A row that is at least this long is walked in place.
constexpr int64_t kLongRow = 64;
// Rows that could be walked in place are repeated where they are shorter than
// kWideRow, and kManyElements or more are computed with one.
constexpr int64_t kWideRow = 129;
constexpr int64_t kManyElements = 8 * kGatherBlock;

// [begin, end) of a call whose elements are as wide as Bits.
template <int kInputs, typename Bits>
class Walk {
 public:
  Walk(const ElementwiseCall& call, const BlockLoop& loop, int64_t begin,
       int64_t end)
      : call_(call), loop_(loop), last_(call.rank - 1), at_(begin), end_(end) {}

  void Run() {
    bool in_place = call_.extents[last_] >= kLongRow;
    for (int k = 0; k < kInputs; ++k) {
      in_place = in_place &&
                 (call_.strides[k][last_] == 0 || call_.strides[k][last_] == 1);
    }
    const bool repeats = RepeatsRows();
    if (in_place && !(repeats && RepeatingPays())) {
      RunInPlace();
    } else if (repeats) {
      RunRepeated();
    } else {
      RunGathered();
    }
  }

 private:
  const Bits* Input(int k, int64_t offset) const {
    return static_cast<const Bits*>(call_.inputs[k]) + offset;
  }

  void RunBlock(int64_t rows, int64_t count) {
    block_.rows = rows;
    block_.count = count;
    block_.output = static_cast<char*>(call_.output) + at_ * loop_.output_size;
    loop_.run(loop_.functor, block_);
    at_ += rows * count;
  }

  // As many rows at a time as the last axis but one has.
  void RunInPlace() {
    const int64_t width = call_.extents[last_];
    const int64_t height = last_ == 0 ? 1 : call_.extents[last_ - 1];
    for (int k = 0; k < kInputs; ++k) {
      block_.steps[k] = call_.strides[k][last_];
      block_.row_steps[k] = last_ == 0 ? 0 : call_.strides[k][last_ - 1];
    }
    ElementwiseCursor<kInputs> cursor(call_, at_);
    while (at_ < end_) {
      const int64_t count = std::min(cursor.left(), end_ - at_);
      const int64_t rows =
          count < width
              ? 1
              : std::min(height - at_ / width % height, (end_ - at_) / width);
      for (int k = 0; k < kInputs; ++k) {
        block_.inputs[k] = Input(k, cursor.offset(k));
      }
      for (int64_t row = 0; row < rows; ++row) cursor.Advance(count);
      RunBlock(rows, count);
    }
  }

  bool RepeatingPays() const {
    return call_.extents[last_] < kWideRow &&
           call_.extents[last_] * call_.extents[last_ - 1] >= kManyElements;
  }

  // True if rows of the two inner axes are long, and each input walks evenly
  // through one, repeats its last axis, or stays at one element: a blocked
  // layout makes that of a value for each channel, and channels that come last
  // do.
  bool RepeatsRows() const {
    if (last_ < 1 || call_.extents[last_] > kGatherBlock ||
        call_.extents[last_] * call_.extents[last_ - 1] < kLongRow) {
      return false;
    }
    for (int k = 0; k < kInputs; ++k) {
      const int64_t inner = call_.strides[k][last_];
      const int64_t outer = call_.strides[k][last_ - 1];
      const bool even = inner == 1 && outer == call_.extents[last_];
      if (!even && (inner > 1 || inner < 0 || outer != 0)) return false;
    }
    return true;
  }

  void RunRepeated() {
    const int64_t period = call_.extents[last_];
    // Whole vectors, if as many periods fit.
    constexpr int64_t kLanes = kMaxVectorBytes / sizeof(Bits);
    const int64_t unit =
        period * kLanes <= kGatherBlock ? period * kLanes : period;
    const int64_t most = kGatherBlock / unit * unit;
    ElementwiseCall rows = call_;
    rows.rank = last_;
    rows.extents[last_ - 1] *= period;
    bool even[kInputs];
    for (int k = 0; k < kInputs; ++k) {
      even[k] = call_.strides[k][last_ - 1] != 0;
      rows.strides[k][last_ - 1] = even[k] ? 1 : 0;
      block_.row_steps[k] = 0;
      block_.steps[k] = 1;
    }
    alignas(kMaxVectorBytes) Bits repeated[kInputs][kGatherBlock];
    const Bits* filled[kInputs] = {};
    int64_t filled_phase = -1;
    ElementwiseCursor<kInputs> cursor(rows, at_);
    int64_t phase = (rows.extents[last_ - 1] - cursor.left()) % period;
    while (at_ < end_) {
      const int64_t count = std::min({cursor.left(), end_ - at_, most});
      for (int k = 0; k < kInputs; ++k) {
        const Bits* in = Input(k, cursor.offset(k));
        block_.inputs[k] = even[k] ? in : repeated[k];
        if (even[k] || (filled[k] == in && filled_phase == phase)) continue;
        filled[k] = in;
        Repeat(in, call_.strides[k][last_], phase, period, most, repeated[k]);
      }
      filled_phase = phase;
      if (count < most) phase = 0;  // The end of a row, or of all.
      cursor.Advance(count);
      RunBlock(1, count);
    }
  }

  // `period` elements from number `phase` on, round and round.
  static void Repeat(const Bits* in, int64_t stride, int64_t phase,
                     int64_t period, int64_t count, Bits* out) {
    Gather(in + phase * stride, stride, period - phase, out);
    Gather(in, stride, phase, out + period - phase);
    for (int64_t done = period; done < count; done *= 2) {
      std::memcpy(out + done, out, std::min(done, count - done) * sizeof(Bits));
    }
  }

  void RunGathered() {
    alignas(kMaxVectorBytes) Bits gathered[kInputs][kGatherBlock];
    for (int k = 0; k < kInputs; ++k) {
      block_.inputs[k] = gathered[k];
      block_.row_steps[k] = 0;
      block_.steps[k] = 1;
    }
    ElementwiseCursor<kInputs> cursor(call_, at_);
    while (at_ < end_) {
      const int64_t count = std::min(kGatherBlock, end_ - at_);
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(cursor.left(), count - i);
        for (int k = 0; k < kInputs; ++k) {
          Gather(Input(k, cursor.offset(k)), call_.strides[k][last_], run,
                 gathered[k] + i);
        }
        cursor.Advance(run);
        i += run;
      }
      RunBlock(1, count);
    }
  }

  static void Gather(const Bits* in, int64_t stride, int64_t count, Bits* out) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4, in += 4 * stride) {
      out[i] = in[0];
      out[i + 1] = in[stride];
      out[i + 2] = in[2 * stride];
      out[i + 3] = in[3 * stride];
    }
    for (; i < count; ++i, in += stride) out[i] = *in;
  }

  const ElementwiseCall& call_;
  const BlockLoop& loop_;
  const int last_;
  int64_t at_;  // The next element of the output.
  const int64_t end_;
  ElementwiseBlock block_;
};

template <int kInputs>
void WalkInputs(const ElementwiseCall& call, const BlockLoop& loop,
                int64_t begin, int64_t end) {
  switch (loop.input_size) {
    case 1:
      return Walk<kInputs, uint8_t>(call, loop, begin, end).Run();
    case 4:
      return Walk<kInputs, uint32_t>(call, loop, begin, end).Run();
    default:
      return Walk<kInputs, uint64_t>(call, loop, begin, end).Run();
  }
}

}  // namespace

void WalkBlocks(const ElementwiseCall& call, const BlockLoop& loop,
                int64_t begin, int64_t end) {
  switch (loop.inputs) {
    case 1:
      return WalkInputs<1>(call, loop, begin, end);
    case 2:
      return WalkInputs<2>(call, loop, begin, end);
    default:
      return WalkInputs<3>(call, loop, begin, end);
  }
}

}  // namespace switchyard::phi::kernels::cpu
