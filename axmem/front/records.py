"""`dataclass`, `field` and `replace`, as the module `dataclasses` has them, of which a process pays for those it uses.

What goes in: a class with annotated fields. What comes out: that class with the methods of a data class. Where the
library compiles the text of six methods for each class when it is defined, here `__init__`, `__eq__` and `__hash__` are
compiled when they are first called: of some 200 classes that a command loads, it makes instances of half and compares a
few. Invariant: instances, `match`, pickles, copies, and the functions of `dataclasses`, which find the fields as the
library describes them, behave alike; an option that no class of the program has is a TypeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING


def names_of(value: object) -> tuple[str, ...]:
    """Return the names of a record's fields, in order; none for anything else."""
    return tuple(getattr(value, "_record_fields", ()))


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    from typing import NamedTuple

    _NONE = object()

    class _Field(NamedTuple):
        """What `field` says of a field."""

        default: object = _NONE
        default_factory: object = _NONE
        compare: bool = True
        hash: bool | None = None
        repr: bool = True

    field = _Field

    class _Record(NamedTuple):
        """A class, its fields by name, with those of its bases, and its options."""

        cls: type
        fields: dict[str, _Field]
        frozen: bool
        slots: bool
        kw_only: bool

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, order=False, kw_only=False):
        """Return a class with the methods of a data class, or what makes it one."""
        if cls is None:
            return lambda found: dataclass(found, frozen=frozen, slots=slots, eq=eq, order=order, kw_only=kw_only)
        own = dict(_own(cls))
        above = [vars(base).get("_record_fields", {}) for base in reversed(cls.__mro__[1:])]
        inherited = {name: entry for fields in above for name, entry in fields.items()}
        found = _with_slots(cls, own, inherited) if slots else _with_defaults(cls, own)
        record = _Record(found, inherited | own, frozen, slots, kw_only)
        for name, method in _methods(record, eq, order).items():
            written = found.__dict__.get(name)
            if written is None or name == "__init__":
                setattr(found, name, method)
        return found

    def replace(record, /, **changes):
        """Return a record like this one, but for some fields."""
        for name in record._record_fields:
            if name not in changes:
                changes[name] = getattr(record, name)
        return record.__class__(**changes)

    def _own(cls):
        """Yield the fields that the class annotates, in the order of its text."""
        for name, annotation in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063 -- not of its bases
            value = cls.__dict__.get(name, _NONE)
            entry = value if isinstance(value, _Field) else _Field(value)
            if str(annotation).startswith(("ClassVar", "InitVar", "KW_ONLY")):
                raise TypeError(f"{cls.__qualname__}.{name}: records have fields only")
            if entry.default.__class__.__hash__ is None:
                raise TypeError(f"{cls.__qualname__}.{name}: a default that can change; give default_factory")
            yield name, entry

    def _with_slots(cls, own, inherited):
        """Return the class with slots for its fields; it has to be made again."""
        body = {name: value for name, value in cls.__dict__.items() if name not in own}
        body.pop("__dict__", None)
        body.pop("__weakref__", None)
        body["__slots__"] = tuple([name for name in own if name not in inherited])
        return type(cls)(cls.__name__, cls.__bases__, body)

    def _with_defaults(cls, own):
        """Return the class, whose attributes are the defaults of its fields."""
        for name, entry in own.items():
            if entry.default is not _NONE:
                setattr(cls, name, entry.default)
            elif name in cls.__dict__:
                delattr(cls, name)
        return cls

    def _methods(record, eq, order):
        """Return the attributes of a record's class; its methods are made of its fields when they are first called."""
        methods = {
            "_record_fields": record.fields,
            "__dataclass_fields__": _Fields(record),
            "__match_args__": () if record.kw_only else tuple(record.fields),
            "__init__": _later(record, "__init__", _init),
            "__repr__": _repr,
        }
        if record.frozen:
            methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
            if record.slots:
                methods |= {"__getstate__": _state, "__setstate__": _later(record, "__setstate__", _restore)}
        if eq:
            methods["__eq__"] = _later(record, "__eq__", _compare)
            methods["__hash__"] = _later(record, "__hash__", _hash) if record.frozen else None
        if order:
            methods |= {name: _later(record, name, _compare) for name in _ORDERS}
        return methods

    def _later(record, name, make):
        """Return a method that is made when it is first called."""

        def first(self, /, *arguments, **named):
            method = make(record, name)
            setattr(record.cls, name, method)
            return method(self, *arguments, **named)

        return first

    def _compiled(name, parameters, lines, known):
        """Return the function of this name with these lines."""
        exec(f"def {name}({', '.join(parameters)}):\n" + "\n".join(f" {line}" for line in lines), known)
        return known[name]

    def _init(record, name):
        """Return the method that sets the fields."""
        known = {"_none": _NONE, "_set": object.__setattr__}
        parameters, lines = ["self", "*"] if record.kw_only else ["self"], ["pass"]
        for each, entry in record.fields.items():
            value = each
            if entry.default_factory is not _NONE:
                known[f"_d_{each}"] = entry.default_factory
                parameters.append(f"{each}=_none")
                value = f"_d_{each}() if {each} is _none else {each}"
            elif entry.default is not _NONE:
                known[f"_d_{each}"] = entry.default
                parameters.append(f"{each}=_d_{each}")
            else:
                parameters.append(each)
            if not record.frozen:
                lines.append(f"self.{each} = {value}")
            elif record.slots:
                known[f"_s_{each}"] = getattr(record.cls, each).__set__
                lines.append(f"_s_{each}(self, {value})")
            else:
                lines.append(f"_set(self, {each!r}, {value})")
        if hasattr(record.cls, "__post_init__"):
            lines.append("self.__post_init__()")
        return _compiled(name, parameters, lines, known)

    _ORDERS = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}

    def _compare(record, name):
        """Return the method that compares the fields of records of one class."""
        names = [each for each, entry in record.fields.items() if entry.compare]
        one, other = (f"({''.join(f'{of}.{each}, ' for each in names)})" for of in ("self", "other"))
        lines = [f"if other.__class__ is self.__class__: return {one} {_ORDERS[name]} {other}", "return NotImplemented"]
        return _compiled(name, ("self", "other"), lines, {})

    def _hash(record, name):
        """Return the method that hashes the fields."""
        names = [n for n, entry in record.fields.items() if (entry.compare if entry.hash is None else entry.hash)]
        return _compiled(name, ("self",), [f"return hash(({''.join(f'self.{each}, ' for each in names)}))"], {})

    def _repr(self):
        shown = [f"{name}={getattr(self, name)!r}" for name, entry in self._record_fields.items() if entry.repr]
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _refuse(self, name, *_):
        from dataclasses import FrozenInstanceError  # noqa: PLC0415 -- heavy, and an error of the program

        raise FrozenInstanceError(f"cannot change field {name!r}")

    def _state(self):
        return [getattr(self, name) for name in self._record_fields]

    def _restore(record, name):
        """Return the method that sets the fields to those of `_state`."""
        known = {f"_s_{each}": getattr(record.cls, each).__set__ for each in record.fields}
        values = [f"v{number}" for number in range(len(known))]
        lines = [f"{''.join(f'{value}, ' for value in values)} = state" if known else "() = state"]
        lines += [f"{setter}(self, {value})" for setter, value in zip(known, values, strict=True)]
        return _compiled(name, ("self", "state"), lines, known)

    class _Fields:
        """The fields as `dataclasses` describes them, made when somebody asks."""

        def __init__(self, record):
            self.record = record
            self.found = None

        def __get__(self, instance, owner):
            """Return the fields by name."""
            if self.found is None:
                import dataclasses as library  # noqa: PLC0415 -- heavy

                said = {
                    each: {key: value for key, value in entry._asdict().items() if value is not _NONE}
                    for each, entry in self.record.fields.items()
                }
                described = [(each, object, library.field(**options)) for each, options in said.items()]
                self.found = library.make_dataclass(owner.__name__, described, kw_only=True).__dataclass_fields__
            return self.found
