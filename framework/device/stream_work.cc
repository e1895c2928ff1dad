// SPDX-License-Identifier: Apache-2.0
#include "framework/device/stream_work.h"

#include <utility>

#include "framework/device/buffer_use.h"

namespace switchyard {

StreamWork::~StreamWork() {
  if (begun_) stream_.RequireNothing();
}

StreamWork::Touched* StreamWork::Find(const Buffer* buffer) {
  if (buffer == nullptr || buffer->use() == nullptr) return nullptr;
  for (Touched& touched : touched_) {
    if (touched.use == buffer->use()) return &touched;
  }
  touched_.push_back({buffer->use(), false, false});
  return &touched_.back();
}

void StreamWork::Reads(const Buffer* buffer) {
  if (Touched* const touched = Find(buffer)) touched->reads = true;
}

void StreamWork::Writes(const Buffer* buffer) {
  if (Touched* const touched = Find(buffer)) touched->writes = true;
}

absl::Status StreamWork::WaitFor(const Event& event) {
  // Work of one stream is in order.
  if (event.stream() == stream_.number()) return absl::OkStatus();
  return stream_.Wait(event);
}

absl::Status StreamWork::Need(const Event& event) {
  // Work of a chain is given all the same, and does not run.
  if (!stream_.last_of_chain() && event.reached()) {
    SY_RETURN_IF_ERROR(Report(event.Join()));
  }
  SY_RETURN_IF_ERROR(WaitFor(event));
  stream_.Require(event);
  return absl::OkStatus();
}

absl::Status StreamWork::Begin() {
  begun_ = true;
  if (stream_.last_of_chain()) {
    SY_RETURN_IF_ERROR(Need(*stream_.last_of_chain()));
  }
  for (const Touched& touched : touched_) {
    if (const RefPtr<Event> writer = touched.use->writer()) {
      SY_RETURN_IF_ERROR(touched.reads ? Need(*writer) : WaitFor(*writer));
    }
    if (!touched.writes) continue;
    for (const RefPtr<Event>& reader : touched.use->readers()) {
      SY_RETURN_IF_ERROR(WaitFor(*reader));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RefPtr<Event>> StreamWork::End() {
  SY_ASSIGN_OR_RETURN(RefPtr<Event> event, stream_.Record());
  begun_ = false;
  for (const Touched& touched : touched_) {
    if (touched.writes) {
      touched.use->SetWriter(event);
    } else {
      touched.use->AddReader(event);
    }
  }
  stream_.Note(event);
  return event;
}

}  // namespace switchyard
