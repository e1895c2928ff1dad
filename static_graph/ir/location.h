// SPDX-License-Identifier: Apache-2.0
// Location: where an operation comes from.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_
#define SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_

#include <memory>
#include <string>
#include <utility>

#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

// A line of a file, or an operation of an imported program: what a Location
// says, without its Context. A compiled program keeps it longer than that
// lives.
struct LocationSpec {
  // The file's path, or the imported program's name; null where nobody said.
  std::shared_ptr<const std::string> source;
  int first = 0;    // The line, or the block's index if there is a second.
  int second = -1;  // The operation's index in its block; -1: a line.

  explicit operator bool() const { return source != nullptr; }
};

// Where an operation comes from: the Python call that was traced, or its place
// in an imported program. A plain value, whose source its Context owns; null
// where nobody said. Made by Context::GetLocation.
//
// A pass that rewrites an operation gives what it makes the location of what it
// replaces: Builder::SetInsertionPoint does so.
class Location {
 public:
  constexpr Location() = default;

  constexpr explicit operator bool() const { return source_ != nullptr; }
  // Return what LocationSpec has, of a location that is not null.
  const std::string& source() const { return **source_; }
  int first() const { return first_; }
  int second() const { return second_; }
  // Returns what outlives the Context; null for a null location.
  LocationSpec spec() const {
    if (source_ == nullptr) return LocationSpec();
    return {*source_, first_, second_};
  }

  friend bool operator==(Location a, Location b) {
    return a.source_ == b.source_ && a.first_ == b.first_ &&
           a.second_ == b.second_;
  }
  friend bool operator!=(Location a, Location b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, Location location) {
    return H::combine(std::move(state), location.source_, location.first_,
                      location.second_);
  }

 private:
  friend class Context;
  using Source = std::shared_ptr<const std::string>;
  constexpr Location(const Source* source, int first, int second)
      : source_(source), first_(first), second_(second) {}

  const Source* source_ = nullptr;
  int first_ = 0;
  int second_ = -1;
};

// Returns "examples/digits/demo.py:12" or "operation 3 of block 0 of
// ocr.pdmodel", of what is not null.
std::string ToString(const LocationSpec& spec);

// Returns `status` with " (at <location>)" after its message; an OK status,
// one that has a location already, and any status for a null location stay.
absl::Status AtLocation(const absl::Status& status, const LocationSpec& spec);
inline absl::Status AtLocation(const absl::Status& status, Location location) {
  return status.ok() ? status : AtLocation(status, location.spec());
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_
