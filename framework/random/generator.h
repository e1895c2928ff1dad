// SPDX-License-Identifier: Apache-2.0
// Generator: the mutable state of randomness. It makes no numbers:
// framework/random/philox.h does, from what Reserve() gave out.
#ifndef SWITCHYARD_FRAMEWORK_RANDOM_GENERATOR_H_
#define SWITCHYARD_FRAMEWORK_RANDOM_GENERATOR_H_

#include <cstdint>
#include <mutex>

namespace switchyard {

// The contents of an operator's input `rng`, in this order.
struct RngState {
  int64_t seed = 0;
  int64_t offset = 0;

  friend constexpr bool operator==(RngState a, RngState b) {
    return a.seed == b.seed && a.offset == b.offset;
  }
};

// A seed and an offset that counts the calls of random operators. Thread-safe.
// Threads that share one get distinct offsets, in whatever order they come; a
// program that needs the same numbers every time gives each thread its own.
class Generator {
 public:
  explicit Generator(int64_t seed = 0) : state_{seed, 0} {}
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // Returns the state before, which the caller may use with streams 0 to calls
  // - 1, and moves the offset on by `calls`. The offset wraps around.
  RngState Reserve(int64_t calls);

  // For saving, restoring, and sy.seed(), which sets the offset to 0.
  RngState state() const;
  void set_state(RngState state);
  void Seed(int64_t seed) { set_state({seed, 0}); }

 private:
  mutable std::mutex mutex_;
  RngState state_;
};

// Returns the process's generator, whose seed is 0 until somebody sets it.
Generator& DefaultGenerator();

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_RANDOM_GENERATOR_H_
