// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/nccl_wire.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/collective/tcp_transport.h"

namespace switchyard::collective {
namespace {

// The tag of the communicator's name; notices have others, from 1.
constexpr uint32_t kIdTag = uint32_t{1} << 31;
// A pair takes this number of a GPU's multiprocessors at most: a rank has a
// pair with each other one, and all of them may move something at once.
constexpr int kMostBlocks = 4;

}  // namespace

NcclWire::~NcclWire() {
  Abort();
  if (event_ != nullptr) cuda_.EventDestroy(event_);
  if (stream_ != nullptr) cuda_.StreamDestroy(stream_);
  if (id_request_ != nullptr) kTcpTransport.cancel(link_, id_request_);
}

absl::Status NcclWire::CheckNccl(int result) const {
  if (result == kNcclSuccess || result == kNcclInProgress) {
    return absl::OkStatus();
  }
  const char* const last = nccl_.GetLastError(comm_);
  const bool more = last != nullptr && last[0] != '\0';
  return absl::InternalError(
      absl::StrCat("can't be reached by NCCL (", nccl_.GetErrorString(result),
                   more ? ": " : "", more ? last : "", ")"));
}

absl::Status NcclWire::Start() {
  SY_RETURN_IF_ERROR(
      CheckCuda(cuda_, cuda_.StreamCreate(&stream_, kCudaNonBlocking)));
  SY_RETURN_IF_ERROR(
      CheckCuda(cuda_, cuda_.EventCreate(&event_, kCudaDisableTiming)));
  if (leads_) SY_RETURN_IF_ERROR(CheckNccl(nccl_.GetUniqueId(&id_)));
  SY_ASSIGN_OR_RETURN(
      id_request_,
      leads_ ? kTcpTransport.isend(link_, peer_, kIdTag, &id_, sizeof(id_))
             : kTcpTransport.irecv(link_, peer_, kIdTag, &id_, sizeof(id_)));
  return absl::OkStatus();
}

absl::StatusOr<bool> NcclWire::IsConnected() {
  if (id_request_ != nullptr) {
    const absl::StatusOr<bool> known = kTcpTransport.test(link_, id_request_);
    if (known.ok() && !*known) return false;
    id_request_ = nullptr;
    SY_RETURN_IF_ERROR(known.status());
    NcclConfig config;
    config.blocking = 0;
    config.least_blocks = 1;
    config.most_blocks = kMostBlocks;
    SY_RETURN_IF_ERROR(CheckNccl(
        nccl_.CommInitRankConfig(&comm_, 2, id_, leads_ ? 0 : 1, &config)));
  }
  return IsIdle();
}

absl::StatusOr<bool> NcclWire::IsIdle() {
  int result = kNcclSuccess;
  SY_RETURN_IF_ERROR(CheckNccl(nccl_.CommGetAsyncError(comm_, &result)));
  SY_RETURN_IF_ERROR(CheckNccl(result));
  return result == kNcclSuccess;
}

// The stream is idle: a copy from the host's memory, which may wait for it,
// waits for no other rank.
absl::Status NcclWire::Launch(std::vector<NcclMessage*> batch) {
  batch_ = std::move(batch);
  launched_ = std::chrono::steady_clock::now();
  phase_ = Phase::kLaunching;
  for (NcclMessage* each : batch_) SY_RETURN_IF_ERROR(TakeMemory(*each));
  return GiveToNccl();
}

absl::Status NcclWire::TakeMemory(NcclMessage& message) {
  const auto address = reinterpret_cast<CudaAddress>(message.data);
  unsigned int type = 0;
  const int known = cuda_.PointerGetAttribute(&type, kCudaMemoryType, address);
  if (known == kCudaSuccess && type == kCudaDeviceMemory) {
    message.memory = address;
    return absl::OkStatus();
  }
  const int result =
      cuda_.MemAllocAsync(&message.memory, message.size, stream_);
  if (result == kCudaOutOfMemory) {
    return absl::AbortedError(absl::StrCat(
        "has no memory of its GPU for a message of ", message.size, " bytes"));
  }
  SY_RETURN_IF_ERROR(CheckCuda(cuda_, result));
  message.copied = true;
  if (message.receives) return absl::OkStatus();
  return CheckCuda(cuda_, cuda_.MemcpyHtoDAsync(message.memory, message.data,
                                                message.size, stream_));
}

absl::Status NcclWire::GiveToNccl() {
  SY_RETURN_IF_ERROR(CheckNccl(nccl_.GroupStart()));
  int failed = kNcclSuccess;
  for (const NcclMessage* each : batch_) {
    void* const memory = reinterpret_cast<void*>(each->memory);
    const int other = leads_ ? 1 : 0;
    const int result =
        each->receives
            ? nccl_.Recv(memory, each->size, kNcclUint8, other, comm_, stream_)
            : nccl_.Send(memory, each->size, kNcclUint8, other, comm_, stream_);
    if (result != kNcclSuccess && result != kNcclInProgress) failed = result;
  }
  // A group that was begun must end.
  const int ended = nccl_.GroupEnd();
  SY_RETURN_IF_ERROR(CheckNccl(failed));
  return CheckNccl(ended);
}

absl::StatusOr<bool> NcclWire::IsDone() {
  if (phase_ == Phase::kLaunching) {
    SY_ASSIGN_OR_RETURN(const bool launched, IsIdle());
    if (!launched) return NotYet();
    SY_RETURN_IF_ERROR(CheckCuda(cuda_, cuda_.EventRecord(event_, stream_)));
    phase_ = Phase::kMoving;
  }
  SY_ASSIGN_OR_RETURN(bool is_there, IsEventDone());
  if (phase_ == Phase::kMoving) {
    if (!is_there) {
      SY_RETURN_IF_ERROR(IsIdle().status());
      return NotYet();
    }
    SY_RETURN_IF_ERROR(CopyBack());
    phase_ = Phase::kCopying;
    SY_ASSIGN_OR_RETURN(is_there, IsEventDone());
  }
  if (!is_there) return false;
  FreeMemory();
  batch_.clear();
  phase_ = Phase::kIdle;
  return true;
}

absl::StatusOr<bool> NcclWire::IsEventDone() {
  const int result = cuda_.EventQuery(event_);
  if (result == kCudaNotReady) return false;
  SY_RETURN_IF_ERROR(CheckCuda(cuda_, result));
  return true;
}

absl::StatusOr<bool> NcclWire::NotYet() const {
  if (std::chrono::steady_clock::now() - launched_ <= patience_) {
    return false;
  }
  return absl::InternalError(
      absl::StrCat("has not ended an exchange by NCCL for ",
                   static_cast<double>(patience_.count()) / 1000, " s"));
}

absl::Status NcclWire::CopyBack() {
  for (const NcclMessage* each : batch_) {
    if (!each->copied || !each->receives) continue;
    SY_RETURN_IF_ERROR(CheckCuda(
        cuda_,
        cuda_.MemcpyDtoHAsync(each->data, each->memory, each->size, stream_)));
  }
  return CheckCuda(cuda_, cuda_.EventRecord(event_, stream_));
}

void NcclWire::FreeMemory() {
  for (NcclMessage* each : batch_) {
    if (each->copied) cuda_.MemFreeAsync(each->memory, stream_);
    each->copied = false;
  }
}

void NcclWire::Abort() {
  if (comm_ != nullptr) {
    nccl_.CommAbort(comm_);
    comm_ = nullptr;
    cuda_.StreamSynchronize(stream_);
  }
  FreeMemory();
  batch_.clear();
  phase_ = Phase::kIdle;
}

}  // namespace switchyard::collective
