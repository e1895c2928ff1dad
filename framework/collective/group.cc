// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/group.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchyard::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// Notes have a tag of their own, which no call has.
constexpr uint32_t kNoteTag = kTagLimit - 1;
// How long a rank waits to learn a call that differs from its own.
constexpr milliseconds kPatience{2000};
// How often a call that waits looks whether the others live.
constexpr milliseconds kLook{50};
// Spins so long before it sleeps, and sleeps so long at most.
constexpr microseconds kSpin{20};
constexpr int kFirstPause = 50, kLongestPause = 1000;
constexpr size_t kRemembered = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<Group>> Group::Make(
    const TransportInfo& transport, const LinkOptions& link,
    GroupOptions options) {
  SY_ASSIGN_OR_RETURN(void* const handle, transport.connect(link));
  options.members.resize(link.size);
  std::unique_ptr<Group> group(
      new Group(transport, link, handle, std::move(options)));
  for (int peer = 0; peer < link.size; ++peer) {
    if (peer == link.rank) continue;
    SY_RETURN_IF_ERROR(group->Listen(peer));
    SY_RETURN_IF_ERROR(group->pulses_.Listen(peer));
  }
  // In virtual time none is late.
  if (link.size > 1 && transport.moves_data) {
    Group* const self = group.get();
    self->watch_.Start(self->options_.deadline, [self] {
      const std::unique_lock<std::mutex> free(self->link_mutex_,
                                              std::try_to_lock);
      // A call that waits answers by itself.
      if (free.owns_lock()) self->pulses_.Answer();
    });
  }
  return group;
}

Group::Group(const TransportInfo& transport, const LinkOptions& link,
             void* handle, GroupOptions options)
    : transport_(transport),
      link_(handle),
      rank_(link.rank),
      size_(link.size),
      options_(std::move(options)),
      peers_(link.size),
      pulses_(transport, handle, link.size) {}

Group::~Group() {
  watch_.Stop();
  pulses_.Cancel();
  for (Peer& peer : peers_) {
    if (peer.listening != nullptr) transport_.cancel(link_, peer.listening);
  }
  transport_.close(link_, !status_.ok());
}

absl::Status Group::Listen(int peer) {
  SY_ASSIGN_OR_RETURN(peers_[peer].listening,
                      transport_.irecv(link_, peer, kNoteTag,
                                       &peers_[peer].heard, sizeof(Note)));
  return absl::OkStatus();
}

absl::Status Group::Hear() {
  for (int peer = 0; peer < size_; ++peer) {
    SY_RETURN_IF_ERROR(HearFrom(peer));
  }
  return absl::OkStatus();
}

absl::Status Group::HearFrom(int number) {
  Peer& peer = peers_[number];
  while (peer.listening != nullptr) {
    const absl::StatusOr<bool> came = transport_.test(link_, peer.listening);
    if (!came.ok()) {
      // It may leave before us; a call that needs it says so.
      peer.listening = nullptr;
      peer.gone = true;
      return absl::OkStatus();
    }
    if (!*came) return absl::OkStatus();
    peer.listening = nullptr;
    Note note = peer.heard;
    note.text[sizeof(note.text) - 1] = '\0';
    if (const absl::Status listens = Listen(number); !listens.ok()) {
      peer.gone = true;
    }
    SY_RETURN_IF_ERROR(HearNote(number, note));
  }
  return absl::OkStatus();
}

absl::Status Group::HearNote(int peer, const Note& note) {
  switch (note.word) {
    case Word::kFault:
      if (!status_.ok()) return absl::OkStatus();
      status_ = absl::AbortedError(note.text);
      return status_;
    case Word::kAnswer:
      peers_[peer].answer = note.text;
      return absl::OkStatus();
    case Word::kAsk:
      peers_[peer].answer = note.text;
      Tell(peer, Word::kAnswer, note.sequence, TextOfCall(note.sequence));
      if (!status_.ok()) return absl::OkStatus();
      return Fail(DifferenceOf(peer, note.sequence, note.text));
  }
  return absl::OkStatus();
}

void Group::Tell(int peer, Word word, uint32_t sequence,
                 const std::string& text, milliseconds patience) {
  Note note = {word, sequence, {}};
  std::memcpy(note.text, text.data(),
              std::min(text.size(), sizeof(note.text) - 1));
  const auto sent =
      transport_.isend(link_, peer, kNoteTag, &note, sizeof(note));
  if (!sent.ok()) return;
  const Clock::time_point begun = Clock::now();
  pause_ = 0;
  while (true) {
    const auto done = transport_.test(link_, *sent);
    if (!done.ok() || *done) return;
    if (Clock::now() - begun > patience) break;
    Idle(begun);
  }
  transport_.cancel(link_, *sent);
}

absl::Status Group::Fail(const absl::Status& status, milliseconds patience) {
  if (!status_.ok()) return status_;
  status_ = status;
  for (int peer = 0; peer < size_; ++peer) {
    if (peer == rank_ || peers_[peer].gone) continue;
    Tell(peer, Word::kFault, sequence_, std::string(status.message()),
         patience);
  }
  return status_;
}

