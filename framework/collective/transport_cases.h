// SPDX-License-Identifier: Apache-2.0
// For tests: what every transport between processes must do. A test links
// transport_cases.cc and defines MakeWorld(); the ranks are threads of it.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_CASES_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_CASES_H_

#include <memory>

#include "framework/collective/transport.h"

namespace switchyard::collective {

// The medium that connects the ranks of one group. A transport's test says how
// it is made.
class World {
 public:
  World() = default;
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  virtual const TransportInfo& transport() const = 0;
  // Returns the medium of a rank; it stays the world's.
  virtual void* MediumOf(int rank) = 0;
};

// Returns a world of `size` ranks, which no link has used yet.
std::unique_ptr<World> MakeWorld(int size);

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_TRANSPORT_CASES_H_
