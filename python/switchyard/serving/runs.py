# SPDX-License-Identifier: Apache-2.0
"""Requests that wait, and the runs that are made of them."""

import asyncio
import collections
import concurrent.futures

import numpy as np

from switchyard.serving.answers import busy, refusal_of
from switchyard.serving.arrays import Given, feed_of
from switchyard.serving.requests import Gone


class Model:
    """A program as a server runs it, from one thread."""

    def __init__(self, program, rows=None):
        """``rows``: the results with the rows of each request, of ``rows_of``;
        None if each request has a run of its own."""
        self.program, self.rows = program, rows
        self.inputs, self.outputs = program.inputs, program.outputs
        self._name = program.text().split("@", 1)[1].split(" ", 1)[0]

    def run(self, given):
        """{name: Given} of the results, of {name: Given}."""
        fetched = self.program.run(
            {port.name: feed_of(port, given[port.name]) for port in self.inputs},
            tensors=True)
        return {port.name: Given(fetched[port.name].numpy(),
                                 fetched[port.name].lod)
                for port in self.outputs}

    def alone(self, given):
        """As ``run``; an error is returned as the client's refusal."""
        try:
            return self.run(given)
        except Exception as error:  # Each is this request's answer.
            return refusal_of(error, self._name)

    def together(self, requests):
        """The result of each, and whether one run gave them."""
        if len(requests) > 1:
            try:
                return self._merged(requests), True
            except Exception:  # One of them may be the cause: each for itself.
                pass
        return [self.alone(given) for given in requests], len(requests) == 1

    def _merged(self, requests):
        results = self.run({
            port.name: Given(np.concatenate([given[port.name].array
                                             for given in requests]))
            for port in self.inputs})
        first = self.inputs[0].name
        ends = np.cumsum([len(given[first].array) for given in requests])
        for name in self.rows:
            if len(results[name].array) != ends[-1]:
                raise ValueError(f"{name} has no row for each of the inputs'")
        parts = []
        for begin, end in zip([0, *ends], ends):
            parts.append({name: Given(result.array[begin:end])
                          if name in self.rows else result
                          for name, result in results.items()})
        return parts

    def key_of(self, given):
        """(key, rows): requests of one key may share a run; no key if this one
        may share none."""
        if self.rows is None:
            return None, 1
        extents = {len(one.array) for one in given.values()}
        if len(extents) != 1 or 0 in extents or any(one.lod is not None
                                                    for one in given.values()):
            return None, max(extents)
        return (tuple(one.array.shape[1:] for one in given.values()),
                extents.pop())


class _Waiting:
    """A request that waits for its run."""

    __slots__ = ("given", "key", "rows", "since", "is_gone", "done")

    def __init__(self, given, key_and_rows, since, is_gone, done):
        self.given, self.since = given, since
        self.key, self.rows = key_and_rows
        self.is_gone, self.done = is_gone, done


class Runs:
    """Makes runs of the requests that wait, one after the other. Of the event
    loop's thread, except for the runs, which have a thread of their own."""

    def __init__(self, model, metrics, batch, delay, limit):
        """``batch``: the rows that a run of several requests may have;
        ``delay``: seconds that a request waits for others; ``limit``: how many
        may wait."""
        self._model, self._metrics = model, metrics
        self._batch = batch if model.rows is not None else 1
        self._delay, self._limit = delay, limit
        self._waiting, self._wake = collections.deque(), asyncio.Event()
        self._closing = False
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "switchyard")

    @property
    def waiting(self):
        """How many requests wait."""
        return len(self._waiting)

    def check_room(self):
        """Refuses a request where as many wait as may."""
        if len(self._waiting) >= self._limit:
            raise busy("QueueFull", f"{self._limit} requests wait already: send "
                       "this one again")

    async def result_of(self, given, is_gone):
        """The results of a request, {name: Given}; its Refusal, or Gone."""
        self.check_room()
        loop = asyncio.get_running_loop()
        one = _Waiting(given, self._model.key_of(given), loop.time(), is_gone,
                       loop.create_future())
        self._waiting.append(one)
        self._wake.set()
        return await one.done

    def hurry(self):
        """No request waits for others from now on."""
        self._delay = 0
        self._wake.set()

    def close(self):
        """Lets ``work`` end when nothing waits."""
        self._closing = True
        self._wake.set()

    async def work(self):
        """Runs what waits until ``close``."""
        while self._waiting or not self._closing:
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            await self._gather()
            group = self._take()
            if group:
                await self._run(group)
        self._thread.shutdown()

    async def _gather(self):
        """Waits until a run is full or its first request has waited long enough."""
        loop, first = asyncio.get_running_loop(), self._waiting[0]
        while first.key is not None:
            left = first.since + self._delay - loop.time()
            rows = sum(one.rows for one in self._waiting if one.key == first.key)
            if left <= 0 or rows >= self._batch:
                return
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), left)
            except asyncio.TimeoutError:
                return

    def _take(self):
        """The first request and those after it that fit into its run."""
        group, kept, rows = [], collections.deque(), 0
        for one in self._waiting:
            if one.is_gone():
                one.done.set_exception(Gone())
            elif not group or (one.key is not None and one.key == group[0].key
                               and rows + one.rows <= self._batch):
                group.append(one)
                rows += one.rows
            else:
                kept.append(one)
        self._waiting = kept
        return group

    async def _run(self, group):
        results, merged = await asyncio.get_running_loop().run_in_executor(
            self._thread, self._model.together, [one.given for one in group])
        metrics = self._metrics
        metrics.runs += 1 if merged else len(group) + (len(group) > 1)
        metrics.repeated += not merged
        metrics.rows.add(sum(one.rows for one in group))
        metrics.requests.add(len(group))
        for one, result in zip(group, results):
            if isinstance(result, Exception):
                one.done.set_exception(result)
            else:
                one.done.set_result(result)
