// SPDX-License-Identifier: Apache-2.0
// The views, whose kernels are the same for every backend.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_VIEW_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_VIEW_H_

#include "framework/device/cpu/cpu_context.h"
#include "phi/kernels/views/view.h"

namespace switchyard::phi::kernels::cpu {

using kernels::CropKernel;
using kernels::DetachKernel;
using kernels::DiagonalKernel;
using kernels::ExpandAsKernel;
using kernels::ExpandKernel;
using kernels::Flatten2Kernel;
using kernels::FlattenKernel;
using kernels::kCropSpec;
using kernels::kDetachSpec;
using kernels::kDiagonalSpec;
using kernels::kExpandAsSpec;
using kernels::kExpandSpec;
using kernels::kFlatten2Spec;
using kernels::kFlattenSpec;
using kernels::kLegacySliceSpec;
using kernels::kReshapeGradSpec;
using kernels::kReshapeSpec;
using kernels::kSliceSpec;
using kernels::kSplitSpec;
using kernels::kSqueezeSpec;
using kernels::kStepSliceSpec;
using kernels::kTransposeSpec;
using kernels::kUnsqueezeSpec;
using kernels::kViewDtypeSpec;
using kernels::kViewShapeSpec;
using kernels::kZipMapSpec;
using kernels::LegacySliceKernel;
using kernels::ReshapeGradKernel;
using kernels::ReshapeKernel;
using kernels::SliceKernel;
using kernels::SplitKernel;
using kernels::SqueezeKernel;
using kernels::StepSliceKernel;
using kernels::TransposeKernel;
using kernels::UnsqueezeKernel;
using kernels::ViewDtypeKernel;
using kernels::ViewShapeKernel;
using kernels::ZipMapKernel;

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_VIEW_H_
