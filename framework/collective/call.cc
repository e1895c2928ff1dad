// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/call.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace switchyard::collective {
namespace {

constexpr const char* kNames[] = {"all_reduce", "reduce_scatter",
                                  "all_gather", "broadcast",
                                  "barrier",    "library_all_reduce"};

// FNV-1a: the same in every process, unlike absl::Hash.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

std::string Call::ToString() const {
  const bool reduces = op == Operator::kAllReduce ||
                       op == Operator::kReduceScatter ||
                       op == Operator::kLibraryAllReduce;
  std::string text = kNames[static_cast<int>(op)];
  if (reduces) absl::StrAppend(&text, "(", Name(reduction), ")");
  if (!name.empty()) absl::StrAppend(&text, " '", name, "'");
  if (op != Operator::kBarrier) {
    const std::string_view dtype_name = Name(dtype);
    absl::StrAppend(&text, " ",
                    absl::string_view(dtype_name.data(), dtype_name.size()),
                    "[", count, "]");
  }
  if (reduces) absl::StrAppend(&text, " of ", detail, " shards");
  if (op == Operator::kBroadcast) {
    absl::StrAppend(&text, " from rank ", detail);
  }
  if (!location.empty()) absl::StrAppend(&text, " (", location, ")");
  return text;
}

bool CallHeader::Matches(const CallHeader& other) const {
  return sequence == other.sequence && op == other.op && dtype == other.dtype &&
         reduction == other.reduction && count == other.count &&
         name_hash == other.name_hash && detail == other.detail;
}

Call CallHeader::Described() const {
  Call call;
  constexpr uint16_t kOperators = sizeof(kNames) / sizeof(kNames[0]);
  call.op = static_cast<Operator>(op < kOperators ? op : kOperators - 1);
  call.reduction = static_cast<Reduction>(reduction & 3);
  call.dtype = static_cast<DataType>(dtype < kNumDataTypes ? dtype : 0);
  call.count = count;
  call.detail = detail;
  return call;
}

CallHeader MakeHeader(const Call& call, uint32_t sequence) {
  CallHeader header;
  header.sequence = sequence;
  header.op = static_cast<uint16_t>(call.op);
  header.dtype = static_cast<uint8_t>(call.dtype);
  header.reduction = static_cast<uint8_t>(call.reduction);
  header.count = call.count;
  header.name_hash = HashOf(call.name);
  header.location_hash = static_cast<uint32_t>(HashOf(call.location));
  header.detail = call.detail;
  return header;
}

}  // namespace switchyard::collective
