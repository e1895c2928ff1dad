// SPDX-License-Identifier: Apache-2.0
#include "framework/random/generator.h"

namespace switchyard {

RngState Generator::Reserve(int64_t calls) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const RngState before = state_;
  state_.offset = static_cast<int64_t>(static_cast<uint64_t>(before.offset) +
                                       static_cast<uint64_t>(calls));
  return before;
}

RngState Generator::state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

void Generator::set_state(RngState state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_ = state;
}

Generator& DefaultGenerator() {
  // Never destroyed: threads may draw until the process ends.
  static Generator* const generator = new Generator;
  return *generator;
}

}  // namespace switchyard
