// SPDX-License-Identifier: Apache-2.0
// Rules of discrete Fourier transforms: by what they are divided, and how many
// frequencies real numbers have that are not the conjugates of others.
#ifndef SWITCHYARD_PHI_SHAPES_FOURIER_H_
#define SWITCHYARD_PHI_SHAPES_FOURIER_H_

#include <cmath>
#include <cstdint>
#include <string_view>

namespace switchyard::phi {

// The longest axis that is transformed: kernels count positions, and those of a
// convolution of twice the length, in 32 bits.
inline constexpr int64_t kMaxFourierLength = int64_t{1} << 27;

// Returns the number of frequencies of n real numbers.
constexpr int64_t OnesidedFrequencies(int64_t n) { return n / 2 + 1; }

inline bool IsFourierNormalization(std::string_view normalization) {
  return normalization == "backward" || normalization == "ortho" ||
         normalization == "forward";
}

// Returns the factor of a transform of `n` elements in all.
inline double FourierFactor(std::string_view normalization, bool forward,
                            double n) {
  if (normalization == "ortho") return 1 / std::sqrt(n);
  return (normalization == "forward") == forward ? 1 / n : 1.0;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_FOURIER_H_
