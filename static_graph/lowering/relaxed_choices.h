// SPDX-License-Identifier: Apache-2.0
// RelaxedChoices: what a program may compute otherwise than its operators one
// by one would, in one record. It is spelled alike in C++, in Python
// (`sy.load(path, relaxed=...)`), on command lines (`./sy run --relaxed`), in
// files and in what explain prints:
//
//   denormals=flush,fusion=relaxed
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_RELAXED_CHOICES_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_RELAXED_CHOICES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"

namespace switchyard::static_graph {

// Denormal numbers (below 1.2e-38 in float32): kept, or read and written as
// zero by kernels on the CPU. A sum of them takes some CPUs a hundred times as
// long as one of ordinary numbers. "keep", "flush".
enum class Denormals : uint8_t { kKeep, kFlush };

// The arithmetic of products: in the dtypes that the operators have; of
// convolutions between quantisers of 8 bits, in integers (the pass
// int8_fusion); or of float32, in bfloat16 with sums in float32 (the pass
// bfloat16_products), by a CPU that has it (arithmetic.h), or by any other,
// which converts to float32 and back. "exact", "int8", "bfloat16",
// "bfloat16_emulated".
enum class Precision : uint8_t { kExact, kInt8, kBfloat16, kBfloat16Emulated };

// Passes that keep the mathematics and round otherwise (docs/passes.md): left
// out, or run. "exact", "relaxed".
enum class Fusion : uint8_t { kExact, kRelaxed };

// The order of sums over parts of a batch: a tree that depends on no number of
// threads or processes. "tree".
enum class Reduction : uint8_t { kTree };

// Kernels whose bits depend on the number of threads: refused, or candidates
// like others. "refuse", "allow".
enum class ThreadVariant : uint8_t { kRefuse, kAllow };

// The choices of one program. The default is exact: every bit is that of the
// eager executor, operator by operator. A plain value; a saved program keeps
// it.
struct RelaxedChoices {
  Denormals denormals = Denormals::kKeep;
  Precision precision = Precision::kExact;
  Fusion fusion = Fusion::kExact;
  Reduction reduction = Reduction::kTree;
  ThreadVariant thread_variant = ThreadVariant::kRefuse;

  friend bool operator==(const RelaxedChoices& a, const RelaxedChoices& b) {
    return a.denormals == b.denormals && a.precision == b.precision &&
           a.fusion == b.fusion && a.reduction == b.reduction &&
           a.thread_variant == b.thread_variant;
  }
  friend bool operator!=(const RelaxedChoices& a, const RelaxedChoices& b) {
    return !(a == b);
  }
};

// Returns the name and the value of each choice, in the record's order.
std::vector<std::pair<std::string_view, std::string_view>> EntriesOf(
    const RelaxedChoices& choices);

// Returns the choices that are not exact, "denormals=flush,fusion=relaxed", or
// "exact".
std::string ToString(const RelaxedChoices& choices);

// Sets one choice, by name. ArgumentError("relaxed", ...), which lists what
// there is, for an unknown name or value; `choices` stays as it is then.
absl::Status SetChoice(std::string_view name, std::string_view value,
                       RelaxedChoices* choices);

// Changes `choices` as a text says, word by word: "exact" makes all of them
// exact, "NAME=VALUE" sets one. Others stay. Errors as SetChoice(); after one
// `choices` is as before.
absl::Status ApplyChoices(std::string_view text, RelaxedChoices* choices);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_RELAXED_CHOICES_H_
