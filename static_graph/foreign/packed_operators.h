// SPDX-License-Identifier: Apache-2.0
// PackedOperators: the operators of a program in a few bytes each, for readers
// of formats in which an operator is slow to read again.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_OPERATORS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "framework/base/hash_map.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// Operators one after the other, each at a place. Types and the names of slots
// and attributes are held once.
class PackedOperators {
 public:
  // Adds an operator, whose attributes are values of their own: none in the
  // file, none that refers to another. Returns its place.
  size_t Add(const ForeignOperator& op);

  // Reads the operator at a place that Add() returned.
  void Read(size_t place, ForeignOperator* op) const;
  std::string_view TypeAt(size_t place) const;

  // Returns about how many bytes they take.
  size_t held() const { return bytes_.capacity() + names_held_; }

 private:
  void PutName(std::string_view name);
  void PutAttr(const ForeignAttr& attr);
  void PutSlots(const ReusedList<ForeignSlot>& slots);

  std::string bytes_;
  std::deque<std::string> names_;
  HashMap<std::string_view, size_t> numbers_;  // Of names_.
  size_t names_held_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_OPERATORS_H_
