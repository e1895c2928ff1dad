// SPDX-License-Identifier: Apache-2.0
// The transport "nccl": messages between GPUs, by NCCL, which is opened at run
// time (libnccl.so.2, and the driver's libcuda.so.1). Messages of up to
// kNcclSmall bytes and what the ranks say about the others go through sockets,
// as those of the transport "tcp". Memory is a GPU's or the host's, of which a
// copy on the GPU is sent.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_TRANSPORT_H_

#include <chrono>
#include <vector>

#include "framework/collective/transport.h"

namespace switchyard::collective {

// The number of bytes up to which a message goes through a socket: the copies
// and the launch of a larger one cost less than its way there.
inline constexpr size_t kNcclSmall = 8192;

// How the ranks of the transport find each other.
struct NcclMedium {
  // As of the transport "tcp".
  std::vector<int> sockets;
  // The number of this rank's GPU, of those that the process sees.
  int device = 0;
  // How long the ranks have to connect, and NCCL has for what it was given.
  std::chrono::milliseconds patience{60000};
};

// The medium is an NcclMedium, which connect() alone uses. The sockets become
// the link's, also if connect() fails.
extern const TransportInfo kNcclTransport;

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_NCCL_TRANSPORT_H_
