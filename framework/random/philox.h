// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10: random numbers as a pure function of a counter and a key (J.
// Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011). The state that is counted on is
// framework/random/generator.h.
//
// The convention of randomness, for every backend and both executors: a random
// operator has an input `rng`, an int64[2] tensor (seed, offset) on the host,
// and an attribute `int64_t stream`. The key is the seed; the counter's high 64
// bits are offset + stream; its low 64 bits number the blocks. So one call uses
// up one offset, whatever its size, and elements can be drawn in any order:
//   32-bit draws (float and smaller): element i is lane i % 4 of block i / 4;
//   64-bit draws (double, int64): element i is lanes 2 * (i % 2) (low word) and
//   2 * (i % 2) + 1 (high word) of block i / 2.
#ifndef SWITCHYARD_FRAMEWORK_RANDOM_PHILOX_H_
#define SWITCHYARD_FRAMEWORK_RANDOM_PHILOX_H_

#include <array>
#include <cmath>
#include <cstdint>

namespace switchyard {

using PhiloxBlock = std::array<uint32_t, 4>;

// Applies ten rounds to a counter (low word first) under a key (low word
// first).
constexpr PhiloxBlock Philox4x32(PhiloxBlock counter,
                                 std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53u} * counter[0];
    const uint64_t b = uint64_t{0xcd9e8d57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(a)};
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  return counter;
}

// Returns a number in [0, 1), in steps of 2^-24.
constexpr float UniformFloat(uint32_t draw) {
  return static_cast<float>(draw >> 8) * 0x1p-24f;
}

// Returns a number in [0, 1), in steps of 2^-53.
constexpr double UniformDouble(uint64_t draw) {
  return static_cast<double>(draw >> 11) * 0x1p-53;
}

// Returns two independent standard normal numbers for u in (0, 1] and v in [0,
// 1) (G. Box, M. Muller, "A note on the generation of random normal deviates",
// 1958).
inline std::array<double, 2> BoxMuller(double u, double v) {
  constexpr double kTwoPi = 6.283185307179586476925286766559;
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {radius * std::cos(kTwoPi * v), radius * std::sin(kTwoPi * v)};
}

// Draws the numbers of one call of a random operator. A plain value: any thread
// may draw any element.
class PhiloxStream {
 public:
  // Takes the three numbers of the convention above; sums wrap around.
  constexpr PhiloxStream(int64_t seed, int64_t offset, int64_t stream)
      : key_{Low(static_cast<uint64_t>(seed)),
             High(static_cast<uint64_t>(seed))},
        high_(static_cast<uint64_t>(offset) + static_cast<uint64_t>(stream)) {}

  constexpr PhiloxBlock Block(int64_t block) const {
    const auto low = static_cast<uint64_t>(block);
    return Philox4x32({Low(low), High(low), Low(high_), High(high_)}, key_);
  }

  // Element i of 32-bit and of 64-bit draws. A loop over elements takes whole
  // blocks instead: four and two elements at the price of one.
  constexpr uint32_t Draw32(int64_t i) const {
    return Block(i / 4)[static_cast<size_t>(i % 4)];
  }
  constexpr uint64_t Draw64(int64_t i) const {
    return Word64(Block(i / 2), static_cast<int>(i % 2));
  }

  // 64-bit draw 0 or 1 of a block.
  static constexpr uint64_t Word64(const PhiloxBlock& block, int half) {
    const size_t lane = half == 0 ? 0 : 2;
    return block[lane] | static_cast<uint64_t>(block[lane + 1]) << 32;
  }

  // Returns standard normal numbers for the four 32-bit elements of a block:
  // lanes 0 and 1 make elements 0 and 1, lanes 2 and 3 make 2 and 3. Computed
  // in double from 32-bit uniforms, so within +-6.66.
  static std::array<double, 4> Normals32(const PhiloxBlock& block) {
    const auto first =
        BoxMuller((block[0] + 1.0) * 0x1p-32, block[1] * 0x1p-32);
    const auto second =
        BoxMuller((block[2] + 1.0) * 0x1p-32, block[3] * 0x1p-32);
    return {first[0], first[1], second[0], second[1]};
  }

  // Returns standard normal numbers for the two 64-bit elements of a block,
  // from 53-bit uniforms.
  static std::array<double, 2> Normals64(const PhiloxBlock& block) {
    return BoxMuller(UniformDouble(Word64(block, 0)) + 0x1p-53,
                     UniformDouble(Word64(block, 1)));
  }

 private:
  static constexpr uint32_t Low(uint64_t word) {
    return static_cast<uint32_t>(word);
  }
  static constexpr uint32_t High(uint64_t word) {
    return static_cast<uint32_t>(word >> 32);
  }

  std::array<uint32_t, 2> key_;
  uint64_t high_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_RANDOM_PHILOX_H_
