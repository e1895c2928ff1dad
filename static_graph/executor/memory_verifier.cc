// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/memory_verifier.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/memory/concat_parts.h"

namespace switchyard::static_graph {
namespace {

constexpr int64_t kAlignment = 64;

// Which tensor, a root, the bytes of one block of memory were written for last.
class Owners {
 public:
  // Makes [begin, end) the bytes of `root`.
  void Set(int64_t begin, int64_t end, TensorId root) {
    if (begin == end) return;
    Cut(begin);
    Cut(end);
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
    pieces_.emplace(begin, Piece{end, root});
  }

  // Returns the first owner of bytes of [begin, end) that `is_own` denies:
  // kNoTensor if there is none, `nobody` for bytes that were never written.
  template <typename IsOwn>
  TensorId FindOther(int64_t begin, int64_t end, const IsOwn& is_own,
                     TensorId nobody) const {
    auto piece = pieces_.upper_bound(begin);
    if (piece != pieces_.begin()) --piece;
    for (; begin < end; ++piece) {
      if (piece == pieces_.end() || piece->first > begin ||
          piece->second.end <= begin) {
        return nobody;
      }
      if (!is_own(piece->second.root)) return piece->second.root;
      begin = piece->second.end;
    }
    return kNoTensor;
  }

 private:
  struct Piece {
    int64_t end;
    TensorId root;
  };

  // Makes two pieces of one that has `at` inside.
  void Cut(int64_t at) {
    auto piece = pieces_.lower_bound(at);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->second.end <= at) return;
    const Piece rest = piece->second;
    piece->second.end = at;
    pieces_.emplace(at, rest);
  }

  std::map<int64_t, Piece> pieces_;  // By their beginning; none overlap.
};

class MemoryVerifier {
 public:
  explicit MemoryVerifier(const ShapeSpecialization& made)
      : made_(made),
        owners_(made.memory.size()),
        versions_(made.tensors.size()),
        joined_(made.tensors.size()) {
    for (const TensorSlot& slot : made.tensors) {
      if (slot.whole == kNoTensor) continue;
      const TensorId whole = OutermostOf(made.tensors, slot.whole);
      if (made.tensors[whole].storage == TensorSlot::Storage::kFresh &&
          fresh_.emplace(whole, owners_.size()).second) {
        owners_.emplace_back();
      }
    }
  }

  absl::Status Run() {
    for (; step_ < made_.steps.size(); ++step_) {
      SY_RETURN_IF_ERROR(Verify(made_.steps[step_]));
    }
    for (TensorId result : made_.results) SY_RETURN_IF_ERROR(Reads(result));
    return absl::OkStatus();
  }

 private:
  // The concatenation that has the bytes of a part of it, as long as it is of
  // this version.
  struct Joined {
    TensorId whole = kNoTensor;
    int version = 0;
  };

  absl::Status Verify(const Step& step) {
    SY_RETURN_IF_ERROR(ReadsInputs(step));
    for (TensorId output : step.outputs) SY_RETURN_IF_ERROR(Writes(output));
    JoinParts(step);
    // Neither inputs nor outputs were written for another output.
    SY_RETURN_IF_ERROR(ReadsInputs(step));
    for (TensorId output : step.outputs) SY_RETURN_IF_ERROR(Reads(output));
    return absl::OkStatus();
  }

  // Notes which inputs of a concatenation have their bytes still, since they
  // lie where they go, until a step writes over the result.
  void JoinParts(const Step& step) {
    const auto offsets = PartOffsets(made_, step);
    if (!offsets.has_value()) return;
    const TensorSlot& out = made_.tensors[step.outputs[0]];
    for (size_t i = 0; i < offsets->size(); ++i) {
      const TensorSlot& input = made_.tensors[step.inputs[i]];
      const TensorSlot& root = made_.tensors[input.root];
      const TensorSlot& whole = made_.tensors[out.root];
      const int64_t begin = (*offsets)[i];
      const int64_t end =
          i + 1 < offsets->size() ? (*offsets)[i + 1] : whole.bytes;
      if (root.whole == out.root && input.meta.contiguous &&
          input.meta.offset == 0 && root.meta.place == whole.meta.place &&
          root.offset == whole.offset + begin && root.bytes == end - begin) {
        joined_[input.root] = {out.root, versions_[out.root]};
      }
    }
  }

