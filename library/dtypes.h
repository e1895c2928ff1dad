// SPDX-License-Identifier: Apache-2.0
// The interface's numbers of dtypes and kinds, which never change, for ours.
#ifndef SWITCHYARD_LIBRARY_DTYPES_H_
#define SWITCHYARD_LIBRARY_DTYPES_H_

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/tensor_kind.h"
#include "library/include/switchyard.h"

namespace switchyard::library {

// Return the number; 0 for kUndefined.
switchyard_dtype NumberOf(DataType dtype);
switchyard_kind NumberOf(TensorKind kind);

// Returns kUndefined for a number that is no dtype.
DataType DataTypeOfNumber(switchyard_dtype number);

// Returns the dtype of a dense tensor: ArgumentError("dtype", ...) for a number
// that is none, TypeError("dtype", ...) for texts.
absl::StatusOr<DataType> ElementDataType(switchyard_dtype number);

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_DTYPES_H_
