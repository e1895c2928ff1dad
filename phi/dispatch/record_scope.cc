// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/record_scope.h"

#include "phi/dispatch/environment.h"

namespace switchyard::phi::dispatch {

RecordScope::RecordScope() : outer_(Environment::Current().recorder) {
  Environment::Current().recorder = this;
}

RecordScope::~RecordScope() { Environment::Current().recorder = outer_; }

void RecordScope::Record(std::string line) {
  if (outer_ != nullptr) outer_->Record(line);
  lines_.push_back(std::move(line));
}

}  // namespace switchyard::phi::dispatch
