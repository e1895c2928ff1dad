// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/nccl_pair.h"

#include <algorithm>
#include <utility>

namespace switchyard::collective {
absl::Status NcclPair::Begin(NcclMessage* message) {
  SY_RETURN_IF_ERROR(failure_);
  if (!leads_) {
    const absl::Status told =
        control_.Send({NcclNotice::Kind::kAsked, message->tag,
                       !message->receives, 0, message->size, 0});
    if (!told.ok()) {
      Fail(told);
      return told;
    }
  }
  open_.push_back(message);
  return absl::OkStatus();
}

void NcclPair::Move() {
  if (!failure_.ok()) return;
  absl::Status status = Hear();
  if (status.ok() && leads_) status = Match();
  while (status.ok()) {
    const absl::StatusOr<bool> stepped = Step();
    status = stepped.status();
    if (status.ok() && !*stepped) return;
  }
  Fail(status);
}

absl::Status NcclPair::Hear() {
  while (true) {
    NcclNotice notice;
    SY_ASSIGN_OR_RETURN(const bool came, control_.Receive(&notice));
    if (!came) return absl::OkStatus();
    SY_RETURN_IF_ERROR(HearOne(notice));
  }
}

absl::Status NcclPair::HearOne(const NcclNotice& notice) {
  switch (notice.kind) {
    case NcclNotice::Kind::kAsked:
      asked_.push_back(notice);
      return absl::OkStatus();
    case NcclNotice::Kind::kReceived:
      Acknowledge(notice.batch);
      return absl::OkStatus();
    case NcclNotice::Kind::kBatched: {
      NcclMessage* const message = FindOpen(notice);
      if (message == nullptr) {
        return absl::UnavailableError("waits for a message that was given up");
      }
      assembling_.push_back(message);
      if (notice.last != 0) batches_.push_back(std::move(assembling_));
      if (notice.last != 0) assembling_.clear();
      return absl::OkStatus();
    }
  }
  return absl::UnavailableError("sent a notice that can't be");
}

NcclMessage* NcclPair::FindOpen(const NcclNotice& notice) {
  const bool receives = (notice.to_leader != 0) == leads_;
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const NcclMessage* each) {
        return each->tag == notice.tag && each->receives == receives;
      });
  if (found == open_.end()) return nullptr;
  NcclMessage* const message = *found;
  open_.erase(found);
  return message;
}

absl::Status NcclPair::Match() {
  Batch batch;
  std::vector<NcclNotice> notices;
  for (auto each = asked_.begin(); each != asked_.end();) {
    NcclMessage* const message = FindOpen(*each);
    if (message == nullptr) {
      ++each;
      continue;
    }
    batch.push_back(message);
    if (message->size != each->size) {
      batches_.push_back(std::move(batch));
      return absl::InternalError("sent a message of another size");
    }
    notices.push_back(*each);
    each = asked_.erase(each);
  }
  if (batch.empty()) return absl::OkStatus();
  batches_.push_back(std::move(batch));
  for (NcclNotice& notice : notices) {
    notice.kind = NcclNotice::Kind::kBatched;
    notice.last = &notice == &notices.back();
    SY_RETURN_IF_ERROR(control_.Send(notice));
  }
  return absl::OkStatus();
}

absl::Status NcclPair::Retire() {
  const Batch batch = std::move(batches_.front());
  batches_.pop_front();
  bool received = false;
  for (NcclMessage* each : batch) {
    received = received || each->receives;
    if (each->receives) {
      each->done = true;
    } else {
      sent_.push_back(each);
    }
  }
  Acknowledge(acknowledged_);
  // The other rank may end when it has heard this, and not before.
  if (!received) return absl::OkStatus();
  return control_.Send({NcclNotice::Kind::kReceived, 0, 0, 0, 0, batch_count_});
}

void NcclPair::Acknowledge(uint64_t batch) {
  acknowledged_ = std::max(acknowledged_, batch);
  sent_.remove_if([this](NcclMessage* each) {
    each->done = each->batch <= acknowledged_;
    return each->done;
  });
}

absl::StatusOr<bool> NcclPair::Step() {
  if (batches_.empty()) return false;
  if (!wire_.is_moving()) {
    ++batch_count_;
    for (NcclMessage* each : batches_.front()) each->batch = batch_count_;
    SY_RETURN_IF_ERROR(wire_.Launch(batches_.front()));
  }
  SY_ASSIGN_OR_RETURN(const bool done, wire_.IsDone());
  if (!done) return false;
  SY_RETURN_IF_ERROR(Retire());
  return true;
}

void NcclPair::GiveUp(NcclMessage* message) {
  if (message->done || !message->error.ok()) return;
  const size_t before = open_.size();
  open_.remove(message);
  if (open_.size() < before) return;
  Fail(absl::UnavailableError("was given up in the middle of a message"));
}

void NcclPair::Fail(const absl::Status& status) {
  failure_ = status;
  wire_.Abort();
  for (const Batch& batch : batches_) {
    open_.insert(open_.end(), batch.begin(), batch.end());
  }
  open_.insert(open_.end(), assembling_.begin(), assembling_.end());
  open_.splice(open_.end(), sent_);
  for (NcclMessage* each : open_) {
    // The other rank may have left because it had all.
    each->done =
        !each->receives && each->batch > 0 && each->batch <= acknowledged_;
    if (!each->done) each->error = status;
  }
  open_.clear();
  assembling_.clear();
  batches_.clear();
}

}  // namespace switchyard::collective
