// SPDX-License-Identifier: Apache-2.0
// Location: where an operation comes from.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_
#define SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_

#include <memory>
#include <string>
#include <utility>

#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

// The description that a Location is made from: a line of a file, or an
// operation of an imported program. Shared, so that a compiled program may keep
// it longer than its Context lives.
struct LocationSpec : std::enable_shared_from_this<LocationSpec> {
  LocationSpec(std::string source, int first, int second)
      : source(std::move(source)), first(first), second(second) {}

  std::string source;  // The file's path, or the imported program's name.
  int first = 0;       // The line, or the block's index if there is a second.
  int second = -1;     // The operation's index in its block; -1: a line.
};

// Where an operation comes from: the Python call that was traced, or its place
// in an imported program. A pointer to what its Context owns and uniques,
// copied freely; null where nobody said. Made by Context::GetLocation.
//
// A pass that rewrites an operation gives what it makes the location of what it
// replaces: Builder::SetInsertionPoint does so.
class Location {
 public:
  constexpr Location() = default;

  constexpr explicit operator bool() const { return spec_ != nullptr; }
  const LocationSpec& spec() const { return *spec_; }
  // Returns what outlives the Context; null for a null location.
  std::shared_ptr<const LocationSpec> share() const {
    return spec_ == nullptr ? nullptr : spec_->shared_from_this();
  }

  friend bool operator==(Location a, Location b) { return a.spec_ == b.spec_; }
  friend bool operator!=(Location a, Location b) { return !(a == b); }

 private:
  friend class Context;
  constexpr explicit Location(const LocationSpec* spec) : spec_(spec) {}
  const LocationSpec* spec_ = nullptr;
};

// Returns "examples/digits/demo.py:12" or "operation 3 of block 0 of
// ocr.pdmodel".
std::string ToString(const LocationSpec& spec);

// Returns `status` with " (at <location>)" behind its message; an OK status,
// one that has a location already, and any status for a null location stay.
absl::Status AtLocation(const absl::Status& status, const LocationSpec* spec);
inline absl::Status AtLocation(const absl::Status& status, Location location) {
  return AtLocation(status, location ? &location.spec() : nullptr);
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_LOCATION_H_
