# SPDX-License-Identifier: Apache-2.0
"""Examples for detectors in training, and figures of merit, against plain NumPy. The results of
PaddlePaddle's own tests are in tests/optest."""
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import Seq
import switchyard as sy

OPS = ("rpn_target_assign", "retinanet_target_assign", "generate_proposal_labels", "detection_map",
       "locality_aware_nms")


def boxes(count, seed, side=64):
    corners = np.random.default_rng(seed).uniform(0, side, (count, 2, 2))
    return np.concatenate([corners.min(1), corners.max(1)], 1)


def shared(a, b, longer=1):
    """The part that each box of `a` shares with each of `b`."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    both = np.prod(np.maximum(high - low + longer, 0), 2)
    area = [np.prod(x[:, 2:] - x[:, :2] + longer, 1) for x in (a, b)]
    return both / (area[0][:, None] + area[1][None] - both)


def deltas(from_boxes, to_boxes):
    def middle(x):
        return (x[:, :2] + x[:, 2:] + 1) / 2, x[:, 2:] - x[:, :2] + 1
    (place, extent), (wanted, goal) = middle(from_boxes), middle(to_boxes)
    return np.concatenate([(wanted - place) / extent, np.log(goal / extent)], 1)


def assign(anchors, truth, positive, negative, most=None, most_positive=None, labels=None):
    """(located, scored, deltas, labels, weights) of one image."""
    part = shared(anchors, truth)
    best, match = part.max(1), part.argmax(1)
    ups = np.flatnonzero((best >= positive) | (np.abs(part - part.max(0)) < 1e-5).any(1))[:most_positive]
    downs = np.flatnonzero(best < negative)[:None if most is None else most - len(ups)]
    fills = np.intersect1d(ups, downs)
    real = np.setdiff1d(ups, downs)
    located = np.concatenate([np.repeat(ups[:1], len(fills)), real]).astype(int)
    told = np.ones(len(real), int) if labels is None else labels[match[real]]
    weights = np.repeat([0.0, 1.0], [len(fills), len(real)])[:, None] * np.ones(4)
    return (located, np.concatenate([real, downs]), deltas(anchors[located], truth[match[located]]),
            np.concatenate([told, 0 * downs]), weights)


def joined(images, count):
    """The results of several images, whose anchors are `count` each."""
    parts = list(zip(*images))
    numbers = [np.concatenate([one + i * count for i, one in enumerate(part)]).astype(np.int32)
               for part in parts[:2]]
    labels = np.concatenate(parts[3]).astype(np.int32)[:, None]
    return [*numbers, np.concatenate(parts[2]), labels, np.concatenate(parts[4])]


class AnchorTest(unittest.TestCase):

    def setUp(self):
        self.anchors, self.truth = boxes(60, 1, 80) - 8, boxes(7, 2)
        self.crowd = np.array([0, 1, 0, 0, 1, 0, 0], np.int32)
        self.info = np.array([[60.0, 70.0, 1.0], [64.0, 64.0, 0.5]])
        self.call = {"anchor": self.anchors, "gt_boxes": Seq(self.truth, [[4, 3]]), "is_crowd": self.crowd,
                     "im_info": self.info}

    def images(self):
        """The true boxes, and their rows, of both images."""
        for rows, info in zip((np.arange(4), np.arange(4, 7)), self.info):
            rows = rows[self.crowd[rows] == 0]
            yield self.truth[rows] * info[2], rows, info

    def within(self, info):
        x = self.anchors
        return np.flatnonzero((x[:, 0] >= 0) & (x[:, 1] >= 0) & (x[:, 2] < info[1]) & (x[:, 3] < info[0]))

    def test_regions_to_propose(self):
        for most, share in ((256, 0.5), (12, 0.25)):
            images = []
            for truth, _, info in self.images():
                inside = self.within(info)
                found = assign(self.anchors[inside], truth, 0.6, 0.3, most, int(most * share))
                images.append((inside[found[0]], inside[found[1]], *found[2:]))
            call = dict(self.call, batch_size_per_im=most, fg_fraction=share, positive_overlap=0.6,
                        use_random=False)
            cases.check(self, "rpn_target_assign", call, *joined(images, 60))

    def test_all_anchors_with_classes(self):
        labels = np.array([3, 1, 2, 2, 1, 3, 1], np.int32)
        images = [assign(self.anchors, truth, 0.5, 0.4, labels=labels[rows])
                  for truth, rows, _ in self.images()]
        count = np.array([[len(one[0]) + 1] for one in images], np.int32)
        call = dict(self.call, gt_labels=labels[:, None])
        cases.check(self, "retinanet_target_assign", call, *joined(images, 60), count)

    def test_a_random_choice_is_a_part_and_differs(self):
        every = cases.run("rpn_target_assign", dict(self.call, straddle_thresh=-1.0, use_random=False))[0]
        call = dict(self.call, straddle_thresh=-1.0, batch_size_per_im=9, fg_fraction=0.25)
        drawn = set()
        sy.seed(3)
        for _ in range(8):
            scored, labels = (cases.run("rpn_target_assign", call)[0][i].numpy() for i in (1, 3))
            # One that is both positive and negative counts once.
            self.assertTrue({(scored < 60).sum(), (scored >= 60).sum()} <= {7, 8, 9})
            self.assertLessEqual(labels.sum(), 4)
            self.assertEqual(len(set(scored.tolist())), len(scored))
            self.assertTrue(set(scored.tolist()) <= set(every[1].tolist()))
            drawn.add(tuple(scored.tolist()))
        self.assertGreater(len(drawn), 6)

    def test_an_image_without_boxes_has_negatives_alone(self):
        call = dict(self.call, gt_boxes=Seq(self.truth, [[0, 7]]), use_random=False, straddle_thresh=-1.0)
        located, scored, _, labels, _ = (one.numpy() for one in cases.run("rpn_target_assign", call)[0])
        self.assertTrue((located >= 60).all())
        np.testing.assert_array_equal(scored[labels[:, 0] == 0][:60], np.arange(60))


class RegionTest(unittest.TestCase):

    def setUp(self):
        self.classes = np.array([2, 1, 3, 1], np.int32)
        self.crowd = np.array([0, 1, 0, 0], np.int32)
        self.truth, self.scale = boxes(4, 5), 0.5
        near = np.concatenate([self.truth + 1.5, self.truth - 2])
        self.regions = np.concatenate([near, boxes(12, 6)]) * self.scale
        self.call = {"rpn_rois": Seq(self.regions, [[20]]), "gt_classes": self.classes, "is_crowd": self.crowd,
                     "gt_boxes": Seq(self.truth, [[4]]), "im_info": np.array([[64, 64, self.scale]]),
                     "batch_size_per_im": 8, "fg_fraction": 0.5, "fg_thresh": 0.5, "bg_thresh_hi": 0.4,
                     "bg_thresh_lo": 0.05, "bbox_reg_weights": [0.1, 0.2, 0.3, 0.4], "class_nums": 4,
                     "use_random": False}

    def wanted(self, regions, most, agnostic=False):
        every = np.concatenate([self.truth, regions / self.scale])
        part = shared(every, self.truth)
        best, match = part.max(1), part.argmax(1)
        best[:4][self.crowd != 0] = -1
        ups = np.flatnonzero(best >= 0.5)[:most and most // 2]
        downs = np.flatnonzero((best >= 0.05) & (best < 0.4))[:most and most - len(ups)]
        told = np.concatenate([ups, downs])
        labels = np.concatenate([self.classes[match[ups]], 0 * downs]).astype(np.int32)[:, None]
        targets, weights = np.zeros((2, len(told), 4, 4))
        where = 1 if agnostic else labels[:len(ups), 0]
        weights_of = np.array([0.1, 0.2, 0.3, 0.4], np.float32).astype(float)
        targets[np.arange(len(ups)), where] = deltas(every[ups], self.truth[match[ups]]) / weights_of
        weights[np.arange(len(ups)), where] = 1
        rows = [every[told] * self.scale, labels, targets.reshape(-1, 16), weights.reshape(-1, 16),
                weights.reshape(-1, 16), best[told]]
        return [Seq(one, [[len(told)]]) for one in rows]

    def test_the_first_ones(self):
        for agnostic in (False, True):
            call = dict(self.call, is_cls_agnostic=agnostic)
            cases.check(self, "generate_proposal_labels", call, *self.wanted(self.regions, 8, agnostic))

    def test_a_cascade_tells_all_but_true_boxes(self):
        before = np.random.default_rng(7).uniform(0, 1, 20)
        before[[2, 9]] = 1
        call = dict(self.call, is_cascade_rcnn=True, max_overlap=before)
        cases.check(self, "generate_proposal_labels", call,
                    *self.wanted(self.regions[before < 1], None))

    def test_a_random_choice_is_a_part(self):
        call = dict(self.call, use_random=True, batch_size_per_im=4)
        rows = {tuple(row) for row in self.wanted(self.regions, None)[0].array.round(9).tolist()}
        sy.seed(2)
        drawn = [cases.run("generate_proposal_labels", call)[0][0].numpy().round(9).tolist()
                 for _ in range(6)]
        for one in drawn:
            self.assertEqual(len(one), 4)
            self.assertTrue({tuple(row) for row in one} <= rows)
        self.assertGreater(len({str(one) for one in drawn}), 3)


class PrecisionTest(unittest.TestCase):
    # The second and the third of class 1 are of one true box; one of class 2 finds nothing.
    LABEL = np.array([[1, 0, .1, .1, .5, .5], [1, 1, .6, .6, .9, .9], [2, 0, .2, .2, .4, .4]])
    FOUND = np.array([[1, .9, .1, .1, .5, .5], [1, .8, .1, .1, .5, .45], [1, .7, .6, .6, .9, .85],
                      [2, .6, .7, .7, .9, .9]])

    def run_map(self, **more):
        call = {"detect_res": Seq(self.FOUND, [[4]]), "label": Seq(self.LABEL, [[3]]), "class_num": 3, **more}
        return cases.run("detection_map", call)[0]

    def test_mean_precision(self):
        # Right, wrong, right of 2: the recall rises by half at precisions 1 and 2/3.
        self.assertAlmostEqual(self.run_map()[3].tolist()[0], (0.5 * 1 + 0.5 * 2 / 3 + 0) / 2)
        self.assertAlmostEqual(self.run_map(ap_type="11point")[3].tolist()[0],
                               ((6 * 1 + 5 * 2 / 3) / 11 + 0) / 2)
        # A box that is hard to find counts neither way.
        self.assertAlmostEqual(self.run_map(evaluate_difficult=False)[3].tolist()[0], (1 + 0) / 2)
        self.assertAlmostEqual(self.run_map(background_label=2)[3].tolist()[0], 0.5 + 1 / 3)

    def test_what_was_counted_goes_on(self):
        count, right, wrong, _ = self.run_map()
        self.assertEqual(count.tolist(), [[0], [2], [1]])
        self.assertEqual((right.lod, wrong.lod), ([[0, 3, 1]], [[0, 3, 1]]))
        np.testing.assert_allclose(right.numpy(), [[.9, 1], [.8, 0], [.7, 1], [.6, 0]])
        np.testing.assert_allclose(wrong.numpy()[:, 1], 1 - right.numpy()[:, 1])
        before = {"pos_count": count.numpy(), "true_pos": Seq(right.numpy(), right.lod),
                  "false_pos": Seq(wrong.numpy(), wrong.lod)}
        self.assertEqual(self.run_map(**before)[0].tolist(), [[0], [4], [2]])
        fresh = self.run_map(**before, has_state=np.array([0], np.int32))
        self.assertEqual(fresh[0].tolist(), [[0], [2], [1]])


class NeighbourTest(unittest.TestCase):
    BOXES = np.array([[[0, 0, 4, 4], [1, 0, 5, 4], [20, 20, 24, 24], [0, 1, 4, 5], [40, 0, 44, 4]]], float)
    SCORES = np.array([[[0.5, 1.5, 0.4, 0.9, 0.1]]])

    def stays(self, **more):
        call = {"bboxes": self.BOXES, "scores": self.SCORES, "score_threshold": 0.2, "nms_top_k": -1,
                "keep_top_k": -1, "nms_threshold": 0.4, **more}
        return cases.run("locality_aware_nms", call)[0][0]

    def test_neighbours_become_one(self):
        out = self.stays()
        np.testing.assert_allclose(out.numpy(), [[0, 2.0, 0.75, 0, 4.75, 4], [0, 0.4, 20, 20, 24, 24]])
        self.assertEqual(out.lod, [[2]])
        self.assertEqual(self.stays(keep_top_k=1).shape, (1, 6))
        # The fourth box shares less with what the first two became.
        self.assertEqual(self.stays(nms_threshold=0.55).shape, (3, 6))
        self.assertEqual(self.stays(score_threshold=9.0).shape, (0, 6))
        self.assertEqual(self.stays(background_label=0).lod, [[0]])


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertGreater(cases.check_invalid(self, "detector_training"), 17)

    def test_every_kernel(self):
        ran = set()
        for test, names in ((AnchorTest, ("test_regions_to_propose", "test_all_anchors_with_classes")),
                            (RegionTest, ("test_the_first_ones",)), (PrecisionTest, ("test_mean_precision",)),
                            (NeighbourTest, ("test_neighbours_become_one",))):
            with sy.record_selections() as log:
                for name in names:
                    one = test(name)
                    one.setUp()
                    getattr(one, name)()
            ran |= {cases.CHOICE.match(line).group(1) for line in log}
        self.assertEqual(set(OPS) - ran, set())

    def test_single_precision(self):
        narrow = PrecisionTest("test_mean_precision")
        narrow.LABEL, narrow.FOUND = (x.astype(np.float32) for x in (narrow.LABEL, narrow.FOUND))
        np.testing.assert_allclose(narrow.run_map()[3].numpy(), np.float32([5 / 12]))
        one = NeighbourTest("test_neighbours_become_one")
        one.BOXES, one.SCORES = one.BOXES.astype(np.float32), one.SCORES.astype(np.float32)
        one.test_neighbours_become_one()
        for test, op, index in ((AnchorTest, "rpn_target_assign", 2), (RegionTest, "generate_proposal_labels", 2)):
            case = test()
            case.setUp()
            call = dict(case.call, use_random=False)
            narrowed = {name: Seq(value.array.astype(np.float32), value.lod) if isinstance(value, Seq) else
                        value.astype(np.float32) if getattr(value, "dtype", None) == float else value
                        for name, value in call.items()}
            wide, single = (cases.run(op, one)[0][index].numpy() for one in (call, narrowed))
            self.assertEqual(single.dtype, np.float32)
            np.testing.assert_allclose(single, wide, rtol=2e-4, atol=2e-5)


if __name__ == "__main__":
    unittest.main()
