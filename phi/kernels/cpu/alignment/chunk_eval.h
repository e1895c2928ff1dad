// SPDX-License-Identifier: Apache-2.0
// chunk_eval on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CHUNK_EVAL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CHUNK_EVAL_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/chunk_eval.args.gen.h"
#include "phi/kernels/cpu/alignment/labels.h"

namespace switchyard::phi::kernels::cpu {

// A chunk: the elements [begin, end) of a sequence, all of one type.
struct Chunk {
  int64_t begin;
  int64_t end;
  int64_t type;

  friend bool operator==(const Chunk& a, const Chunk& b) {
    return a.begin == b.begin && a.end == b.end && a.type == b.type;
  }
};

// How labels say where chunks are: a label is type * tags + tag, where a tag is
// the part that the element is of a chunk. Labels of the type `other` are
// outside all chunks. The tag of a part that a scheme lacks is -1; the tag
// "inside" is any other.
struct ChunkScheme {
  int64_t tags;
  int64_t begin;
  int64_t end;
  int64_t single;
  int64_t other;

  ChunkScheme(std::string_view name, int64_t types) : other(types) {
    if (name == "IOB") {
      Set(2, 0, -1, -1);
    } else if (name == "IOE") {
      Set(2, -1, 1, -1);
    } else if (name == "IOBES") {
      Set(4, 0, 2, 3);
    } else {  // plain
      Set(1, -1, -1, -1);
    }
  }

  // Whether a chunk ends between two neighbours of a sequence.
  bool Ends(int64_t tag, int64_t type, int64_t next_tag,
            int64_t next_type) const {
    if (type == other) return false;
    if (next_type == other || next_type != type) return true;
    return next_tag == begin || next_tag == single || tag == end ||
           tag == single;
  }
  // Whether one begins at the second of them.
  bool Begins(int64_t tag, int64_t type, int64_t next_tag,
              int64_t next_type) const {
    if (next_type == other) return false;
    if (type == other || next_type != type) return true;
    return next_tag == begin || next_tag == single || tag == end ||
           tag == single;
  }

  std::vector<Chunk> Chunks(const int64_t* labels, int64_t length) const {
    std::vector<Chunk> chunks;
    bool open = false;
    int64_t first = 0, tag = -2, type = other;
    for (int64_t i = 0; i < length; ++i) {
      const int64_t next_tag = labels[i] % tags, next_type = labels[i] / tags;
      if (open && Ends(tag, type, next_tag, next_type)) {
        chunks.push_back({first, i, type});
        open = false;
      }
      if (Begins(tag, type, next_tag, next_type)) {
        first = i;
        open = true;
      }
      tag = next_tag;
      type = next_type;
    }
    if (open) chunks.push_back({first, length, type});
    return chunks;
  }

 private:
  void Set(int64_t all, int64_t first, int64_t last, int64_t only) {
    tags = all;
    begin = first;
    end = last;
    single = only;
  }
};

// precision, recall, f1_score: float32 [1]; num_infer_chunks, num_label_chunks,
// num_correct_chunks: int64 [1], of the chunks that are not of an excluded
// type.
template <typename T>
class ChunkEval {
 public:
  static absl::Status Run(const ChunkEvalArgs& args) {
    const int types = args.num_chunk_types;
    const auto name = args.chunk_scheme;
    const auto excluded = args.excluded_chunk_types;
    SY_ASSIGN_OR_RETURN(
        const std::vector<LabelRange> inferred,
        ReadRanges("inference", args.inference, "seq_length", args.seq_length));
    SY_ASSIGN_OR_RETURN(
        const std::vector<LabelRange> labelled,
        ReadRanges("label", args.label, "seq_length", args.seq_length));
    const ChunkScheme scheme(name, types);
    SY_RETURN_IF_ERROR(CheckLabels("inference", args.inference, scheme));
    SY_RETURN_IF_ERROR(CheckLabels("label", args.label, scheme));
    const bool same = std::equal(inferred.begin(), inferred.end(),
                                 labelled.begin(), labelled.end(),
                                 [](const LabelRange& a, const LabelRange& b) {
                                   return a.length == b.length;
                                 });
    if (!same) {
      return ArgumentError("label", "of the sequences of inference", "others");
    }
    const T* inference = args.inference.data<T>();
    const T* label = args.label.data<T>();
    const auto counts = [&excluded](const Chunk& chunk) {
      return std::find(excluded.begin(), excluded.end(), chunk.type) ==
             excluded.end();
    };
    int64_t found = 0, wanted = 0, correct = 0;
    for (size_t i = 0; i < inferred.size(); ++i) {
      const auto a =
          scheme.Chunks(inference + inferred[i].begin, inferred[i].length);
      const auto b =
          scheme.Chunks(label + labelled[i].begin, labelled[i].length);
      found += std::count_if(a.begin(), a.end(), counts);
      wanted += std::count_if(b.begin(), b.end(), counts);
      correct += std::count_if(a.begin(), a.end(), [&](const Chunk& chunk) {
        return counts(chunk) && std::find(b.begin(), b.end(), chunk) != b.end();
      });
    }
    const float precision = Share(correct, found),
                recall = Share(correct, wanted);
    Set(precision, args.precision);
    Set(recall, args.recall);
    Set(correct == 0 ? 0.0f : 2 * precision * recall / (precision + recall),
        args.f1_score);
    Set(found, args.num_infer_chunks);
    Set(wanted, args.num_label_chunks);
    Set(correct, args.num_correct_chunks);
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckLabels(std::string_view argument,
                                  const DenseTensor& labels,
                                  const ChunkScheme& scheme) {
    for (int64_t i = 0; i < labels.numel(); ++i) {
      const T value = labels.data<T>()[i];
      if (value >= 0 && value / scheme.tags <= scheme.other) continue;
      return RangeError(
          argument,
          "in [0, " + std::to_string((scheme.other + 1) * scheme.tags) + ")",
          std::to_string(value));
    }
    return absl::OkStatus();
  }

  static float Share(int64_t part, int64_t whole) {
    return whole == 0 ? 0.0f
                      : static_cast<float>(part) / static_cast<float>(whole);
  }

  template <typename Element>
  static void Set(Element value, DenseTensor* out) {
    *out->mutable_data<Element>() = value;
  }
};

template <typename S>
inline constexpr auto kChunkEvalSpec =
    KernelSpec<S>()
        .Input(S::kSeqLength, OneOf(kIndexDtypes))
        .Output(S::kPrecision, Fixed(DataType::kFloat32))
        .Output(S::kRecall, Fixed(DataType::kFloat32))
        .Output(S::kF1Score, Fixed(DataType::kFloat32));
template <typename T>
absl::Status ChunkEvalKernel(const CpuContext&, const ChunkEvalArgs& args) {
  return ChunkEval<T>::Run(args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ALIGNMENT_CHUNK_EVAL_H_
