// SPDX-License-Identifier: Apache-2.0
// JsonParser: RapidJSON's, which calls a handler for each part of a text.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PARSER_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PARSER_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "rapidjson/reader.h"

namespace switchyard::static_graph {

// Gives the parser memory, or throws std::bad_alloc: RapidJSON's own allocators
// return null, which the parser does not look at. The names are RapidJSON's.
class JsonParserMemory {
 public:
  static constexpr bool kNeedFree = true;
  void* Malloc(size_t size) { return ::operator new(size); }
  void* Realloc(void* old, size_t old_size, size_t size) {
    void* const made = Malloc(size);
    if (old != nullptr) std::memcpy(made, old, std::min(old_size, size));
    Free(old);
    return made;
  }
  static void Free(void* memory) { ::operator delete(memory); }
};

using JsonParser =
    rapidjson::GenericReader<rapidjson::UTF8<char>, rapidjson::UTF8<char>,
                             JsonParserMemory>;

// Texts and keys stay where they are in what is read, which is changed; they
// are checked to be UTF-8. Numbers are the nearest doubles. Values in values
// take the stack: the handler bounds how deep they are.
constexpr unsigned kJsonParsing = rapidjson::kParseInsituFlag |
                                  rapidjson::kParseFullPrecisionFlag |
                                  rapidjson::kParseValidateEncodingFlag;

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PARSER_H_
