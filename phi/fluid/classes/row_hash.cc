// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of row_hash on the CPU: xxHash64 (Y. Collet, the
// xxHash fast digest algorithm, version 0.1.1) of each row's bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/row_hash.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/row_hash.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

constexpr uint64_t kPrime1 = 0x9e3779b185ebca87u;
constexpr uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fu;
constexpr uint64_t kPrime3 = 0x165667b19e3779f9u;
constexpr uint64_t kPrime4 = 0x85ebca77c2b2ae63u;
constexpr uint64_t kPrime5 = 0x27d4eb2f165667c5u;

constexpr uint64_t Rotate(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

template <typename Word>
uint64_t Read(const unsigned char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

constexpr uint64_t Round(uint64_t lane, uint64_t word) {
  return Rotate(lane + word * kPrime2, 31) * kPrime1;
}

// Returns the hash of the blocks of 32 bytes, each in four lanes, and moves
// `at` to their end.
uint64_t HashBlocks(const unsigned char* end, uint64_t seed,
                    const unsigned char** at) {
  std::array<uint64_t, 4> lanes = {seed + kPrime1 + kPrime2, seed + kPrime2,
                                   seed, seed - kPrime1};
  for (; end - *at >= 32; *at += 32) {
    for (size_t i = 0; i < 4; ++i) {
      lanes[i] = Round(lanes[i], Read<uint64_t>(*at + 8 * i));
    }
  }
  uint64_t hash = Rotate(lanes[0], 1) + Rotate(lanes[1], 7) +
                  Rotate(lanes[2], 12) + Rotate(lanes[3], 18);
  for (const uint64_t lane : lanes) {
    hash = (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
  }
  return hash;
}

uint64_t XxHash64(const void* bytes, size_t size, uint64_t seed) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const unsigned char* const end = at + size;
  uint64_t hash = size < 32 ? seed + kPrime5 : HashBlocks(end, seed, &at);
  hash += size;
  for (; end - at >= 8; at += 8) {
    hash = Rotate(hash ^ Round(0, Read<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  // Rows of integers leave 4 bytes or none.
  if (end - at >= 4) {
    hash ^= Read<uint32_t>(at) * kPrime1;
    hash = Rotate(hash, 23) * kPrime2 + kPrime3;
  }
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

template <typename T>
class RowHashCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const int num_hash, context.Attr<int>("num_hash"));
    SY_ASSIGN_OR_RETURN(const int64_t mod_by, context.Attr<int64_t>("mod_by"));
    SY_RETURN_IF_ERROR(context.Allocate("Out", DataType::kInt64,
                                        Shape({x.extent(0), num_hash, 1})));
    const int64_t width = x.extent(1);
    int64_t* to = context.Output("Out")->template mutable_data<int64_t>();
    for (int64_t row = 0; row < x.extent(0); ++row) {
      for (int seed = 0; seed < num_hash; ++seed) {
        const uint64_t hash = XxHash64(x.data<T>() + row * width,
                                       static_cast<size_t>(width) * sizeof(T),
                                       static_cast<uint64_t>(seed));
        *to++ = static_cast<int64_t>(hash % static_cast<uint64_t>(mod_by));
      }
    }
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kRowHashSpec = KernelSpec<RowHashSignature>().Output(
    RowHashSignature::kOut, SelfAllocated(Fixed(DataType::kInt64)));
SY_REGISTER_FLUID_KERNEL(row_hash, cpu, fluid::RowHashCpuKernel, legacy_hash,
                         kRowHashSpec, int32, int64);

}  // namespace switchyard::phi
