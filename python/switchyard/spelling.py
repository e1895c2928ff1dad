# SPDX-License-Identifier: Apache-2.0
"""Arguments under PyTorch's names: ``dim`` for ``axis``, ``lr``, ``T_max``.

The names are in pytorch_names.py alone: what a call takes, what ``help`` says and
what errors suggest all come from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import functools
import inspect
from typing import Any, TypeVar

from switchyard import pytorch_names
from switchyard.checks import shown
from switchyard.pytorch_names import COMMON, Elsewhere, NoEffect, Not, Only, Then

_F = TypeVar("_F", bound=Callable[..., Any])


def named_here(given: dict, own: Iterable[str]) -> dict:
    """Keyword arguments by our names, unless they are among ``own``, those that
    there are; TypeError for one that is given twice."""
    named: dict = {}
    for name, value in given.items():
        name = name if name in own else COMMON.get(name, name)
        if name in named:
            raise TypeError(f"got two values for {name!r}")
        named[name] = value
    return named


def spelled(function: _F) -> _F:
    """A function that takes keyword arguments by PyTorch's names, too."""
    call = _Call(function.__name__, function,
                 {**COMMON, **pytorch_names.FUNCTIONS.get(function.__name__, {})})

    @functools.wraps(function)
    def speaking(*args, **kwargs):
        if kwargs and not call.own.issuperset(kwargs):
            kwargs, _ = call.by_our_names(kwargs)
        return function(*args, **kwargs)
    _tell(speaking, call)
    speaking.speaks = True  # type: ignore[attr-defined]
    return speaking  # type: ignore[return-value]


def spell_all(namespace: dict, names: Iterable[str]) -> None:
    """``spelled`` of all Python functions that are public in a module."""
    for name in names:
        thing = namespace.get(name)
        if inspect.isfunction(thing) and not hasattr(thing, "speaks"):
            namespace[name] = spelled(thing)


class _Call:
    """Holds what a function or constructor takes: ``own``, its names, and ``others``,
    {PyTorch's name: a row of the table} of those that are not its own."""

    def __init__(self, name, function, others, method=False):
        self.name = name
        code = inspect.unwrap(function).__code__
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[method:count]
        self.positional = code.co_varnames[method:code.co_argcount]
        self.own = frozenset(names)
        self.open = bool(code.co_flags & inspect.CO_VARKEYWORDS)
        self.takes_any = bool(code.co_flags & inspect.CO_VARARGS)
        plain = inspect.unwrap(function)
        optional = len(plain.__defaults__ or ())
        self.needed = [*self.positional[:len(self.positional) - optional],
                       *(name for name in names[len(self.positional):]
                         if name not in (plain.__kwdefaults__ or {}))]
        self.others = {name: row for name, row in others.items()
                       if name not in self.own and (
                           getattr(row, "name", row) in self.own
                           or not isinstance(row, (str, Not)))}

    def by_our_names(self, given):
        """(keyword arguments by our names, what is to be done with the thing that
        is made). TypeError for a name that there is not, or that is given twice."""
        named, then = {}, []
        for name, value in given.items():
            row = None if name in self.own else self.others.get(name)
            if row is None:
                if name not in self.own and not self.open:
                    raise TypeError(f"{self.name}: has no argument {name!r}"
                                    f"{self._advice(name)}")
            elif isinstance(row, Elsewhere):
                raise TypeError(f"{self.name}: has no argument {name!r}: use "
                                f"{row.name}")
            elif isinstance(row, Only):
                row.check(self.name, name, value)
                continue
            elif isinstance(row, NoEffect):
                continue
            elif isinstance(row, Then):
                then.append((row, value))
                continue
            elif isinstance(row, Not):
                name, value = row.name, row.inverse(self.name, name, value)
            else:
                name = row
            if name in named:
                raise TypeError(f"{self.name}: got two values for {name!r}")
            named[name] = value
        return named, then

    def _advice(self, name):
        """Which name is near it, or all that there are."""
        import difflib  # As of here, errors need it alone.
        known = [*self.positional, *(self.own - {*self.positional}), *(
            other for other, row in self.others.items()
            if not isinstance(row, Elsewhere))]
        near = difflib.get_close_matches(name, known, 1)
        if near:
            return f"; did you mean {near[0]!r}?"
        mine = [*self.positional, *sorted(self.own - {*self.positional})]
        return f"; it takes {', '.join(mine)}" if mine else ""

    def check(self, args, kwargs):
        """TypeError for arguments that are too many, missing or there twice."""
        if len(args) > len(self.positional) and not self.takes_any:
            if len(self.own) > len(self.positional):
                raise TypeError(
                    f"{self.name}: arguments after {self.positional[-1]} must be "
                    f"given by name, got {shown(args[len(self.positional)])}")
            raise TypeError(f"{self.name}: takes at most {len(self.positional)} "
                            f"arguments, got {len(args)}")
        filled = self.positional[:len(args)]
        for name in filled:
            if name in kwargs:
                raise TypeError(f"{self.name}: got two values for {name!r}")
        for name in self.needed:
            if name not in kwargs and name not in filled:
                raise TypeError(f"{self.name}: {name} must be given")

    def text(self):
        """A sentence with the names of PyTorch that are taken, for ``help``."""
        said = [f"``{name}`` for ``{getattr(row, 'name', row)}``"
                if isinstance(row, str) else f"``{name}`` {row.text()}"
                for name, row in self.others.items()
                if not isinstance(row, Elsewhere)]
        return f"PyTorch's names: {', '.join(said)}." if said else ""


