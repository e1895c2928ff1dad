// SPDX-License-Identifier: Apache-2.0
// DispatchCacheKey: what identifies a call for phi/dispatch/dispatch_cache.h.
#ifndef SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_KEY_H_
#define SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_KEY_H_

#include <cstddef>
#include <cstdint>

#include "framework/tensor/tensor_base.h"
#include "framework/types/attribute.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"
#include "phi/dispatch/environment.h"

namespace switchyard::phi::dispatch {

// The arguments of a call. Borrows all of them.
struct CallArguments {
  const OpInfo* op;
  const OpKernels* op_kernels;
  const Environment* environment;
  TensorArgs args;
};

// Holds everything that InferMeta and selection are given in one call, as a
// list of integers: operator, its kernels, policy; of every tensor dtype, kind,
// layout, place, levels of detail, contiguity, shape and whether it has data;
// which argument each belongs to; the attributes' values; which outputs are
// wanted. Two calls with equal keys get the same kernel and the same metadata.
// Keys are compared integer by integer. A plain value, without pointers into
// the tensors of the call.
class DispatchCacheKey {
 public:
  // Enough for a concat of eight images, or a pool2d.
  static constexpr size_t kMaxWords = 64;

  // Makes a key that belongs to no call: complete() is false.
  DispatchCacheKey() = default;
  explicit DispatchCacheKey(const CallArguments& call);

  // False for calls that have no key: those with outputs that are not dense as
  // they are handed over or have data already (they may be written in place),
  // and those that would take more than kMaxWords.
  bool complete() const { return size_ != 0; }
  const OpInfo* op() const { return op_; }

  // Returns a hash of the operator and the integers.
  uint64_t Hash() const {
    uint64_t hash = reinterpret_cast<uintptr_t>(op_);
#pragma GCC unroll 4
    for (size_t i = 0; i < size_; ++i) {
      hash = (hash << 11 | hash >> 53) ^ words_[i];
    }
    return hash * 0x9e3779b97f4a7c15 >> 32;
  }

  // Compares two keys, of which one at least is complete.
  friend bool operator==(const DispatchCacheKey& a, const DispatchCacheKey& b) {
    return a.op_ == b.op_ && a.op_kernels_ == b.op_kernels_ &&
           a.size_ == b.size_ && a.HasSameWords(b) && a.epoch_ == b.epoch_ &&
           a.default_place_ == b.default_place_ && a.policy_ == b.policy_;
  }

 private:
  bool HasSameWords(const DispatchCacheKey& other) const {
#pragma GCC unroll 4
    for (size_t i = 0; i < size_; ++i) {
      if (words_[i] != other.words_[i]) return false;
    }
    return true;
  }
  // Words beyond kMaxWords are counted, not kept.
  void Add(uint64_t word) {
    if (size_ < kMaxWords) words_[size_] = word;
    ++size_;
  }
  void AddSegments(const ArgSegments& segments);
  bool AddInputs(absl::Span<const TensorBase* const> inputs);
  bool AddOutputs(absl::Span<TensorBase* const> outputs);
  void AddAttr(const AttrRef& attr);
  void AddScalar(const Scalar& scalar);
  void AddOther(const AttrRef& attr);
  template <typename T>
  void AddElements(AttrType type, absl::Span<const T> values);
  void AddList(AttrType type, const void* data, size_t count, size_t size);

  const OpInfo* op_ = nullptr;
  const OpKernels* op_kernels_ = nullptr;
  uint32_t epoch_ = 0;
  Place default_place_;
  selection::Policy policy_;
  size_t size_ = 0;
  uint64_t words_[kMaxWords];  // The first size_ are set.
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_KEY_H_
