// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/nccl_transport.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/collective/nccl_api.h"
#include "framework/collective/nccl_pair.h"
#include "framework/collective/tcp_transport.h"

namespace switchyard::collective {
namespace {

using Clock = std::chrono::steady_clock;

// How long a rank that leaves waits for its last words to leave.
constexpr std::chrono::milliseconds kLastWords{1000};
// How long at most it sleeps while a GPU moves something, in microseconds: no
// socket tells when that is done.
constexpr int kLongestPause = 50;

class Link {
 public:
  explicit Link(void* sockets) : sockets_(sockets) {}
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  absl::Status Connect(const LinkOptions& options, const NcclMedium& medium);

  void* sockets() const { return sockets_; }
  NcclPair& pair(int peer) { return *pairs_[static_cast<size_t>(peer)]; }
  bool IsMoving() const;
  // Waits until the others have been told all.
  void Flush();
  CudaScope MakeCurrent() const { return CudaScope(cuda_, context_); }

 private:
  absl::Status UseGpu(int number);
  absl::Status ConnectPairs(const LinkOptions& options,
                            std::chrono::milliseconds patience);

  void* const sockets_;
  NcclApi nccl_ = {};
  CudaApi cuda_ = {};
  int device_ = 0;
  void* context_ = nullptr;
  std::vector<std::unique_ptr<NcclPair>> pairs_;  // By rank; none with itself.
};

Link::~Link() {
  if (context_ != nullptr) {
    {
      const CudaScope current = MakeCurrent();
      pairs_.clear();
    }
    cuda_.PrimaryCtxRelease(device_);
  }
  kTcpTransport.close(sockets_, false);
}

absl::Status Link::Connect(const LinkOptions& options,
                           const NcclMedium& medium) {
  SY_ASSIGN_OR_RETURN(nccl_, OpenNccl());
  SY_ASSIGN_OR_RETURN(cuda_, OpenCuda());
  const absl::Status uses = UseGpu(medium.device);
  if (!uses.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("transport nccl: rank ", options.rank, " ",
                     std::string(uses.message())));
  }
  return ConnectPairs(options, medium.patience);
}

absl::Status Link::UseGpu(int number) {
  SY_RETURN_IF_ERROR(CheckCuda(cuda_, cuda_.Init(0)));
  int count = 0;
  SY_RETURN_IF_ERROR(CheckCuda(cuda_, cuda_.DeviceGetCount(&count)));
  if (number < 0 || number >= count) {
    return absl::AbortedError(absl::StrCat("is to use GPU ", number,
                                           ", but sees ", count,
                                           ": each rank of a "
                                           "machine needs a GPU of its own"));
  }
  SY_RETURN_IF_ERROR(CheckCuda(cuda_, cuda_.DeviceGet(&device_, number)));
  return CheckCuda(cuda_, cuda_.PrimaryCtxRetain(&context_, device_));
}

absl::Status Link::ConnectPairs(const LinkOptions& options,
                                std::chrono::milliseconds patience) {
  const auto failed = [&](int peer, absl::string_view why) {
    return absl::AbortedError(absl::StrCat("init: rank ", options.rank,
                                           " could not connect by NCCL: rank ",
                                           peer, " ", why));
  };
  const CudaScope current = MakeCurrent();
  pairs_.resize(static_cast<size_t>(options.size));
  for (int peer = 0; peer < options.size; ++peer) {
    if (peer == options.rank) continue;
    pairs_[peer] = std::make_unique<NcclPair>(nccl_, cuda_, sockets_,
                                              options.rank, peer, patience);
    if (const absl::Status begun = pairs_[peer]->wire().Start(); !begun.ok()) {
      return failed(peer, std::string(begun.message()));
    }
  }
  const Clock::time_point end = Clock::now() + patience;
  for (int peer = 0; peer < options.size;) {
    if (peer == options.rank) {
      ++peer;
      continue;
    }
    // The others go on meanwhile, by threads of NCCL's once they have begun.
    for (int other = peer; other < options.size; ++other) {
      if (other == options.rank) continue;
      const auto connected = pairs_[other]->wire().IsConnected();
      if (!connected.ok()) {
        return failed(other, std::string(connected.status().message()));
      }
      if (other == peer && *connected) ++peer;
    }
    if (peer == options.size) break;
    if (Clock::now() > end) return failed(peer, "did not before the deadline");
    kTcpTransport.wait(sockets_, 200);
  }
  return absl::OkStatus();
}

bool Link::IsMoving() const {
  return std::any_of(pairs_.begin(), pairs_.end(), [](const auto& each) {
    return each != nullptr && each->wire().is_moving();
  });
}

void Link::Flush() {
  const Clock::time_point end = Clock::now() + kLastWords;
  const auto is_sent = [](const auto& each) {
    return each == nullptr || each->IsSent();
  };
  while (!std::all_of(pairs_.begin(), pairs_.end(), is_sent) &&
         Clock::now() < end) {
    kTcpTransport.wait(sockets_, 200);
  }
}

// A small message, or one of NCCL's.
struct Request {
  int peer;
  void* small;
  NcclMessage message;
};

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  const NcclMedium& medium = *static_cast<const NcclMedium*>(options.medium);
  std::vector<int> sockets = medium.sockets;
  SY_ASSIGN_OR_RETURN(
      void* const control,
      kTcpTransport.connect({options.rank, options.size, &sockets}));
  auto link = std::make_unique<Link>(control);
  SY_RETURN_IF_ERROR(link->Connect(options, medium));
  return link.release();
}

