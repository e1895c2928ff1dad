// SPDX-License-Identifier: Apache-2.0
// The numbers by which old programs name element types (VarType.Type of their
// program description), and ours. Our own enumeration is framework/types/
// data_type.h; it has other numbers.
#ifndef SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_DATA_TYPE_H_
#define SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_DATA_TYPE_H_

#include <optional>

#include "framework/types/data_type.h"

namespace switchyard::phi {

// Nullopt for a number that names no element type of ours.
std::optional<DataType> DataTypeOfLegacy(int number);

// Nullopt for kUndefined.
std::optional<int> LegacyOfDataType(DataType dtype);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_FORMS_LEGACY_DATA_TYPE_H_
