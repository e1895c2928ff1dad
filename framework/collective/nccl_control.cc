// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/nccl_control.h"

#include "framework/collective/tcp_transport.h"

namespace switchyard::collective {
namespace {

// Calls have tags below kTagLimit.
uint32_t TagOf(uint32_t number) { return number | (uint32_t{1} << 31); }

}  // namespace

NcclControl::~NcclControl() {
  for (const Sent& each : sent_) kTcpTransport.cancel(link_, each.request);
  if (receiving_ != nullptr) kTcpTransport.cancel(link_, receiving_);
}

absl::Status NcclControl::Send(const NcclNotice& notice) {
  sent_.push_back({notice, nullptr});
  const absl::StatusOr<void*> request =
      kTcpTransport.isend(link_, peer_, TagOf(++sent_count_),
                          &sent_.back().notice, sizeof(NcclNotice));
  if (!request.ok()) {
    sent_.pop_back();
    return request.status();
  }
  sent_.back().request = *request;
  IsSent();
  return absl::OkStatus();
}

absl::StatusOr<bool> NcclControl::Receive(NcclNotice* notice) {
  IsSent();
  if (receiving_ == nullptr) {
    SY_ASSIGN_OR_RETURN(
        receiving_, kTcpTransport.irecv(link_, peer_, TagOf(++received_count_),
                                        &next_, sizeof(NcclNotice)));
  }
  const absl::StatusOr<bool> came = kTcpTransport.test(link_, receiving_);
  if (came.ok() && !*came) return false;
  receiving_ = nullptr;
  if (came.ok()) *notice = next_;
  return came;
}

bool NcclControl::IsSent() {
  while (!sent_.empty()) {
    const absl::StatusOr<bool> left =
        kTcpTransport.test(link_, sent_.front().request);
    if (left.ok() && !*left) return false;
    sent_.pop_front();  // An error shows itself where something is received.
  }
  return true;
}

}  // namespace switchyard::collective
