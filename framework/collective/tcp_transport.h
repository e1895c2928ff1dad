// SPDX-License-Identifier: Apache-2.0
// The transport "tcp": a connected stream socket between each two ranks. It
// needs no library. The sockets are connected before
// (python/switchyard/distributed/rendezvous.py): no address is looked up here.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_TCP_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_TCP_TRANSPORT_H_

#include <vector>

#include "framework/collective/transport.h"

namespace switchyard::collective {

// The medium is a std::vector<int>: file descriptors by rank, -1 for the own.
// They become the link's, also if connect() fails.
extern const TransportInfo kTcpTransport;

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_TCP_TRANSPORT_H_
