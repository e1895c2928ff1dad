// SPDX-License-Identifier: Apache-2.0
// The functions of gloo_api.h over Gloo's connections of TCP. Gloo can be asked
// to wait for a message, but not whether one is done; a wait that ends too soon
// breaks all connections. So each message that is under way has a thread that
// waits for it. Such threads are kept for the next messages.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/collective/gloo_api.h"
#include "gloo/transport/context.h"
#include "gloo/transport/pair.h"
#include "gloo/transport/tcp/device.h"
#include "gloo/transport/unbound_buffer.h"

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
constexpr uint64_t kBye = uint64_t{1} << 32, kAnswer = kBye + 1;

enum class State { kUnderWay, kDone, kFailed };

struct Request {
  std::unique_ptr<Buffer> buffer;
  int peer;
  bool receives;
  uint64_t slot;
  State state = State::kUnderWay;
};

struct Peer {
  std::string failure;  // Empty while the connection is there.
  Clock::time_point failed_at;
  char bye = 0, answer = 0;
  bool leaves = false;    // It will send nothing more.
  bool answered = false;  // It has read all that this rank has sent.
  std::unique_ptr<Buffer> answers;
};

// Returns Gloo's words as the transports say it.
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

class Link {
 public:
  Link(int rank, int size, const std::string& host, milliseconds patience);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const std::string& address() const { return address_; }
  void Connect(const char* const* addresses);
  // Throws what Gloo throws.
  Request* Start(int peer, uint64_t slot, void* data, size_t size,
                 bool receives);
  int Test(Request* request, GlooError* error);
  void Cancel(Request* request);
  void Wait(int microseconds);

 private:
  void Work();
  // Waits for the message of a request; returns its state, and the failure.
  static State WaitFor(const Request& request, std::string* failure);
  // Notes the end of a message. With the lock held.
  void End(Request& request, State state, const std::string& failure);
  // Ends the thread that waits for a request. With the lock held.
  void Abort(std::unique_lock<std::mutex>& lock, Request& request);
  void Free(Request* request);
  void SayGoodbye();

  const int rank_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::string address_;
  std::vector<Peer> peers_;  // By rank.

  std::mutex mutex_;
  std::condition_variable given_, changed_;
  std::list<std::unique_ptr<Request>> requests_;
  std::deque<Request*> queue_;  // No thread waits for those yet.
  size_t idle_ = 0;             // Threads that wait for the queue.
  uint64_t ended_ = 0;          // Messages.
  uint64_t seen_ = 0;           // By Wait().
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

Link::Link(int rank, int size, const std::string& host, milliseconds patience)
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

void Link::Connect(const char* const* addresses) {
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

Request* Link::Start(int peer, uint64_t slot, void* data, size_t size,
                     bool receives) {
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
  const std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(request.get());
  requests_.push_back(std::move(request));
  if (queue_.size() > idle_) threads_.emplace_back([this] { Work(); });
  given_.notify_one();
  return requests_.back().get();
}

void Link::Work() {
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
    const State state = WaitFor(*request, &failure);
    lock.lock();
    End(*request, state, failure);
  }
}

State Link::WaitFor(const Request& request, std::string* failure) {
  try {
    const bool done = request.receives
                          ? request.buffer->waitRecv(nullptr, kForever)
                          : request.buffer->waitSend(nullptr, kForever);
    return done ? State::kDone : State::kFailed;
  } catch (const std::exception& error) {
    *failure = WordsOf(error.what());
    return State::kFailed;
  }
}

void Link::End(Request& request, State state, const std::string& failure) {
  request.state = state;
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
  ++ended_;
  changed_.notify_all();
}

void Link::Abort(std::unique_lock<std::mutex>& lock, Request& request) {
  if (request.state != State::kUnderWay) return;
  if (request.receives) {
    request.buffer->abortWaitRecv();
  } else {
    request.buffer->abortWaitSend();
  }
  changed_.wait(lock, [&] { return request.state != State::kUnderWay; });
}

void Link::Free(Request* request) {
  requests_.remove_if([&](const std::unique_ptr<Request>& each) {
    return each.get() == request;
  });
}

int Link::Test(Request* request, GlooError* error) {
  std::unique_lock<std::mutex> lock(mutex_);
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
    changed_.wait_for(lock, kSettled, [&] {
      return std::none_of(requests_.begin(), requests_.end(),
                          [&](const std::unique_ptr<Request>& each) {
                            return each->peer == request->peer &&
                                   each->state == State::kUnderWay;
                          });
    });
    Say(error, peer.failure);
  }
  Free(request);
  return done ? 1 : -1;
}

void Link::Cancel(Request* request) {
  std::unique_lock<std::mutex> lock(mutex_);
  Abort(lock, *request);
  Free(request);
}

void Link::Wait(int microseconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::microseconds(microseconds),
                    [this] { return ended_ != seen_; });
  seen_ = ended_;
}

// Gloo drops what is under way when a connection is closed. A rank that leaves
// waits until the others have read what it sent before.
void Link::SayGoodbye() {
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

Link::~Link() {
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

void* OpenLink(int rank, int size, const char* host, int64_t patience_ms,
               GlooError* error) {
  try {
    return new Link(rank, size, host, milliseconds(patience_ms));
  } catch (const std::exception& thrown) {
    Say(error, thrown.what());
    return nullptr;
  }
}

size_t AddressOf(void* link, const char** bytes) {
  const std::string& address = static_cast<Link*>(link)->address();
  *bytes = address.data();
  return address.size();
}

int ConnectLink(void* link, const char* const* addresses, GlooError* error) {
  try {
    static_cast<Link*>(link)->Connect(addresses);
    return 0;
  } catch (const std::exception& thrown) {
    Say(error, thrown.what());
    return -1;
  }
}

void* StartMessage(void* link, int peer, uint32_t tag, void* data, size_t size,
                   bool receives, GlooError* error) {
  try {
    return static_cast<Link*>(link)->Start(peer, tag, data, size, receives);
  } catch (const std::exception& thrown) {
    Say(error, WordsOf(thrown.what()));
    return nullptr;
  }
}

int TestMessage(void* link, void* request, GlooError* error) {
  return static_cast<Link*>(link)->Test(static_cast<Request*>(request), error);
}

void CancelMessage(void* link, void* request) {
  static_cast<Link*>(link)->Cancel(static_cast<Request*>(request));
}

void WaitForMessage(void* link, int microseconds) {
  static_cast<Link*>(link)->Wait(microseconds);
}

void CloseLink(void* link) { delete static_cast<Link*>(link); }

constexpr GlooApi kApi = {
    &OpenLink,    &AddressOf,     &ConnectLink,    &StartMessage,
    &TestMessage, &CancelMessage, &WaitForMessage, &CloseLink,
};

}  // namespace
}  // namespace switchyard::collective

extern "C" __attribute__((visibility("default")))
const switchyard::collective::GlooApi*
SwitchyardGlooApi() {
  return &switchyard::collective::kApi;
}