  // Returns true if `owner` holds the bytes of `root`: it is `root` itself, a
  // concatenation that has `root` as a part, or one that has that as a part.
  bool HasBytesOf(TensorId owner, TensorId root) const {
    while (root != owner) {
      const Joined& joined = joined_[root];
      if (joined.whole == kNoTensor ||
          joined.version != versions_[joined.whole]) {
        return false;
      }
      root = joined.whole;
    }
    return true;
  }

  absl::Status ReadsInputs(const Step& step) const {
    for (TensorId input : step.inputs) SY_RETURN_IF_ERROR(Reads(input));
    for (const auto& captures : step.captures) {
      for (TensorId capture : captures) SY_RETURN_IF_ERROR(Reads(capture));
    }
    return absl::OkStatus();
  }

  // Returns the tensor with memory whose bytes `tensor` has, if that is planned
  // or of a whole that leaves the program; else null.
  const TensorSlot* Planned(TensorId tensor) const {
    if (tensor == kNoTensor) return nullptr;
    const TensorSlot& root = made_.tensors[made_.tensors[tensor].root];
    const bool planned =
        root.storage == TensorSlot::Storage::kPlanned ||
        fresh_.find(OutermostOf(made_.tensors, root.root)) != fresh_.end();
    return planned && root.bytes > 0 ? &root : nullptr;
  }

  // Returns in which block of memory a root lies, and how many bytes that has.
  std::pair<size_t, int64_t> BlockOf(const TensorSlot& root) const {
    const TensorId whole = OutermostOf(made_.tensors, root.root);
    const auto fresh = fresh_.find(whole);
    if (fresh != fresh_.end()) {
      return {fresh->second, made_.tensors[whole].bytes};
    }
    for (size_t block = 0; block < made_.memory.size(); ++block) {
      if (made_.memory[block].place == root.meta.place) {
        return {block, made_.memory[block].bytes};
      }
    }
    return {owners_.size(), 0};
  }

  absl::Status Writes(TensorId tensor) {
    const TensorSlot* const root = Planned(tensor);
    // A view writes nothing.
    if (root == nullptr ||
        made_.tensors[tensor].storage == TensorSlot::Storage::kView) {
      return absl::OkStatus();
    }
    const auto [block, bytes] = BlockOf(*root);
    if (block == owners_.size() || root->offset < 0 ||
        root->offset % kAlignment != 0 || root->bytes > bytes - root->offset) {
      return Problem(absl::StrCat("tensor ", root->root,
                                  " must lie in the memory of its place, at a "
                                  "multiple of 64 bytes, got ",
                                  root->bytes, " bytes at ", root->offset));
    }
    owners_[block].Set(root->offset, root->offset + root->bytes, root->root);
    ++versions_[root->root];
    return absl::OkStatus();
  }

  absl::Status Reads(TensorId tensor) const {
    const TensorSlot* const root = Planned(tensor);
    if (root == nullptr) return absl::OkStatus();
    const size_t block = BlockOf(*root).first;
    const auto nobody = static_cast<TensorId>(made_.tensors.size());
    const TensorId other =
        block == owners_.size()
            ? nobody
            : owners_[block].FindOther(
                  root->offset, root->offset + root->bytes,
                  [&](TensorId owner) { return HasBytesOf(owner, root->root); },
                  nobody);
    if (other == kNoTensor) return absl::OkStatus();
    return Problem(absl::StrCat(
        "tensor ", root->root, " must have its bytes while it is read, got ",
        other == nobody ? std::string("some that no step wrote")
                        : absl::StrCat("some of tensor ", other)));
  }

  absl::Status Problem(const std::string& text) const {
    const std::string where =
        step_ == made_.steps.size()
            ? std::string("results")
            : absl::StrCat("step ", step_, ", ",
                           made_.steps[step_].kernel == nullptr
                               ? "control flow"
                               : std::string(made_.steps[step_].kernel->op));
    return absl::InternalError(
        absl::StrCat("memory plan: ", where, ": ", text));
  }

  const ShapeSpecialization& made_;
  // As ShapeSpecialization::memory, then as fresh_ says.
  std::vector<Owners> owners_;
  // Wholes that leave the program, with their blocks.
  std::map<TensorId, size_t> fresh_;
  std::vector<int> versions_;   // By root: how often it was written.
  std::vector<Joined> joined_;  // By root.
  size_t step_ = 0;
};

}  // namespace

absl::Status VerifyMemory(const ShapeSpecialization& made) {
  return MemoryVerifier(made).Run();
}

}  // namespace switchyard::static_graph
