// SPDX-License-Identifier: Apache-2.0
// Encoder and Decoder: types, attributes and locations as bytes, for the hooks
// of dialects and for programs (program_encoding.h).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_ENCODING_H_
#define SWITCHYARD_STATIC_GRAPH_IR_ENCODING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/byte_stream.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph::ir {

// Writes numbers and texts in sequence. A type, an attribute, a name and a
// location are written once, into a table, and a number stands for them in the
// sequence. An entry of the table is written by the hook of its definition and
// refers to earlier entries only.
class Encoder {
 public:
  void U32(uint32_t value) { body_.U32(value); }
  void U64(uint64_t value) { body_.U64(value); }
  void Text(std::string_view text) { body_.Counted(text); }
  // Null ones may be written too.
  void Write(Type type);
  void Write(Attribute attribute);
  void Write(Location location);
  // Writes a text that occurs often.
  void Name(std::string_view name);

  // Returns the table and the sequence after it.
  std::string Finish() const;

 private:
  uint32_t Add(char kind, std::string_view name, std::string payload);
  template <typename T>
  uint32_t Hook(char kind, T item);

  ByteWriter body_;
  ByteWriter entries_;
  uint32_t count_ = 0;  // Of entries; they are numbered from 1.
  HashMap<Type, uint32_t> types_;
  HashMap<Attribute, uint32_t> attributes_;
  HashMap<Location, uint32_t> locations_;
  HashMap<std::string, uint32_t> names_;
};

// Reads what an Encoder wrote, into a Context that has the dialects. Any bytes
// may be given: after a read that goes wrong ok() is false, and everything
// reads as 0, empty or null.
class Decoder {
 public:
  // `bytes` outlive it.
  Decoder(Context* context, std::string_view bytes)
      : context_(context), reader_(bytes) {}

  // Reads the table; called first, once. NotFoundError for a type or attribute
  // that no dialect registered, DataLossError for bytes that are malformed.
  absl::Status ReadTable();

  Context* context() const { return context_; }
  bool ok() const { return ok_ && reader_.ok(); }
  bool at_end() const { return reader_.at_end(); }
  // Returns the error of bytes that don't say what they should.
  absl::Status Malformed(std::string_view what) const;

  uint32_t U32() { return reader_.U32(); }
  uint64_t U64() { return reader_.U64(); }
  std::string_view Text() { return reader_.Counted(); }
  Type ReadType();
  Attribute ReadAttribute();
  Location ReadLocation();
  std::string_view ReadName();

 private:
  // One of them is set, as the entry's kind says.
  struct Entry {
    char kind = 0;
    Type type;
    Attribute attribute;
    Location location;
    std::string_view name;
    int nesting = 0;  // Of types and attributes inside each other.
  };

  absl::Status ReadEntry();
  absl::Status ReadHooked(std::string_view name, Entry* entry);
  // The entry that the next number stands for; null for 0 and on error.
  const Entry* Next(char kind);

  Context* context_;
  ByteReader reader_;
  bool ok_ = true;
  int nesting_ = 0;  // The most of what the entry that is being read refers to.
  std::vector<Entry> entries_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_ENCODING_H_
