// SPDX-License-Identifier: Apache-2.0
// The transport "gloo": messages of Gloo over TCP. The shared library that is
// linked with Gloo (_gloo.so, of gloo_link.cc) is opened at run time, so
// nothing else needs it, and a machine without it says which package is
// missing. Gloo's connections have no token: they are for networks of which
// all machines are trusted, as MPI's.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_TRANSPORT_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "framework/collective/transport.h"

namespace switchyard::collective {

// How the ranks of the transport find each other.
struct GlooMedium {
  // The address at which this rank listens.
  std::string host;
  // How long the ranks have to connect.
  std::chrono::milliseconds patience{60000};
  // Gives all ranks what `own` says of where this one listens; returns what
  // they say, by rank.
  std::function<absl::StatusOr<std::vector<std::string>>(
      const std::string& own)>
      exchange;
};

// The medium is a GlooMedium, which connect() alone uses.
extern const TransportInfo kGlooTransport;

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_TRANSPORT_H_