absl::Status Group::Differ(int peer, const CallHeader& theirs) {
  peers_[peer].answer.clear();
  const std::string ours = TextOfCall(theirs.sequence);
  Tell(peer, Word::kAsk, theirs.sequence, ours);
  const Clock::time_point asked = Clock::now();
  pause_ = 0;
  // The other rank may have failed by this difference already.
  while (peers_[peer].answer.empty() && !peers_[peer].gone &&
         Clock::now() - asked < kPatience) {
    if (!Hear().ok() && peers_[peer].answer.empty()) return status_;
    if (!status_.ok()) return status_;
    Idle(asked);
  }
  const std::string& answer = peers_[peer].answer;
  return Fail(
      DifferenceOf(peer, theirs.sequence,
                   answer.empty() ? theirs.Described().ToString() : answer));
}

absl::Status Group::DifferenceOf(int peer, uint32_t sequence,
                                 const std::string& theirs) const {
  const std::string ours = TextOfCall(sequence);
  const bool first = rank_ < peer;
  return absl::AbortedError(absl::StrCat(
      "ranks make different collective calls: as call ", sequence, ", ",
      NameOf(std::min(rank_, peer)), " makes ", first ? ours : theirs, " and ",
      NameOf(std::max(rank_, peer)), " makes ", first ? theirs : ours));
}

std::string Group::TextOfCall(uint32_t sequence) const {
  for (const PastCall& past : past_) {
    if (past.sequence == sequence) return past.call.ToString();
  }
  return "none";
}

std::string Group::NameOf(int rank) const {
  const Member& member = options_.members[rank];
  if (member.host.empty()) return absl::StrCat("rank ", rank);
  return absl::StrCat("rank ", rank, " (host ", member.host, ", process ",
                      member.process, ")");
}

void Group::Idle(Clock::time_point since) {
  if (Clock::now() - since < kSpin) return;
  pause_ = std::min(std::max(2 * pause_, kFirstPause), kLongestPause);
  if (transport_.wait != nullptr) {
    transport_.wait(link_, pause_);
  } else {
    std::this_thread::sleep_for(microseconds(pause_));
  }
}

Exchange::Exchange(Group& group, const Call& call)
    : group_(group),
      lock_(group.link_mutex_),
      sequence_(group.sequence_++),
      begun_(Clock::now()),
      looked_(begun_) {
  header_ = MakeHeader(call, sequence_);
  group.past_.push_back({sequence_, call});
  if (group.past_.size() > kRemembered) group.past_.pop_front();
}

Exchange::~Exchange() {
  for (const Pending& each : pending_) {
    group_.transport_.cancel(group_.link_, each.request);
  }
  if (!done_ && group_.status_.ok()) {
    group_.status_ = absl::AbortedError("a collective call was not finished");
  }
}

uint32_t Exchange::TagOf(uint32_t step) const {
  return (sequence_ % (1u << 19)) << 11 | step;
}

absl::Status Exchange::SendHeader(int to) {
  return Send(to, 0, &header_, sizeof(header_));
}

absl::Status Exchange::CheckHeaders(const std::vector<int>& from) {
  std::vector<CallHeader> theirs(from.size());
  std::vector<Pending> payloads;
  payloads.swap(pending_);  // Those go on, and end in Finish().
  absl::Status status;
  for (size_t i = 0; i < from.size() && status.ok(); ++i) {
    status = Receive(from[i], 0, &theirs[i], sizeof(CallHeader));
  }
  if (status.ok()) status = Finish();
  for (const Pending& each : pending_) {  // After an error.
    group_.transport_.cancel(group_.link_, each.request);
  }
  pending_ = std::move(payloads);
  SY_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < from.size(); ++i) {
    group_.peers_[from[i]].last_call = theirs[i].sequence + 1;
    if (!header_.Matches(theirs[i])) return group_.Differ(from[i], theirs[i]);
  }
  return absl::OkStatus();
}

absl::Status Exchange::Send(int to, uint32_t step, const void* data,
                            size_t size) {
  SY_RETURN_IF_ERROR(group_.status_);
  return Started(
      to, group_.transport_.isend(group_.link_, to, TagOf(step), data, size));
}

absl::Status Exchange::Receive(int from, uint32_t step, void* data,
                               size_t size) {
  SY_RETURN_IF_ERROR(group_.status_);
  return Started(from, group_.transport_.irecv(group_.link_, from, TagOf(step),
                                               data, size));
}

absl::Status Exchange::Sum(Summand type, void* data, size_t count) {
  SY_RETURN_IF_ERROR(group_.status_);
  return Started(kAll, group_.transport_.isum(group_.link_, type, data, count));
}

