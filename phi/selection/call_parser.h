// SPDX-License-Identifier: Apache-2.0
// ParseCall: a call described by words, for the explain tool and for tests that
// are tables of text:
//   x=float32[8, 1000]        a tensor; "?" is an unknown extent, "s0" one that
//                             equals each other "s0"
//   x=float32[8, ?] strided   not contiguous, or (where an extent is unknown)
//                             not known to be; nothing more is known
//   x=float32[2, 8] strides [1, 2]
//   x=float32[2] on gpu:0     elsewhere than the call
//   x=selected_rows float32[9, 2]
//   axis=1  shape=[2, 3]  mode="nearest"  dtype=float64   attributes
//   shape=[2, ?]              an attribute that tensors supply, of which an
//                             element is not known before the call runs
// A list argument is named once per tensor. How a real call becomes a Query:
// phi/dispatch/call.h.
#ifndef SWITCHYARD_PHI_SELECTION_CALL_PARSER_H_
#define SWITCHYARD_PHI_SELECTION_CALL_PARSER_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/types/attribute.h"
#include "phi/core/arg_buffer.h"
#include "phi/selection/query.h"

namespace switchyard::phi::selection {

// Holds a call that was described by words. Owns what its query borrows; a move
// invalidates the query.
class ParsedCall {
 public:
  ParsedCall(ParsedCall&&) = default;
  ParsedCall& operator=(ParsedCall&&) = default;

  // Returns the tensors of all inputs; null where one is absent.
  InputMetas tensors() const { return tensors_.view(); }
  // Returns the inputs that are present, in order. The caller may promote
  // dtypes.
  std::deque<TensorMeta>& metas() { return metas_; }
  absl::Span<const AttrRef> attrs() const { return attrs_; }
  // Returns the strides by slot; nullopt where they are not known: an unknown
  // extent, or "strided" alone.
  const std::vector<std::optional<Strides>>& strides() const {
    return strides_;
  }

  // Returns the query, with key dtype and place by the operator's rules, whose
  // errors it returns.
  absl::StatusOr<Query> MakeQuery(Place place) const;

 private:
  friend absl::StatusOr<ParsedCall> ParseCall(
      const OpInfo& op, absl::Span<const std::string> inputs,
      absl::Span<const std::string> attrs, Place place);

  ParsedCall() = default;

  const OpInfo* op_ = nullptr;
  std::deque<TensorMeta> metas_;
  ArgBuffer<const TensorMeta*> tensors_;  // In metas_.
  std::vector<std::optional<Strides>> strides_;
  std::vector<Attribute> values_;
  // Indexed by attribute: the elements of one that is not known.
  std::vector<std::vector<AttrValue>> open_;
  std::vector<AttrRef> attrs_;
};

// Parses words as above; tensors without a place are on `place`. Returns an
// ArgumentError that names the argument if `op` does not have it, if it has
// another type, or if it is missing and is neither optional nor has a default.
absl::StatusOr<ParsedCall> ParseCall(const OpInfo& op,
                                     absl::Span<const std::string> inputs,
                                     absl::Span<const std::string> attrs,
                                     Place place);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CALL_PARSER_H_