def _tell(thing, call):
    text = call.text()
    if text and thing.__doc__:
        thing.__doc__ = f"{inspect.cleandoc(thing.__doc__)}\n\n{text}"


_calls: dict[type, _Call] = {}


def speaking(cls: type, name: str | None = None) -> None:
    """Has the constructor of a class take PyTorch's names, and say by its public
    name what is wrong with the arguments."""
    function = cls.__init__
    call = _calls[cls] = _Call(name or cls.__name__, function, _rows_of(cls),
                               method=True)

    @functools.wraps(function)
    def init(self, *args, **kwargs):
        then = ()
        if kwargs and not call.own.issuperset(kwargs):
            kwargs, then = call.by_our_names(kwargs)
        call.check(args, kwargs)
        function(self, *args, **kwargs)
        for row, value in then:
            row.do(self, value)
    cls.__init__ = init
    if cls.__doc__ and "PyTorch's names: " not in cls.__doc__:
        _tell(cls, call)


def _rows_of(cls):
    found: dict = dict(COMMON)
    for each in reversed(cls.__mro__):
        found.update(pytorch_names.CLASSES.get(each.__name__, {}))
    return found


def install(namespace: Mapping, names: Iterable[str]) -> None:
    """``speaking`` of all classes that are public in a module."""
    for name in names:
        thing = namespace.get(name)
        if isinstance(thing, type) and thing not in _calls and (
                inspect.isfunction(thing.__init__)):
            speaking(thing)
            if hasattr(thing, "_forward_names"):
                _name_calls(thing)


def _name_calls(cls):
    """Has calls of a layer take PyTorch's names of what ``forward`` takes."""
    own = _arguments_of(cls.forward)
    rows = pytorch_names.FORWARDS.get(cls.__name__, pytorch_names.FORWARDS["Layer"])
    cls._forward_names = {**{theirs: ours for theirs, ours in rows.items()
                             if ours in own and theirs not in own},
                          **cls._forward_names}


def _arguments_of(function):
    code = inspect.unwrap(function).__code__
    return code.co_varnames[1:code.co_argcount + code.co_kwonlyargcount]


def forwarded(cls: type, given: dict) -> dict:
    """The keyword arguments of a layer's call by our names; TypeError for one that
    is given twice. What is unknown stays as it is."""
    named: dict = {}
    for name, value in given.items():
        ours = cls._forward_names.get(name)
        # A class of the user's may have the name itself.
        if ours is not None and name not in _arguments_of(cls.forward):
            name = ours
        if name in named:
            raise TypeError(f"{cls.__name__}: got two values for {name!r}")
        named[name] = value
    return named


def of_constructor(cls: type, given: dict) -> dict:
    """The keyword arguments of a constructor by our names, those that it has."""
    for each in cls.__mro__:
        if each in _calls:
            return _calls[each].by_our_names(given)[0]
    return named_here(given, ())
