// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/mpi_transport.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace switchyard::collective {
namespace {

// The functions of libmpi.so.40 that are called, with the types of its header:
// communicators, datatypes and requests are pointers.
struct Mpi {
  int (*Initialized)(int*);
  int (*Finalized)(int*);
  int (*Init_thread)(int*, char***, int, int*);
  int (*Finalize)();
  int (*Comm_rank)(void*, int*);
  int (*Comm_size)(void*, int*);
  int (*Isend)(const void*, int, void*, int, int, void*, void**);
  int (*Irecv)(void*, int, void*, int, int, void*, void**);
  int (*Iallreduce)(const void*, void*, int, void*, void*, void*, void**);
  int (*Test)(void**, int*, void*);
  int (*Cancel)(void**);
  int (*Request_free)(void**);
  int (*Comm_set_errhandler)(void*, void*);
  void* world;
  void* byte;
  void* float_type;
  void* double_type;
  void* sum;
  void* errors_return;
};

constexpr int kThreadMultiple = 3;
// A message of more bytes than an int counts is sent in parts of this size.
constexpr size_t kPart = size_t{1} << 30;
// MPI_IN_PLACE of Open MPI.
void* const kInPlace = reinterpret_cast<void*>(1);

// Finds a symbol; notes its name in `missing` if it is not there.
template <typename Pointer>
void Find(void* library, const char* name, Pointer* found,
          std::string* missing) {
  *found = reinterpret_cast<Pointer>(dlsym(library, name));
  if (*found == nullptr) *missing = name;
}

absl::StatusOr<Mpi> Open() {
  // Its plugins look for its symbols: they must be global.
  void* const library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("transport mpi: Open MPI could not be opened (", dlerror(),
                     "); install the package openmpi-bin, or choose the "
                     "transport tcp"));
  }
  Mpi mpi;
  std::string missing;
  Find(library, "MPI_Initialized", &mpi.Initialized, &missing);
  Find(library, "MPI_Finalized", &mpi.Finalized, &missing);
  Find(library, "MPI_Init_thread", &mpi.Init_thread, &missing);
  Find(library, "MPI_Finalize", &mpi.Finalize, &missing);
  Find(library, "MPI_Comm_rank", &mpi.Comm_rank, &missing);
  Find(library, "MPI_Comm_size", &mpi.Comm_size, &missing);
  Find(library, "MPI_Isend", &mpi.Isend, &missing);
  Find(library, "MPI_Irecv", &mpi.Irecv, &missing);
  Find(library, "MPI_Iallreduce", &mpi.Iallreduce, &missing);
  Find(library, "MPI_Test", &mpi.Test, &missing);
  Find(library, "MPI_Cancel", &mpi.Cancel, &missing);
  Find(library, "MPI_Request_free", &mpi.Request_free, &missing);
  Find(library, "MPI_Comm_set_errhandler", &mpi.Comm_set_errhandler, &missing);
  Find(library, "ompi_mpi_comm_world", &mpi.world, &missing);
  Find(library, "ompi_mpi_byte", &mpi.byte, &missing);
  Find(library, "ompi_mpi_float", &mpi.float_type, &missing);
  Find(library, "ompi_mpi_double", &mpi.double_type, &missing);
  Find(library, "ompi_mpi_op_sum", &mpi.sum, &missing);
  Find(library, "ompi_mpi_errors_return", &mpi.errors_return, &missing);
  if (missing.empty()) return mpi;
  return absl::FailedPreconditionError(absl::StrCat(
      "transport mpi: libmpi.so.40 has no ", missing, "; is it Open MPI?"));
}

struct Link {
  Mpi mpi;
  bool initialised_here;
};

