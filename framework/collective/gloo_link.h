// SPDX-License-Identifier: Apache-2.0
// GlooLink: one rank's connections by Gloo, in the library that is linked with
// it (gloo_api.h). Gloo can be asked to wait for a message, but not whether one
// is done; a wait that ends too soon breaks all connections. So each message
// that is under way has a thread that waits for it. Such threads are kept for
// the next messages.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_LINK_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_LINK_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/collective/gloo_api.h"
#include "gloo/transport/context.h"
#include "gloo/transport/device.h"
#include "gloo/transport/unbound_buffer.h"

namespace switchyard::collective {

// Returns Gloo's words as the transports say it.
std::string WordsOf(const std::string& error);

void Say(GlooError* error, const std::string& words);

// One thread at a time uses it; what it starts stays its own until Test() says
// that it is over, or Cancel() has returned.
class GlooLink {
 public:
  struct Request;

  GlooLink(int rank, int size, const std::string& host,
           std::chrono::milliseconds patience);
  ~GlooLink();
  GlooLink(const GlooLink&) = delete;
  GlooLink& operator=(const GlooLink&) = delete;

  const std::string& address() const { return address_; }
  void Connect(const char* const* addresses);
  // Throws what Gloo throws.
  Request* Start(int peer, uint64_t slot, void* data, size_t size,
                 bool receives);
  // As Start(): Gloo's own sum over all ranks, in place.
  Request* StartSum(bool is_double, void* data, size_t count);
  // Returns 1 if a request is done, 0 if not yet, -1 after an error. In the
  // first and the last case it is freed.
  int Test(Request* request, GlooError* error);
  void Cancel(Request* request);
  void Wait(int microseconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::microseconds(microseconds),
                      [this] { return ended_ != seen_; });
    seen_ = ended_;
  }

 private:
  enum class State { kUnderWay, kDone, kFailed };
  struct Peer;

  Request* Queue(std::unique_ptr<Request> request);
  int TestSum(std::unique_lock<std::mutex>& lock, Request* request,
              GlooError* error);
  // Returns whether no message from or to a rank is under way. With the lock
  // held.
  bool IsQuiet(int peer) const;
  void Work();
  // Notes the end of a request. With the lock held.
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

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_LINK_H_
