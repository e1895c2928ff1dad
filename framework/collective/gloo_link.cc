// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/gloo_link.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "gloo/allreduce.h"
#include "gloo/context.h"
#include "gloo/math.h"
#include "gloo/transport/pair.h"
#include "gloo/transport/tcp/device.h"

namespace switchyard::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Buffer = gloo::transport::UnboundBuffer;

constexpr std::chrono::hours kForever{24 * 365};
// How long the messages of a broken connection have to end, and how long a rank
// that leaves waits until the others have read what it sent.
constexpr milliseconds kSettled{200}, kFarewell{1000};
// Messages of the link itself; tags are below.
constexpr uint64_t kBye = uint64_t{1} << 32, kAnswer = kBye + 1,
                   kNever = kBye + 2;

// The connections that there are, as Gloo's algorithms want them.
class Context : public gloo::Context {
 public:
  Context(int rank, int size, std::shared_ptr<gloo::transport::Device> device,
          std::shared_ptr<gloo::transport::Context> connections)
      : gloo::Context(rank, size) {
    device_ = std::move(device);
    transportContext_ = std::move(connections);
    setTimeout(kForever);
  }
};

// A sum ends when a wait of it fails, and can't be told to. A wait that ends
// too soon breaks all connections: nothing is sent after a call that failed.
void BreakConnections(gloo::transport::Context& context) {
  for (int peer = 0; peer < context.size; ++peer) {
    if (peer == context.rank) continue;
    try {
      char nothing;
      const auto buffer = context.createUnboundBuffer(&nothing, 1);
      buffer->recv(peer, kNever, 0, 1);
      buffer->waitRecv(nullptr, milliseconds(1));
    } catch (const std::exception&) {
      // It is broken.
    }
  }
}

}  // namespace

struct GlooLink::Request {
  std::unique_ptr<Buffer> buffer;
  int peer;
  bool receives;
  uint64_t slot;
  State state = State::kUnderWay;
  // Where it is a sum, the call of Gloo that makes it, and how that failed.
  std::function<void()> sum;
  std::string failure;

  State WaitFor(std::string* why) const;
};

struct GlooLink::Peer {
  std::string failure;  // Empty while the connection is there.
  Clock::time_point failed_at;
  char bye = 0, answer = 0;
  bool leaves = false;    // It will send nothing more.
  bool answered = false;  // It has read all that this rank has sent.
  std::unique_ptr<Buffer> answers;
};

std::string WordsOf(const std::string& error) {
  for (const char* closed :
       {"closed by peer", "reset by peer", "Broken pipe"}) {
    if (error.find(closed) != std::string::npos) return "closed the connection";
  }
  // They begin with a place in Gloo's sources.
  const size_t place = error[0] == '[' ? error.find("] ") : std::string::npos;
  return "lost its connection (Gloo: " +
         error.substr(place == std::string::npos ? 0 : place + 2) + ")";
}

void Say(GlooError* error, const std::string& words) {
  std::snprintf(error->text, sizeof(error->text), "%s", words.c_str());
}

GlooLink::GlooLink(int rank, int size, const std::string& host,
                   milliseconds patience)
    : rank_(rank), peers_(size) {
  gloo::transport::tcp::attr place;
  place.hostname = host;
  device_ = gloo::transport::tcp::CreateDevice(place);
  context_ = device_->createContext(rank, size);
  context_->setTimeout(patience);
  size_t length = 0;
  std::vector<std::vector<char>> places(size);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    places[peer] = context_->createPair(peer)->address().bytes();
    length = std::max(length, places[peer].size());
  }
  for (std::vector<char>& each : places) {
    each.resize(length);
    address_.append(each.data(), length);
  }
}

void GlooLink::Connect(const char* const* addresses) {
  const size_t length = address_.size() / peers_.size();
  const int size = static_cast<int>(peers_.size());
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank_) continue;
    const char* const bytes = addresses[peer];
    context_->getPair(peer)->connect(std::vector<char>(bytes, bytes + length));
  }
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank_) Start(peer, kBye, &peers_[peer].bye, 1, true);
  }
}

GlooLink::Request* GlooLink::Start(int peer, uint64_t slot, void* data,
                                   size_t size, bool receives) {
  auto request = std::make_unique<Request>();
  request->buffer = context_->createUnboundBuffer(data, size);
  request->peer = peer;
  request->receives = receives;
  request->slot = slot;
  if (receives) {
    request->buffer->recv(peer, slot, 0, size);
  } else {
    request->buffer->send(peer, slot, 0, size);
  }
  return Queue(std::move(request));
}

GlooLink::Request* GlooLink::StartSum(bool is_double, void* data,
                                      size_t count) {
  // Gloo has another function of this name.
  using Sum = void (*)(void*, const void*, const void*, size_t);
  auto call =
      std::make_shared<gloo::AllreduceOptions>(std::make_shared<Context>(
          rank_, static_cast<int>(peers_.size()), device_, context_));
  if (is_double) {
    call->setOutput(static_cast<double*>(data), count);
    call->setReduceFunction(Sum{&gloo::sum<double>});
  } else {
    call->setOutput(static_cast<float*>(data), count);
    call->setReduceFunction(Sum{&gloo::sum<float>});
  }
  auto request = std::make_unique<Request>();
  request->sum = [call] { gloo::allreduce(*call); };
  return Queue(std::move(request));
}

GlooLink::Request* GlooLink::Queue(std::unique_ptr<Request> request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(request.get());
  requests_.push_back(std::move(request));
  if (queue_.size() > idle_) threads_.emplace_back([this] { Work(); });
  given_.notify_one();
  return requests_.back().get();
}

void GlooLink::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    ++idle_;
    given_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Request* const request = queue_.front();
    queue_.pop_front();
    lock.unlock();
    std::string failure;
    const State state = request->WaitFor(&failure);
    lock.lock();
    End(*request, state, failure);
  }
}

