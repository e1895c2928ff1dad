// SPDX-License-Identifier: Apache-2.0
// row_hash on the CPU: xxHash64 (Y. Collet, the xxHash fast digest algorithm,
// version 0.1.1) of each row's bytes.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_ROW_HASH_H_
#define SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_ROW_HASH_H_

#include <array>
#include <cstdint>
#include <cstring>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr uint64_t kHashPrime1 = 0x9e3779b185ebca87u;
inline constexpr uint64_t kHashPrime2 = 0xc2b2ae3d27d4eb4fu;
inline constexpr uint64_t kHashPrime3 = 0x165667b19e3779f9u;
inline constexpr uint64_t kHashPrime4 = 0x85ebca77c2b2ae63u;
inline constexpr uint64_t kHashPrime5 = 0x27d4eb2f165667c5u;

constexpr uint64_t RotateBits(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

template <typename Word>
inline uint64_t ReadWord(const unsigned char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

constexpr uint64_t HashRound(uint64_t lane, uint64_t word) {
  return RotateBits(lane + word * kHashPrime2, 31) * kHashPrime1;
}

// Returns the hash of the blocks of 32 bytes, each in four lanes, and moves
// `at` to their end.
inline uint64_t HashBlocks(const unsigned char* end, uint64_t seed,
                           const unsigned char** at) {
  std::array<uint64_t, 4> lanes = {seed + kHashPrime1 + kHashPrime2,
                                   seed + kHashPrime2, seed,
                                   seed - kHashPrime1};
  for (; end - *at >= 32; *at += 32) {
    for (size_t i = 0; i < 4; ++i) {
      lanes[i] = HashRound(lanes[i], ReadWord<uint64_t>(*at + 8 * i));
    }
  }
  uint64_t hash = RotateBits(lanes[0], 1) + RotateBits(lanes[1], 7) +
                  RotateBits(lanes[2], 12) + RotateBits(lanes[3], 18);
  for (const uint64_t lane : lanes) {
    hash = (hash ^ HashRound(0, lane)) * kHashPrime1 + kHashPrime4;
  }
  return hash;
}

inline uint64_t XxHash64(const void* bytes, size_t size, uint64_t seed) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const unsigned char* const end = at + size;
  uint64_t hash = size < 32 ? seed + kHashPrime5 : HashBlocks(end, seed, &at);
  hash += size;
  for (; end - at >= 8; at += 8) {
    hash = RotateBits(hash ^ HashRound(0, ReadWord<uint64_t>(at)), 27) *
               kHashPrime1 +
           kHashPrime4;
  }
  // Rows of integers leave 4 bytes or none.
  if (end - at >= 4) {
    hash ^= ReadWord<uint32_t>(at) * kHashPrime1;
    hash = RotateBits(hash, 23) * kHashPrime2 + kHashPrime3;
  }
  hash = (hash ^ (hash >> 33)) * kHashPrime2;
  hash = (hash ^ (hash >> 29)) * kHashPrime3;
  return hash ^ (hash >> 32);
}

template <typename S>
inline constexpr auto kRowHashSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status RowHashKernel(const CpuContext& context, const DenseTensor& x,
                           int num_hash, int64_t mod_by, DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateAnew(context, DataType::kInt64,
                                  Shape({x.extent(0), num_hash, 1}), out));
  const int64_t width = x.extent(1);
  int64_t* to = out->mutable_data<int64_t>();
  for (int64_t row = 0; row < x.extent(0); ++row) {
    for (int seed = 0; seed < num_hash; ++seed) {
      const uint64_t hash = XxHash64(x.data<T>() + row * width,
                                     static_cast<size_t>(width) * sizeof(T),
                                     static_cast<uint64_t>(seed));
      *to++ = static_cast<int64_t>(hash % static_cast<uint64_t>(mod_by));
    }
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_MANY_CLASSES_ROW_HASH_H_