absl::Status Exchange::Finish() {
  Clock::time_point moved = Clock::now();
  group_.pause_ = 0;
  while (true) {
    const size_t before = pending_.size();
    for (size_t i = 0; i < pending_.size();) {
      const auto done =
          group_.transport_.test(group_.link_, pending_[i].request);
      if (done.ok() && !*done) {
        ++i;
        continue;
      }
      const int peer = pending_[i].peer;
      pending_[i] = pending_.back();
      pending_.pop_back();
      if (!done.ok()) return Failed(peer, done.status());
    }
    if (pending_.empty()) return absl::OkStatus();
    const Clock::time_point now = Clock::now();
    if (pending_.size() < before) {
      moved = now;
      group_.pause_ = 0;
    }
    if (now - moved >= kSpin) SY_RETURN_IF_ERROR(group_.Hear());
    if (now - looked_ > kLook) SY_RETURN_IF_ERROR(Look(now));
    group_.Idle(moved);
  }
}

absl::Status Exchange::Look(Clock::time_point now) {
  looked_ = now;
  const milliseconds deadline = group_.options_.deadline;
  group_.pulses_.Answer();
  const std::vector<int> peers = PeersOfPending();
  std::vector<int> missing;
  for (const int peer : peers) {
    const Clock::time_point alive =
        std::max(begun_, group_.pulses_.LastSign(peer));
    if (now - alive > deadline / 4) group_.pulses_.Ask(peer);
    if (now - alive > deadline) missing.push_back(peer);
  }
  if (!missing.empty()) return Late(missing);
  if (!said_ && now - begun_ > deadline) {
    said_ = true;
    if (group_.options_.on_long_wait) {
      group_.options_.on_long_wait(WaitedFor(peers, deadline) +
                                   ", still alive, and goes on waiting");
    }
  }
  if (!group_.options_.while_waiting) return absl::OkStatus();
  const absl::Status goes_on = group_.options_.while_waiting();
  if (goes_on.ok()) return goes_on;
  if (absl::IsCancelled(goes_on)) return group_.Fail(goes_on, kLook);
  return group_.Fail(absl::AbortedError(absl::StrCat(
      group_.NameOf(group_.rank_), " ", std::string(goes_on.message()),
      " in call ", sequence_, ", ", group_.TextOfCall(sequence_))));
}

absl::Status Exchange::Failed(int peer, const absl::Status& status) {
  // A rank that fails tells why before it leaves.
  SY_RETURN_IF_ERROR(group_.Hear());
  SY_RETURN_IF_ERROR(group_.status_);
  if (peer == kAll) {  // Who else is gone has broken the sum.
    peer = 0;
    while (peer < group_.size_ && !group_.peers_[peer].gone) ++peer;
    if (peer == group_.size_) peer = group_.rank_;
  }
  const bool own = absl::IsAborted(status);
  if (!own && !absl::IsInternal(status)) group_.peers_[peer].gone = true;
  const uint32_t last = group_.peers_[peer].last_call;
  return group_.Fail(absl::AbortedError(absl::StrCat(
      group_.NameOf(own ? group_.rank_ : peer), " ",
      std::string(status.message()), " while ", group_.NameOf(group_.rank_),
      " was in call ", sequence_, ", ", group_.TextOfCall(sequence_),
      last == 0 ? "" : absl::StrCat("; its last call was ", last - 1))));
}

std::vector<int> Exchange::PeersOfPending() const {
  std::vector<int> peers;
  for (int peer = 0; peer < group_.size_; ++peer) {
    const auto is_of = [&](const Pending& each) {
      return each.peer == peer || (each.peer == kAll && peer != group_.rank_);
    };
    if (std::any_of(pending_.begin(), pending_.end(), is_of)) {
      peers.push_back(peer);
    }
  }
  return peers;
}

std::string Exchange::WaitedFor(const std::vector<int>& peers,
                                milliseconds time) const {
  std::string names;
  for (const int peer : peers) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", group_.NameOf(peer));
    if (const uint32_t last = group_.peers_[peer].last_call; last > 0) {
      absl::StrAppend(&names, ", whose last call was ", last - 1);
    }
  }
  return absl::StrCat(group_.NameOf(group_.rank_), " waited ",
                      static_cast<double>(time.count()) / 1000, " s in call ",
                      sequence_, ", ", group_.TextOfCall(sequence_), ", for ",
                      names);
}

absl::Status Exchange::Late(const std::vector<int>& missing) {
  const milliseconds deadline = group_.options_.deadline;
  const bool answered = std::any_of(
      missing.begin(), missing.end(),
      [&](int peer) { return group_.pulses_.LastSign(peer) > begun_; });
  if (!answered) {
    return group_.Fail(absl::AbortedError(WaitedFor(missing, deadline)));
  }
  const auto waited =
      std::chrono::duration_cast<milliseconds>(Clock::now() - begun_);
  return group_.Fail(absl::AbortedError(
      absl::StrCat(WaitedFor(missing, waited), ", without an answer for ",
                   static_cast<double>(deadline.count()) / 1000, " s")));
}

}  // namespace switchyard::collective
