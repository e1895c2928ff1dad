# SPDX-License-Identifier: Apache-2.0
"""Numbers beside float64 tensors are float64: a change that float32 doesn't hold
changes values or gradients."""
import dataclasses
import inspect
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

# Numbers that are float32 in every dtype, by the reason.
KEPT = {
    "PaddlePaddle's boxes, which programs alone use": """
        anchor_generator.anchor_sizes anchor_generator.offset anchor_generator.stride
        anchor_generator.variances box_coder.variance density_prior_box.fixed_ratios
        density_prior_box.fixed_sizes density_prior_box.offset density_prior_box.step_h
        density_prior_box.step_w density_prior_box.variances matrix_nms.gaussian_sigma
        prior_box.aspect_ratios prior_box.max_sizes prior_box.min_sizes prior_box.offset
        prior_box.step_h prior_box.step_w prior_box.variances
        yolo_box.iou_aware_factor yolo_box.scale_x_y""",
    "made by passes, or in PaddlePaddle's, for float32": """
        dot_attention.scale fused_bias_residual_layernorm.epsilon
        fused_bias_residual_layernorm.residual_alpha fused_conv2d.fuse_alpha
        fused_conv2d.fuse_beta fused_elemwise_activation.scale
        fused_rms_norm_quant.epsilon fusion_squared_mat_sub.scalar
        squeeze_excite.gate_shift""",
    "of quantised numbers and loss scaling, which are float32 themselves": """
        dequantize_abs_max.max_range fake_dequantize_max_abs.max_range fc.scale_in
        fc.scale_weights
        fake_quantize_dequantize_moving_average_abs_max.moving_rate
        fake_quantize_moving_average_abs_max.moving_rate
        moving_average_abs_max_scale.moving_rate update_loss_scaling.incr_ratio""",
    "legacy forms beside a public one": """
        data_norm_grad.epsilon legacy_matmul.alpha pad_constant_like.pad_value""",
    "lists, and `F.interpolate` gives sizes": """
        bicubic_interp.scale bilinear_interp.scale lars_momentum.lars_weight_decay""",
}

# Shares of a number: float32 rounds the first away, the others show in results.
UNSEEN, SMALL, LARGE = 2.0**-26, 2.0**-11, 2.0**-10
LEAST = 1e-13  # Of the largest magnitude: what rounding does not make.


def numbers_of(sample):
    """{name: number or list} of the attributes that are no integers, defaults too."""
    given = {name: parameter.default for name, parameter in inspect.signature(
        getattr(sy.ops, sample.op)).parameters.items()}
    given.update(sample.attributes())
    return {name: value for name, value in given.items()
            if is_number(value) or (isinstance(value, (list, tuple)) and value
                                    and all(map(is_number, value)))}


def is_number(value):
    return isinstance(value, float) and np.isfinite(value) and value != 0


def moved(value, by):
    """The number, which float32 holds, less a share of it."""
    if isinstance(value, (list, tuple)):
        return [moved(each, by) for each in value]
    return float(np.float32(value)) * (1 - by)


def results(sample, name, value):
    """The floating results, and the gradients, as one list of numbers."""
    call = samples.FloatCall(dataclasses.replace(
        sample, arguments={**sample.arguments, name: value}), sy)
    leaves, outputs = call.outputs(sample.gradient)
    outputs = [o for o in outputs if o.dtype == "float64"]
    found = list(outputs)
    live = [o for o in outputs if o.requires_grad]
    if live:
        found += [g for g in sy.grad(
            live, leaves, [sy.tensor(samples.weights_for(o)) for o in live],
            allow_unused=True) if g is not None]
    return np.concatenate([np.zeros(0)] + [
        np.asarray(each.numpy(), np.complex128).reshape(-1) for each in found])


def ignores(sample, name, value):
    """Whether results go with the number, but not where float32 doesn't hold it."""
    at, unseen, small, large = (results(sample, name, moved(value, by))
                                for by in (0.0, UNSEEN, SMALL, LARGE))
    if not at.shape == unseen.shape == small.shape == large.shape or not at.size:
        return False
    with np.errstate(invalid="ignore"):
        change, half = abs(large - at), abs(small - at)
        # Those that go with it smoothly, so far that it can be seen.
        smooth = (change > LEAST / UNSEEN * LARGE * np.maximum(abs(at), 1e-3)) & (
            half > 0.4 * change) & (half < 0.6 * change)
        return bool(smooth.any()) and not np.any(unseen[smooth] != at[smooth])


class WideAttributesTest(unittest.TestCase):
    maxDiff = None

    def test_samples(self):
        count, found = 0, set()
        for op, rows in samples.load("valid").items():
            for sample in rows:
                for name, value in numbers_of(sample).items():
                    try:
                        ignored = ignores(sample, name, value)
                    except (TypeError, ValueError, IndexError, RuntimeError):
                        continue  # It has no kernel of float64.
                    count += 1
                    if ignored:
                        found.add(f"{op}.{name}")
        self.assertEqual(sorted(found), sorted(
            name for names in KEPT.values() for name in names.split()
            if samples.wanted(name.split(".")[0])))
        samples.check_count(self, count, 150)


if __name__ == "__main__":
    unittest.main()
