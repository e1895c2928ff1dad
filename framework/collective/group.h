// SPDX-License-Identifier: Apache-2.0
// Group: the ranks that compute together, over a transport; Exchange: the
// messages of one collective call. The calls themselves are
// framework/collective/collectives.h.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_GROUP_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_GROUP_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/call.h"
#include "framework/collective/pulse.h"
#include "framework/collective/transport.h"

namespace switchyard::collective {

// Where a rank runs, for messages.
struct Member {
  std::string host;
  int64_t process = 0;
};

// How a group behaves. All ranks pass the same members, and should pass the
// same deadline: the rank with the shortest ends a call for all.
struct GroupOptions {
  std::vector<Member> members;  // By rank.
  // How long a call waits for a rank that gives no sign of life before it
  // fails. A rank that loads data or compiles does not call, but is alive.
  std::chrono::milliseconds deadline{60000};
  // Called once in a call that has waited that long for ranks that are alive,
  // with a sentence that names them, if not null.
  std::function<void(const std::string&)> on_long_wait;
  // Called some twenty times a second while a call waits, if not null; an
  // error ends the call: it says what became of this rank ("was interrupted"),
  // or is Cancelled and a whole sentence, for ranks that soon are no more.
  std::function<absl::Status()> while_waiting;
};

// One rank's end of a group. All ranks make the same calls in the same order;
// one thread at a time uses an end. After the first error every call returns
// it: what the ranks have received by then differs. The error (code Aborted) is
// one sentence that names the rank that is missing, its host and process and
// the call that waits, and every other rank gets the sentence.
class Group {
 public:
  static absl::StatusOr<std::unique_ptr<Group>> Make(
      const TransportInfo& transport, const LinkOptions& link,
      GroupOptions options);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // For messages, where the members were not known before. One a rank.
  void SetMembers(std::vector<Member> members) {
    members.resize(peers_.size());
    options_.members = std::move(members);
  }

  int rank() const { return rank_; }
  int size() const { return size_; }
  const TransportInfo& transport() const { return transport_; }
  // OK until the first error.
  const absl::Status& status() const { return status_; }
  // Returns memory for a call, until the next one asks; null if there is none.
  // Up to 32 MiB are kept: pages that are new to the process cost more than
  // sums over them.
  char* Room(size_t bytes) {
    constexpr size_t kKept = size_t{32} << 20;
    if (bytes > room_bytes_ || room_bytes_ > kKept) {
      room_.reset();
      room_.reset(new (std::nothrow) char[bytes]);
      room_bytes_ = room_ == nullptr ? 0 : bytes;
    }
    return room_.get();
  }
  // Returns the number of calls that were begun.
  uint32_t calls() const { return sequence_; }

 private:
  friend class Exchange;

  // The kinds of notes, which ranks send beside the messages of calls.
  enum class Word : uint32_t { kFault, kAsk, kAnswer };
  struct Note {
    Word word;
    uint32_t sequence;
    char text[1016];
  };
  struct Peer {
    void* listening = nullptr;  // The request for its next note.
    Note heard;
    uint32_t last_call = 0;  // The last that it is known to have begun.
    bool gone = false;
    std::string answer;  // Its call, where the two of us differ.
  };
  struct PastCall {
    uint32_t sequence;
    Call call;
  };

  Group(const TransportInfo& transport, const LinkOptions& link, void* handle,
        GroupOptions options);

  absl::Status Listen(int peer);
  // Reads the notes that came; the error that one tells of.
  absl::Status Hear();
  absl::Status HearFrom(int peer);
  absl::Status HearNote(int peer, const Note& note);
  // Sends without waiting longer than `patience` for the note to leave.
  void Tell(int peer, Word word, uint32_t sequence, const std::string& text,
            std::chrono::milliseconds patience = std::chrono::seconds(1));
  // Makes `status` the group's, and tells it to all that still listen.
  absl::Status Fail(
      const absl::Status& status,
      std::chrono::milliseconds patience = std::chrono::seconds(1));
  // Finds out what `peer`, whose header differs, calls, and returns the
  // sentence.
  absl::Status Differ(int peer, const CallHeader& theirs);
  absl::Status DifferenceOf(int peer, uint32_t sequence,
                            const std::string& theirs) const;
  std::string TextOfCall(uint32_t sequence) const;
  // Returns "rank 1 (host b, process 4711)".
  std::string NameOf(int rank) const;
  void Idle(std::chrono::steady_clock::time_point since);

  // One thread at a time uses the link: that of a call, or the watch.
  std::mutex link_mutex_;
  const TransportInfo& transport_;
  void* const link_;
  const int rank_;
  const int size_;
  GroupOptions options_;
  absl::Status status_;
  uint32_t sequence_ = 0;
  std::deque<PastCall> past_;  // The last of them, for notes that ask.
  std::vector<Peer> peers_;    // By rank.
  int pause_ = 0;              // Of Idle(), in microseconds.
  std::unique_ptr<char[]> room_;
  size_t room_bytes_ = 0;
  Pulses pulses_;
  PulseWatch watch_;
};

// Sends and receives the messages of one call. Memory that it was given is not
// used any more after Finish(), or after its end.
class Exchange {
 public:
  // Takes the group's next number for `call`.
  Exchange(Group& group, const Call& call);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Sends the header to `to` and checks those of `from`: before any other
  // message of those pairs of ranks. Payloads may be sent in between.
  absl::Status SendHeader(int to);
  absl::Status CheckHeaders(const std::vector<int>& from);

  // A message from one rank to another has a step that none before it in this
  // call had; the receiver knows its size.
  absl::Status Send(int to, uint32_t step, const void* data, size_t size);
  absl::Status Receive(int from, uint32_t step, void* data, size_t size);
  // Begins the transport's own sum over all ranks, which it has.
  absl::Status Sum(Summand type, void* data, size_t count);
  // Waits until all messages so far are sent and received.
  absl::Status Finish();
  // Ends the call: without it the group fails.
  void Done() { done_ = true; }

 private:
  struct Pending {
    void* request;
    int peer;  // Or kAll.
  };
  static constexpr int kAll = -1;  // The other ranks, of a sum.

  uint32_t TagOf(uint32_t step) const;
  // Notes a request that began, or that it could not.
  absl::Status Started(int peer, const absl::StatusOr<void*>& request) {
    if (!request.ok()) return Failed(peer, request.status());
    pending_.push_back({*request, peer});
    return absl::OkStatus();
  }
  absl::Status Failed(int peer, const absl::Status& status);
  // Looks whether the ranks that are waited for live, every 50 ms.
  absl::Status Look(std::chrono::steady_clock::time_point now);
  absl::Status Late(const std::vector<int>& missing);
  std::vector<int> PeersOfPending() const;
  // Returns "rank 0 waited 60 s in call 41, ..., for rank 1 (...)".
  std::string WaitedFor(const std::vector<int>& peers,
                        std::chrono::milliseconds time) const;

  Group& group_;
  const std::unique_lock<std::mutex> lock_;
  const uint32_t sequence_;
  CallHeader header_;
  std::vector<Pending> pending_;
  std::chrono::steady_clock::time_point begun_, looked_;
  bool said_ = false;  // That it waits long.
  bool done_ = false;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_GROUP_H_
