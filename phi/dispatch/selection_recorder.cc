// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/selection_recorder.h"

#include "phi/dispatch/environment.h"

namespace switchyard::phi::dispatch {

SelectionRecorder::SelectionRecorder()
    : outer_(Environment::Current().recorder) {
  Environment::Current().recorder = this;
}

SelectionRecorder::~SelectionRecorder() {
  Environment::Current().recorder = outer_;
}

void SelectionRecorder::Record(std::string line) {
  if (outer_ != nullptr) outer_->Record(line);
  lines_.push_back(std::move(line));
}

}  // namespace switchyard::phi::dispatch
