// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame_cache.h"

#include <algorithm>
#include <utility>

#include "static_graph/executor/specialize/specialize.h"

namespace switchyard::static_graph {
namespace {

// Signatures that are remembered, and idle frames of each.
constexpr size_t kMaxSpecializations = 64;
constexpr size_t kMaxIdleFrames = 16;
// Frames for sizes that come once: this many runs at a time need no more.
constexpr size_t kMaxSingles = 4;

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

FrameCache::FrameCache(const ProgramPlan* plan) : plan_(*plan) {
  singles_.reserve(kMaxSingles);
  for (size_t i = 0; i < plan_.feeds.size(); ++i) {
    if (plan_.feeds[i].meta.shape.known()) continue;
    dynamic_feeds_.push_back(static_cast<int>(i));
  }
}

FrameCache::~FrameCache() { delete last_.load(); }

void FrameCache::AddCounts(ExecutorCounts* counts) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  counts->specializations += counts_.specializations;
  counts->specializing.infer_metas += counts_.specializing.infer_metas;
  counts->specializing.resolutions += counts_.specializing.resolutions;
  counts->resized += counts_.resized;
  counts->frames += counts_.frames;
  counts->kept += static_cast<int64_t>(cache_.size() + singles_.size());
}

bool FrameCache::IsFor(absl::Span<const RunValue> feeds,
                       const RunSignature& signature) const {
  for (size_t i = 0; i < dynamic_feeds_.size(); ++i) {
    const RunValue& feed = feeds[dynamic_feeds_[i]];
    const bool same = feed.other == nullptr
                          ? signature.shapes[i] == feed.dense.shape()
                          : signature.shapes[i] == ShapeOf(feed);
    if (!same) return false;
  }
  return true;
}

std::unique_ptr<RunFrame> FrameCache::TakeLast(
    absl::Span<const RunValue> feeds) {
  std::unique_ptr<RunFrame> frame(
      last_.exchange(nullptr, std::memory_order_acquire));
  if (frame == nullptr || IsFor(feeds, *frame->signature)) return frame;
  KeepIdle(std::move(frame));
  return nullptr;
}

void FrameCache::Keep(std::unique_ptr<RunFrame> frame) {
  RunFrame* none = nullptr;
  if (last_.compare_exchange_strong(none, frame.get(),
                                    std::memory_order_release,
                                    std::memory_order_relaxed)) {
    frame.release();
    return;
  }
  KeepIdle(std::move(frame));
}

void FrameCache::KeepIdle(std::unique_ptr<RunFrame> frame) {
  if (frame->signature->single) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (singles_.size() < singles_.capacity())
      singles_.push_back(std::move(frame));
    return;
  }
  const std::shared_ptr<RunSignature> signature = std::move(frame->signature);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (signature->idle.size() < kMaxIdleFrames) {
      signature->idle.push_back(std::move(frame));
    }
  }
  frame.reset();  // Before its specialization.
}

std::shared_ptr<RunSignature> FrameCache::FindKept(
    absl::Span<const RunValue> feeds, std::unique_ptr<RunFrame>* idle) {
  const auto found = std::find_if(
      cache_.begin(), cache_.end(),
      [&](const auto& signature) { return IsFor(feeds, *signature); });
  if (found != cache_.end()) {
    std::rotate(cache_.begin(), found, found + 1);
    std::vector<std::unique_ptr<RunFrame>>& frames = cache_.front()->idle;
    if (!frames.empty()) {
      *idle = std::move(frames.back());
      frames.pop_back();
    }
    return cache_.front();
  }
  const auto single = std::find_if(
      singles_.begin(), singles_.end(),
      [&](const auto& frame) { return IsFor(feeds, *frame->signature); });
  if (single == singles_.end()) return nullptr;
  // These sizes come again: they are kept.
  *idle = std::move(*single);
  singles_.erase(single);
  std::shared_ptr<RunSignature> signature = std::move((*idle)->signature);
  (*idle)->resizer = nullptr;
  signature->single = false;
  signature->idle.reserve(kMaxIdleFrames);
  Insert(signature);
  return signature;
}

void FrameCache::Insert(std::shared_ptr<RunSignature> made) {
  cache_.insert(cache_.begin(), std::move(made));
  if (cache_.size() > kMaxSpecializations) cache_.pop_back();
}

bool FrameCache::Resize(absl::Span<const Shape> shapes, RunFrame* frame) const {
  RunSignature& signature = *frame->signature;
  if (frame->resizer == nullptr) {
    frame->resizer = std::make_unique<Resizer>(plan_, plan_.body,
                                               signature.specialization.get());
  }
  Resizer& resizer = *frame->resizer;
  if (!Respecialize(plan_, shapes, &resizer)) return false;
  frame->block->Relaunch(resizer.relaunched(), &frame->contexts);
  if (!frame->block->tensors()
           .Resize(resizer.changed(), resizer.moved())
           .ok()) {
    return false;
  }
  signature.shapes.clear();
  for (int feed : dynamic_feeds_) signature.shapes.push_back(shapes[feed]);
  return true;
}

absl::StatusOr<std::shared_ptr<RunSignature>> FrameCache::Find(
    absl::Span<const RunValue> feeds, std::unique_ptr<RunFrame>* idle) {
  absl::InlinedVector<Shape, 4> shapes;
  for (const RunValue& feed : feeds) shapes.push_back(ShapeOf(feed));
  std::unique_ptr<RunFrame> single;
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
    return std::move((*idle)->signature);
  }
  // Two threads may do this at once; one result is kept.
  auto made = std::make_shared<RunSignature>();
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

absl::StatusOr<std::unique_ptr<RunFrame>> FrameCache::MakeFrame(
    const RunSignature& signature) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++counts_.frames;
  }
  auto frame = std::make_unique<RunFrame>();
  SY_ASSIGN_OR_RETURN(
      frame->block, BlockFrame::Make(*signature.specialization, plan_.constants,
                                     &frame->contexts));
  return frame;
}

}  // namespace switchyard::static_graph
