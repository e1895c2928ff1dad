// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of chunk_eval on the CPU.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/chunk_eval.gen.h"
#include "phi/fluid/alignment/labels.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/chunk_eval.gen.h"

namespace switchyard::phi {
namespace fluid {

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

// Precision, Recall, F1-Score: float32 [1]; NumInferChunks, NumLabelChunks,
// NumCorrectChunks: int64 [1], of the chunks that are not of an excluded type.
template <typename T>
class ChunkEvalCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int types, context.Attr<int>("num_chunk_types"));
    SY_ASSIGN_OR_RETURN(const auto name,
                        context.Attr<std::string_view>("chunk_scheme"));
    SY_ASSIGN_OR_RETURN(
        const auto excluded,
        context.Attr<absl::Span<const int64_t>>("excluded_chunk_types"));
    SY_ASSIGN_OR_RETURN(const std::vector<Range> inferred,
                        ReadRanges(context, "Inference", "SeqLength"));
    SY_ASSIGN_OR_RETURN(const std::vector<Range> labelled,
                        ReadRanges(context, "Label", "SeqLength"));
    const ChunkScheme scheme(name, types);
    SY_RETURN_IF_ERROR(CheckLabels(context, "Inference", scheme));
    SY_RETURN_IF_ERROR(CheckLabels(context, "Label", scheme));
    const bool same = std::equal(
        inferred.begin(), inferred.end(), labelled.begin(), labelled.end(),
        [](const Range& a, const Range& b) { return a.length == b.length; });
    if (!same) {
      return ArgumentError("label", "of the sequences of inference", "others");
    }
    const T* inference = context.Input("Inference")->data<T>();
    const T* label = context.Input("Label")->data<T>();
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
    Set("Precision", precision, context);
    Set("Recall", recall, context);
    Set("F1-Score",
        correct == 0 ? 0.0f : 2 * precision * recall / (precision + recall),
        context);
    Set("NumInferChunks", found, context);
    Set("NumLabelChunks", wanted, context);
    Set("NumCorrectChunks", correct, context);
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckLabels(const ExecutionContext& context,
                                  std::string_view slot,
                                  const ChunkScheme& scheme) {
    const DenseTensor& labels = *context.Input(slot);
    for (int64_t i = 0; i < labels.numel(); ++i) {
      const T value = labels.data<T>()[i];
      if (value >= 0 && value / scheme.tags <= scheme.other) continue;
      return RangeError(
          context.ArgumentName(slot),
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
  static void Set(std::string_view slot, Element value,
                  const ExecutionContext& context) {
    *context.Output(slot)->mutable_data<Element>() = value;
  }
};

}  // namespace fluid

constexpr auto kChunkEvalSpec =
    KernelSpec<ChunkEvalSignature>()
        .Input(ChunkEvalSignature::kSeqLength, OneOf(kIndexDtypes))
        .Output(ChunkEvalSignature::kPrecision,
                fluid::KernelTypeOf(DataType::kFloat32))
        .Output(ChunkEvalSignature::kRecall,
                fluid::KernelTypeOf(DataType::kFloat32))
        .Output(ChunkEvalSignature::kF1Score,
                fluid::KernelTypeOf(DataType::kFloat32));
SY_REGISTER_FLUID_KERNEL(chunk_eval, cpu, fluid::ChunkEvalCpuKernel,
                         legacy_chunk_eval, kChunkEvalSpec, int64);

}  // namespace switchyard::phi