absl::StatusOr<void*> Begin(Link& link, int peer, NcclMessage message) {
  auto request =
      std::make_unique<Request>(Request{peer, nullptr, std::move(message)});
  NcclMessage& own = request->message;
  if (own.size <= kNcclSmall) {
    SY_ASSIGN_OR_RETURN(request->small,
                        own.receives
                            ? kTcpTransport.irecv(link.sockets(), peer, own.tag,
                                                  own.data, own.size)
                            : kTcpTransport.isend(link.sockets(), peer, own.tag,
                                                  own.data, own.size));
    return request.release();
  }
  const CudaScope current = link.MakeCurrent();
  SY_RETURN_IF_ERROR(link.pair(peer).Begin(&own));
  return request.release();
}

absl::StatusOr<void*> ISend(void* link, int peer, uint32_t tag,
                            const void* data, size_t size) {
  char* const bytes = const_cast<char*>(static_cast<const char*>(data));
  return Begin(*static_cast<Link*>(link), peer, {false, tag, bytes, size});
}

absl::StatusOr<void*> IRecv(void* link, int peer, uint32_t tag, void* data,
                            size_t size) {
  return Begin(*static_cast<Link*>(link), peer,
               {true, tag, static_cast<char*>(data), size});
}

absl::StatusOr<bool> Test(void* handle, void* tested) {
  Link& link = *static_cast<Link*>(handle);
  std::unique_ptr<Request> request(static_cast<Request*>(tested));
  if (request->small != nullptr) {
    const auto done = kTcpTransport.test(link.sockets(), request->small);
    if (done.ok() && !*done) request.release();
    return done;
  }
  const NcclMessage& message = request->message;
  if (!message.done && message.error.ok()) {
    const CudaScope current = link.MakeCurrent();
    link.pair(request->peer).Move();
  }
  if (message.done) return true;
  SY_RETURN_IF_ERROR(message.error);
  request.release();
  return false;
}

void Cancel(void* handle, void* cancelled) {
  Link& link = *static_cast<Link*>(handle);
  const std::unique_ptr<Request> request(static_cast<Request*>(cancelled));
  if (request->small != nullptr) {
    kTcpTransport.cancel(link.sockets(), request->small);
    return;
  }
  const CudaScope current = link.MakeCurrent();
  link.pair(request->peer).GiveUp(&request->message);
}

void Wait(void* handle, int microseconds) {
  const Link& link = *static_cast<Link*>(handle);
  const int most = link.IsMoving() ? kLongestPause : microseconds;
  kTcpTransport.wait(link.sockets(), std::min(microseconds, most));
}

void Close(void* handle, bool failed) {
  const std::unique_ptr<Link> link(static_cast<Link*>(handle));
  if (!failed) link->Flush();
}

}  // namespace

const TransportInfo kNcclTransport = {
    "nccl", "libnccl2", &Connect, &ISend, &IRecv,
    &Test,  &Cancel,    &Wait,    &Close, nullptr,
};

}  // namespace switchyard::collective
