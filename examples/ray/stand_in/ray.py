# SPDX-License-Identifier: Apache-2.0
"""In the place of Ray, for the example's test: its actors are processes of this machine."""

import multiprocessing
import types

util = types.SimpleNamespace(get_node_ip_address=lambda: "127.0.0.1")
_processes = multiprocessing.get_context("spawn")
_actors = []


def _serve(made, pipe):
    actor = made()
    while (call := pipe.recv()) is not None:
        name, arguments = call
        try:
            pipe.send((True, getattr(actor, name)(*arguments)))
        except Exception as error:  # The caller's.
            pipe.send((False, error))


class _Actor:

    def __init__(self, made):
        self._pipe, other = _processes.Pipe()
        self._process = _processes.Process(target=_serve, args=(made, other))
        self._process.start()
        other.close()
        _actors.append(self)

    def __getattr__(self, name):
        def remote(*arguments):
            self._pipe.send((name, arguments))
            return self._pipe
        return types.SimpleNamespace(remote=remote)

    def end(self):
        self._pipe.send(None)
        self._process.join()


def remote(**options):
    """A decorator of classes; options say where Ray would put them."""
    def decorate(made):
        return types.SimpleNamespace(remote=lambda: _Actor(made))
    return decorate


def get(results):
    """The result of a call, or those of a list."""
    if isinstance(results, list):
        return [get(each) for each in results]
    done, value = results.recv()
    if not done:
        raise value
    return value


def init():
    """Begins nothing: actors are started one by one."""


def shutdown():
    while _actors:
        _actors.pop().end()
