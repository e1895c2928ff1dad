// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/pulse.h"

#include <algorithm>
#include <utility>

namespace switchyard::collective {
namespace {

using std::chrono::milliseconds;

// The tags of calls and notes are others.
constexpr uint32_t kQuestionTag = kTagLimit - 2;
constexpr uint32_t kAnswerTag = kTagLimit - 3;
constexpr milliseconds kShortestPeriod{5}, kLongestPeriod{1000};

}  // namespace

absl::Status Pulses::Receive(int peer, uint32_t tag, Message& message) {
  SY_ASSIGN_OR_RETURN(message.request,
                      transport_.irecv(link_, peer, tag, &message.byte, 1));
  return absl::OkStatus();
}

void Pulses::Send(int peer, uint32_t tag, Message& message) {
  const auto request = transport_.isend(link_, peer, tag, &message.byte, 1);
  if (request.ok()) message.request = *request;
}

bool Pulses::IsDone(Message& message) {
  if (message.request == nullptr) return false;
  const absl::StatusOr<bool> done = transport_.test(link_, message.request);
  if (done.ok() && !*done) return false;
  message.request = nullptr;
  return done.ok();
}

absl::Status Pulses::Listen(int peer) {
  return Receive(peer, kQuestionTag, peers_[peer].heard_question);
}

void Pulses::Ask(int number) {
  Peer& peer = peers_[number];
  if (peer.question.request != nullptr ||
      peer.heard_answer.request != nullptr) {
    return;
  }
  // An error shows itself in the call that waits.
  if (Receive(number, kAnswerTag, peer.heard_answer).ok()) {
    Send(number, kQuestionTag, peer.question);
  }
}

void Pulses::Answer() {
  for (size_t i = 0; i < peers_.size(); ++i) {
    const int number = static_cast<int>(i);
    Peer& peer = peers_[i];
    IsDone(peer.question);
    IsDone(peer.answer);
    if (IsDone(peer.heard_answer)) peer.last_sign = Clock::now();
    // The next question comes after the answer to this one.
    if (peer.answer.request == nullptr && IsDone(peer.heard_question) &&
        Listen(number).ok()) {
      Send(number, kAnswerTag, peer.answer);
    }
  }
}

void Pulses::Cancel() {
  for (Peer& peer : peers_) {
    for (Message* each : {&peer.question, &peer.heard_question, &peer.answer,
                          &peer.heard_answer}) {
      if (each->request != nullptr) transport_.cancel(link_, each->request);
      each->request = nullptr;
    }
  }
}

void PulseWatch::Start(milliseconds deadline, std::function<void()> look) {
  const milliseconds period =
      std::min(std::max(deadline / 8, kShortestPeriod), kLongestPeriod);
  thread_ = std::thread([this, period, look = std::move(look)] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stop_.wait_for(lock, period, [this] { return stops_; })) look();
  });
}

void PulseWatch::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace switchyard::collective