// Waits for the message, or makes the sum; returns its state and the failure.
GlooLink::State GlooLink::Request::WaitFor(std::string* why) const {
  try {
    if (sum) {
      sum();
      return State::kDone;
    }
    const bool done = receives ? buffer->waitRecv(nullptr, kForever)
                               : buffer->waitSend(nullptr, kForever);
    return done ? State::kDone : State::kFailed;
  } catch (const std::exception& error) {
    *why = WordsOf(error.what());
    return State::kFailed;
  }
}

void GlooLink::End(Request& request, State state, const std::string& failure) {
  request.state = state;
  ++ended_;
  changed_.notify_all();
  if (request.sum) {
    request.failure = failure;
    return;
  }
  Peer& peer = peers_[request.peer];
  if (!failure.empty() && peer.failure.empty()) {
    peer.failure = failure;
    peer.failed_at = Clock::now();
  }
  if (state == State::kDone && request.slot == kBye && request.receives) {
    peer.leaves = true;
    try {
      peer.answers = context_->createUnboundBuffer(&peer.bye, 1);
      peer.answers->send(request.peer, kAnswer, 0, 1);
    } catch (const std::exception&) {
      // It has left already.
    }
  }
  if (state == State::kDone && request.slot == kAnswer) peer.answered = true;
}

void GlooLink::Abort(std::unique_lock<std::mutex>& lock, Request& request) {
  if (request.state != State::kUnderWay) return;
  if (request.sum) {
    // The others hear first why this rank ends, and end too.
    if (changed_.wait_for(lock, kSettled,
                          [&] { return request.state != State::kUnderWay; })) {
      return;
    }
    BreakConnections(*context_);
  } else if (request.receives) {
    request.buffer->abortWaitRecv();
  } else {
    request.buffer->abortWaitSend();
  }
  changed_.wait(lock, [&] { return request.state != State::kUnderWay; });
}

void GlooLink::Free(Request* request) {
  requests_.remove_if([&](const std::unique_ptr<Request>& each) {
    return each.get() == request;
  });
}

bool GlooLink::IsQuiet(int peer) const {
  return std::none_of(requests_.begin(), requests_.end(),
                      [&](const std::unique_ptr<Request>& each) {
                        return !each->sum && each->peer == peer &&
                               each->state == State::kUnderWay;
                      });
}

int GlooLink::Test(Request* request, GlooError* error) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (request->sum) return TestSum(lock, request, error);
  const Peer& peer = peers_[request->peer];
  if (request->state == State::kUnderWay) {
    if (peer.failure.empty() || Clock::now() - peer.failed_at < kSettled) {
      return 0;
    }
    // Gloo ends messages that have not begun when a connection breaks, but not
    // the one that was arriving.
    Abort(lock, *request);
  }
  const bool done = request->state == State::kDone;
  if (!done) {
    // A note that came before the end, and says why, is seen before it.
    changed_.wait_for(lock, kSettled, [&] { return IsQuiet(request->peer); });
    Say(error, peer.failure);
  }
  Free(request);
  return done ? 1 : -1;
}

int GlooLink::TestSum(std::unique_lock<std::mutex>& lock, Request* request,
                      GlooError* error) {
  // All that a rank which leaves has sent is there.
  const auto broken = [this] {
    return std::find_if(peers_.begin(), peers_.end(), [](const Peer& peer) {
      return !peer.failure.empty() && !peer.leaves;
    });
  };
  if (request->state == State::kUnderWay) {
    const auto peer = broken();
    if (peer == peers_.end() || Clock::now() - peer->failed_at < kSettled) {
      return 0;
    }
    Abort(lock, *request);
  }
  const bool done = request->state == State::kDone;
  if (!done) {
    // Messages of the same connection fail too: that says whose it is.
    changed_.wait_for(lock, kFarewell, [&] {
      const auto peer = broken();
      return peer != peers_.end() &&
             IsQuiet(static_cast<int>(peer - peers_.begin()));
    });
    const auto peer = broken();
    Say(error, peer == peers_.end() ? request->failure : peer->failure);
  }
  Free(request);
  return done ? 1 : -1;
}

void GlooLink::Cancel(Request* request) {
  std::unique_lock<std::mutex> lock(mutex_);
  Abort(lock, *request);
  Free(request);
}

// Gloo drops what is under way when a connection is closed. A rank that leaves
// waits until the others have read what it sent before.
void GlooLink::SayGoodbye() {
  const int size = static_cast<int>(peers_.size());
  for (int number = 0; number < size; ++number) {
    Peer& peer = peers_[number];
    if (number == rank_ || peer.leaves || !peer.failure.empty()) continue;
    try {
      Start(number, kAnswer, &peer.answer, 1, true);
      Start(number, kBye, &peer.answer, 1, false);
    } catch (const std::exception& error) {
      const std::lock_guard<std::mutex> lock(mutex_);
      peer.failure = WordsOf(error.what());
    }
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, kFarewell, [&] {
    for (int number = 0; number < size; ++number) {
      const Peer& peer = peers_[number];
      if (number != rank_ && !peer.leaves && !peer.answered &&
          peer.failure.empty()) {
        return false;
      }
    }
    return true;
  });
}

GlooLink::~GlooLink() {
  if (!requests_.empty()) SayGoodbye();  // It is connected.
  {
    std::unique_lock<std::mutex> lock(mutex_);
    for (const auto& each : requests_) Abort(lock, *each);
    ends_ = true;
  }
  given_.notify_all();
  for (std::thread& each : threads_) each.join();
  requests_.clear();
  for (Peer& peer : peers_) peer.answers.reset();
}

}  // namespace switchyard::collective