// Parts of one message: those that are not done.
struct Request {
  std::vector<void*> parts;
  bool sums = false;  // A collective call of MPI, which can't be cancelled.
};

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  SY_ASSIGN_OR_RETURN(const Mpi mpi, Open());
  int initialised = 0, level = 0, rank = -1, size = 0;
  mpi.Initialized(&initialised);
  if (initialised == 0 &&
      mpi.Init_thread(nullptr, nullptr, kThreadMultiple, &level) != 0) {
    return absl::FailedPreconditionError("transport mpi: MPI_Init failed");
  }
  mpi.Comm_set_errhandler(mpi.world, mpi.errors_return);
  mpi.Comm_rank(mpi.world, &rank);
  mpi.Comm_size(mpi.world, &size);
  if (rank != options.rank || size != options.size) {
    return absl::FailedPreconditionError(absl::StrCat(
        "transport mpi: MPI says rank ", rank, " of ", size, ", expected rank ",
        options.rank, " of ", options.size, ": start the program by mpirun"));
  }
  return new Link{mpi, initialised == 0};
}

// Starts the parts of a message by start(part's begin, its size, &request).
template <typename Start>
absl::StatusOr<void*> StartParts(size_t size, Start start, bool sums = false) {
  auto request = std::make_unique<Request>();
  request->sums = sums;
  size_t begin = 0;
  do {
    const size_t part = std::min(kPart, size - begin);
    request->parts.push_back(nullptr);
    if (start(begin, static_cast<int>(part), &request->parts.back()) != 0) {
      return absl::UnavailableError("can't be reached by MPI");
    }
    begin += part;
  } while (begin < size);
  return request.release();
}

absl::StatusOr<void*> ISend(void* handle, int peer, uint32_t tag,
                            const void* data, size_t size) {
  Link* const link = static_cast<Link*>(handle);
  return StartParts(size, [&](size_t begin, int part, void** request) {
    return link->mpi.Isend(static_cast<const char*>(data) + begin, part,
                           link->mpi.byte, peer, static_cast<int>(tag),
                           link->mpi.world, request);
  });
}

absl::StatusOr<void*> IRecv(void* handle, int peer, uint32_t tag, void* data,
                            size_t size) {
  Link* const link = static_cast<Link*>(handle);
  return StartParts(size, [&](size_t begin, int part, void** request) {
    return link->mpi.Irecv(static_cast<char*>(data) + begin, part,
                           link->mpi.byte, peer, static_cast<int>(tag),
                           link->mpi.world, request);
  });
}

absl::StatusOr<bool> Test(void* handle, void* request) {
  Link* const link = static_cast<Link*>(handle);
  std::unique_ptr<Request> held(static_cast<Request*>(request));
  while (!held->parts.empty()) {
    int done = 0;
    if (link->mpi.Test(&held->parts.back(), &done, nullptr) != 0) {
      return absl::UnavailableError(
          held->sums ? "got no sum of MPI" : "sent what MPI could not deliver");
    }
    if (done == 0) {
      held.release();
      return false;
    }
    held->parts.pop_back();
  }
  return true;
}

void Cancel(void* handle, void* request) {
  Link* const link = static_cast<Link*>(handle);
  const std::unique_ptr<Request> held(static_cast<Request*>(request));
  if (held->sums) return;
  for (void*& part : held->parts) {
    link->mpi.Cancel(&part);
    link->mpi.Request_free(&part);
  }
}

absl::StatusOr<void*> ISum(void* handle, Summand type, void* data,
                           size_t count) {
  Link* const link = static_cast<Link*>(handle);
  const bool wide = type == Summand::kDouble;
  const size_t size = wide ? sizeof(double) : sizeof(float);
  return StartParts(
      count * size,
      [&](size_t begin, int part, void** request) {
        return link->mpi.Iallreduce(
            kInPlace, static_cast<char*>(data) + begin,
            part / static_cast<int>(size),
            wide ? link->mpi.double_type : link->mpi.float_type, link->mpi.sum,
            link->mpi.world, request);
      },
      /*sums=*/true);
}

void Close(void* handle, bool failed) {
  const std::unique_ptr<Link> link(static_cast<Link*>(handle));
  int finalised = 0;
  link->mpi.Finalized(&finalised);
  // It would wait for ever for a rank that failed.
  if (!failed && link->initialised_here && finalised == 0) {
    link->mpi.Finalize();
  }
}

}  // namespace

const TransportInfo kMpiTransport = {
    "mpi", "openmpi-bin", &Connect, &ISend, &IRecv,
    &Test, &Cancel,       nullptr,  &Close, &ISum,
};

}  // namespace switchyard::collective
