// SPDX-License-Identifier: Apache-2.0
// Stream and Event: a queue of work of an asynchronous device, and a point in
// it, over the functions of the device's record (StreamInfo). Each thread has a
// current stream for each device, which kernels, copies within the device and
// programs give their work to. What orders the work of two streams is
// framework/device/stream_work.h.
//
//   SY_ASSIGN_OR_RETURN(RefPtr<Stream> side, Stream::Make(place));
//   {
//     const StreamScope scope(side);
//     ...  // Calls of this block give their work to `side`.
//   }
//   SY_RETURN_IF_ERROR(Synchronize(place));
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_STREAM_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_STREAM_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "framework/base/status.h"
#include "framework/device/device_info.h"
#include "framework/memory/ref_ptr.h"
#include "framework/types/place.h"

namespace switchyard {

// Returns true if work at `place` may outlive the call that starts it.
bool IsAsynchronous(Place place);

// The end of what a stream had been given by some moment. Thread-safe.
class Event : public RefCounted<Event> {
 public:
  // Takes over `handle`, which `device.streams->record` made.
  Event(const DeviceInfo& device, int index, uint64_t stream, void* handle)
      : device_(device), index_(index), stream_(stream), handle_(handle) {}
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  const DeviceInfo& device() const { return device_; }
  void* handle() const { return handle_; }
  // Returns the number of the stream that it is an event of.
  uint64_t stream() const { return stream_; }

  // Returns true if the work in front of it is done. Does not wait.
  bool reached() const;
  // Waits for the work in front of it. Returns the failure of the work since
  // the stream's event before; null if there is none.
  std::shared_ptr<StreamFailure> Join() const;
  // Waits, and reports the failure.
  absl::Status Wait() const;

 private:
  const DeviceInfo& device_;
  const int index_;
  const uint64_t stream_;
  void* const handle_;
  mutable std::atomic<bool> reached_{false};
};

// Returns the status of a failure, which is reported by that; OK for null.
absl::Status Report(const std::shared_ptr<StreamFailure>& failure);

// A queue of work that runs in order, beside that of other streams. Used by one
// thread at a time.
class Stream : public RefCounted<Stream> {
 public:
  // Makes a stream of the device at `place`. FailedPrecondition if there is no
  // such device or its kind has no streams.
  static absl::StatusOr<RefPtr<Stream>> Make(Place place);
  // The work that it was given still runs.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Returns the stream that the calling thread gives work for `place` to: that
  // of the innermost StreamScope, else one of the thread's own.
  static absl::StatusOr<Stream*> Current(Place place);
  // Returns the calling thread's stream for copies that the host waits for:
  // they wait for what they need alone.
  static absl::StatusOr<Stream*> OfTransfers(Place place);

  Place place() const { return place_; }
  const DeviceInfo& device() const { return device_; }
  void* handle() const { return handle_; }
  // Returns a number that no other stream of the process has.
  uint64_t number() const { return number_; }

  // Marks the end of what it has been given by now.
  absl::StatusOr<RefPtr<Event>> Record();
  // Lets later work wait for `event`. The host waits if the event is of another
  // kind of device.
  absl::Status Wait(const Event& event);
  // Lets the next work fail with the failure of `event`, for which it waits.
  void Require(const Event& event);
  // Cancels Require(), if the next work is not given after all.
  void RequireNothing();
  // Waits for what it has been given by now. Returns the first failure since
  // the last call, or Synchronize(), that was not reported.
  absl::Status Synchronize();

  // While a chain is open, each work needs the one before: what follows a
  // failed one does not run. A program's run opens one.
  void OpenChain() { chained_ = true; }
  // Returns the last event of the chain; null if nothing was given.
  RefPtr<Event> CloseChain();
  const RefPtr<Event>& last_of_chain() const { return last_; }
  // Notes the event after the work that was given last; only a chain and
  // Synchronize() of the calling thread read it.
  void Note(const RefPtr<Event>& event);

 private:
  Stream(const DeviceInfo& device, Place place, void* handle);

  const DeviceInfo& device_;
  const Place place_;
  void* const handle_;
  const uint64_t number_;
  bool chained_ = false;
  RefPtr<Event> last_;  // Of the chain.
};

// Makes `stream` the calling thread's current one for its place, for the length
// of a block.
class StreamScope {
 public:
  explicit StreamScope(RefPtr<Stream> stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Place place_;
  RefPtr<Stream> before_;
};

// Makes `stream` the calling thread's current one for its place and returns the
// one before; null stands for the thread's own.
RefPtr<Stream> SetCurrentStream(Place place, RefPtr<Stream> stream);

// Waits for all work that the calling thread has given to the streams of a
// device. Returns the first failure of that work that was not reported, and
// forgets the others. OK where nothing is asynchronous.
absl::Status Synchronize(Place place);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_STREAM_H_
