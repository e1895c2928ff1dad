// SPDX-License-Identifier: Apache-2.0
// StreamWork: orders a piece of work of a stream among all other work that
// touches the same buffers, whichever streams that was given to.
//
//   StreamWork work(stream);
//   work.Reads(x.buffer().get());
//   work.Writes(out.buffer().get());
//   SY_RETURN_IF_ERROR(work.Begin());
//   ...  // Gives the kernel to the stream.
//   SY_RETURN_IF_ERROR(work.End().status());
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_STREAM_WORK_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_STREAM_WORK_H_

#include "absl/container/inlined_vector.h"
#include "framework/base/status.h"
#include "framework/device/stream.h"
#include "framework/memory/buffer.h"

namespace switchyard {

// One piece of work, on its way to a stream: a kernel, or a copy. It waits for
// the last writers of all that it touches, and for the readers of what it
// writes. It fails with the failure of the writer of what it reads, since no
// value is there: what a failed kernel writes in place is lost too. Buffers
// without a use() are the host's and take no part.
class StreamWork {
 public:
  explicit StreamWork(Stream* stream) : stream_(*stream) {}
  ~StreamWork();
  StreamWork(const StreamWork&) = delete;
  StreamWork& operator=(const StreamWork&) = delete;

  // Say what the work will touch, before Begin(). A buffer of which the old
  // bytes still matter is read too. Null buffers are ignored.
  void Reads(const Buffer* buffer);
  void Writes(const Buffer* buffer);

  // Lets the stream wait for what must come first. Returns the failure of a
  // writer that is known to have failed; nothing may be given then.
  absl::Status Begin();
  // Marks the end of the work, which was given since Begin(). Returns the event
  // that later work waits for.
  absl::StatusOr<RefPtr<Event>> End();

 private:
  struct Touched {
    BufferUse* use;
    bool reads;
    bool writes;
  };

  // Returns the entry of a buffer; null if it takes no part.
  Touched* Find(const Buffer* buffer);
  absl::Status WaitFor(const Event& event);
  absl::Status Need(const Event& event);

  Stream& stream_;
  absl::InlinedVector<Touched, 8> touched_;
  bool begun_ = false;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_STREAM_WORK_H_
