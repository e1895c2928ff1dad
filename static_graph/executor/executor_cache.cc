// SPDX-License-Identifier: Apache-2.0
// The parts of Executor that last from run to run: specializations and their
// frames.
#include <algorithm>
#include <utility>

#include "static_graph/executor/executor_frame.h"
#include "static_graph/executor/specialize/specialize.h"

namespace switchyard::static_graph {
namespace {

// Signatures that are remembered, and idle frames of each.
constexpr size_t kMaxSpecializations = 64;
constexpr size_t kMaxIdleFrames = 16;

// The shape of a feed that programs are specialized for.
Shape ShapeOf(const RunValue& feed) {
  if (feed.other == nullptr) return feed.dense.shape();
  return ShapeFor(feed.other->kind(), feed.other->shape());
}

// Returns a number for the shapes; different ones seldom share it.
uint64_t NumberOf(absl::Span<const Shape> shapes) {
  uint64_t number = 0;
  for (const Shape& shape : shapes) {
    for (const Dim dim : shape.dims()) {
      number = (number ^ static_cast<uint64_t>(dim.number())) *
               uint64_t{0x9e3779b97f4a7c15};
      number ^= number >> 29;
    }
    ++number;
  }
  return number;
}

}  // namespace

ExecutorCounts Executor::counts() const {
  ExecutorCounts counts = late_->counts();
  const std::lock_guard<std::mutex> lock(mutex_);
  counts.specializations += counts_.specializations;
  counts.specializing.infer_metas += counts_.specializing.infer_metas;
  counts.specializing.resolutions += counts_.specializing.resolutions;
  counts.resized += counts_.resized;
  counts.frames += counts_.frames;
  counts.kept += static_cast<int64_t>(cache_.size() + singles_.size());
  return counts;
}

bool Executor::IsFor(absl::Span<const RunValue> feeds,
                     const Cached& cached) const {
  for (size_t i = 0; i < dynamic_feeds_.size(); ++i) {
    const RunValue& feed = feeds[dynamic_feeds_[i]];
    const bool same = feed.other == nullptr
                          ? cached.shapes[i] == feed.dense.shape()
                          : cached.shapes[i] == ShapeOf(feed);
    if (!same) return false;
  }
  return true;
}

std::unique_ptr<Executor::Frame> Executor::TakeLast(
    absl::Span<const RunValue> feeds) const {
  std::unique_ptr<Frame> frame(
      last_.exchange(nullptr, std::memory_order_acquire));
  if (frame == nullptr || IsFor(feeds, *frame->cached)) return frame;
  KeepIdle(std::move(frame));
  return nullptr;
}

void Executor::Keep(std::unique_ptr<Frame> frame) const {
  Frame* none = nullptr;
  if (last_.compare_exchange_strong(none, frame.get(),
                                    std::memory_order_release,
                                    std::memory_order_relaxed)) {
    frame.release();
    return;
  }
  KeepIdle(std::move(frame));
}

void Executor::KeepIdle(std::unique_ptr<Frame> frame) const {
  if (frame->cached->single) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (singles_.size() < singles_.capacity())
      singles_.push_back(std::move(frame));
    return;
  }
  const std::shared_ptr<Cached> cached = std::move(frame->cached);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cached->idle.size() < kMaxIdleFrames) {
      cached->idle.push_back(std::move(frame));
    }
  }
  frame.reset();  // Before its specialization.
}

std::shared_ptr<Executor::Cached> Executor::FindKept(
    absl::Span<const RunValue> feeds, std::unique_ptr<Frame>* idle) const {
  const auto found =
      std::find_if(cache_.begin(), cache_.end(),
                   [&](const auto& cached) { return IsFor(feeds, *cached); });
  if (found != cache_.end()) {
    std::rotate(cache_.begin(), found, found + 1);
    std::vector<std::unique_ptr<Frame>>& frames = cache_.front()->idle;
    if (!frames.empty()) {
      *idle = std::move(frames.back());
      frames.pop_back();
    }
    return cache_.front();
  }
  const auto single = std::find_if(
      singles_.begin(), singles_.end(),
      [&](const auto& frame) { return IsFor(feeds, *frame->cached); });
  if (single == singles_.end()) return nullptr;
  // These sizes come again: they are kept.
  *idle = std::move(*single);
  singles_.erase(single);
  std::shared_ptr<Cached> cached = std::move((*idle)->cached);
  (*idle)->resizer = nullptr;
  cached->single = false;
  cached->idle.reserve(kMaxIdleFrames);
  Insert(cached);
  return cached;
}

void Executor::Insert(std::shared_ptr<Cached> made) const {
  cache_.insert(cache_.begin(), std::move(made));
  if (cache_.size() > kMaxSpecializations) cache_.pop_back();
}

bool Executor::Resize(absl::Span<const Shape> shapes, Frame* frame) const {
  Cached& cached = *frame->cached;
  if (frame->resizer == nullptr) {
    frame->resizer = std::make_unique<Resizer>(plan_, plan_.body,
                                               cached.specialization.get());
  }
  Resizer& resizer = *frame->resizer;
  if (!Respecialize(plan_, shapes, &resizer) ||
      !frame->block->Resize(resizer.changed(), resizer.moved()).ok()) {
    return false;
  }
  cached.shapes.clear();
  for (int feed : dynamic_feeds_) cached.shapes.push_back(shapes[feed]);
  return true;
}

absl::StatusOr<std::shared_ptr<Executor::Cached>> Executor::Find(
    absl::Span<const RunValue> feeds, std::unique_ptr<Frame>* idle) const {
  absl::InlinedVector<Shape, 4> shapes;
  for (const RunValue& feed : feeds) shapes.push_back(ShapeOf(feed));
  std::unique_ptr<Frame> single;
  bool once = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (auto kept = FindKept(feeds, idle)) return kept;
    once = !recent_.Add(NumberOf(shapes)) && !cache_.empty();
    if (once && !singles_.empty()) {
      single = std::move(singles_.back());
      singles_.pop_back();
      ++counts_.resized;
    }
  }
  if (single != nullptr && Resize(shapes, single.get())) {
    *idle = std::move(single);
    return std::move((*idle)->cached);
  }
  // Two threads may do this at once; one result is kept.
  auto made = std::make_shared<Cached>();
  SpecializationCounts counts;
  SY_ASSIGN_OR_RETURN(made->specialization, Specialize(plan_, shapes, &counts));
  for (int feed : dynamic_feeds_) made->shapes.push_back(shapes[feed]);
  made->single = once && made->specialization->resizable;
  if (!made->single) {
    made->idle.reserve(kMaxIdleFrames);  // Run must not fail once it has run.
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (single != nullptr) --counts_.resized;
  if (!made->single) {
    if (auto kept = FindKept(feeds, idle)) return kept;
    Insert(made);
  }
  ++counts_.specializations;
  counts_.specializing.infer_metas += counts.infer_metas;
  counts_.specializing.resolutions += counts.resolutions;
  return made;
}

absl::StatusOr<std::unique_ptr<Executor::Frame>> Executor::MakeFrame(
    const Cached& cached) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.frames;
  }
  auto frame = std::make_unique<Frame>();
  SY_ASSIGN_OR_RETURN(frame->block,
                      BlockFrame::Make(*cached.specialization, plan_.constants,
                                       &frame->contexts));
  return frame;
}

}  // namespace switchyard::static_graph
