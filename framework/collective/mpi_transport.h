// SPDX-License-Identifier: Apache-2.0
// The transport "mpi": messages of Open MPI, on the host through shared memory.
// The library is opened at run time (libmpi.so.40, of Open MPI 4 and 5), so
// nothing needs it to build, and a machine without it says which package is
// missing. There is one link a process; it initialises MPI unless that is done.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_MPI_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_MPI_TRANSPORT_H_

#include "framework/collective/transport.h"

namespace switchyard::collective {

// It has no medium. Rank and size must be those of MPI_COMM_WORLD: the program
// runs under mpirun or srun. Memory of cancelled requests may still be used by
// Open MPI: after an error the process should end.
extern const TransportInfo kMpiTransport;

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_MPI_TRANSPORT_H_
