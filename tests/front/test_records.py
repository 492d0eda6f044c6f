"""Records are the data classes of the library: the same text defines both, and everything said of them is compared."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from axmem.front import records
from axmem.front.records import names_of

TEXT = '''
from __future__ import annotations
from functools import cached_property

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    names: tuple[str, ...] = ()
    place: str = field(default="", compare=False, hash=False, repr=False)

@dataclass(frozen=True, slots=True)
class Deep(Point):
    z: int = 3
    y: int = 4

@dataclass(slots=True)
class Changing:
    first: int
    rest: list[int] = field(default_factory=list)

@dataclass(frozen=True, eq=False)
class Known:
    x: int

    @cached_property
    def twice(self) -> int:
        return 2 * self.x

@dataclass(frozen=True, slots=True, order=True)
class Ordered:
    major: int
    minor: int = 0

@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    word: str
    number: int = 1

@dataclass(frozen=True)
class Held:
    low: int
    high: int = 9

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(self)

@dataclass(frozen=True, slots=True)
class Written:
    x: int

    def __repr__(self) -> str:
        return "written"

    def __eq__(self, other: object) -> bool:
        return True

@dataclass(frozen=True, slots=True)
class Nothing:
    pass
'''


@pytest.fixture(params=[records, dataclasses], ids=["records", "library"])
def defined(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The classes, as either makes them."""
    module = ModuleType("records_of_a_test")
    module.__dict__.update({name: getattr(request.param, name) for name in ("dataclass", "field", "replace")})
    sys.modules[module.__name__] = module
    exec(compile(TEXT, "records_of_a_test", "exec", dont_inherit=True), module.__dict__)
    yield module
    del sys.modules[module.__name__]


def test_made_and_shown(defined: Any) -> None:
    assert repr(defined.Point(1)) == "Point(x=1, y=2, names=())"
    assert repr(defined.Deep(1, z=5)) == "Deep(x=1, y=4, names=(), z=5)"
    assert repr(defined.Changing(1)) == "Changing(first=1, rest=[])"
    assert defined.Changing(1).rest is not defined.Changing(1).rest
    assert repr(defined.Named(word="w")) == "Named(word='w', number=1)"
    assert repr(defined.Written(1)) == "written" and repr(defined.Nothing()) == "Nothing()"
    for wrong in (lambda: defined.Point(), lambda: defined.Point(1, no=2), lambda: defined.Named("w")):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError):
        defined.Held(10)


def test_compared_and_hashed(defined: Any) -> None:
    point = defined.Point(1, place="here")
    assert point == defined.Point(1, place="there") and hash(point) == hash(defined.Point(1))
    assert point != defined.Point(2) and point != defined.Deep(1, 2) and point != 1
    assert defined.Written(1) == defined.Written(2)
    assert defined.Known(1) != defined.Known(1) and defined.Known(4).twice == 8
    with pytest.raises(TypeError):
        hash(defined.Changing(1))
    assert sorted([defined.Ordered(2), defined.Ordered(1, 5), defined.Ordered(1)]) == [
        defined.Ordered(1), defined.Ordered(1, 5), defined.Ordered(2),
    ]  # fmt: skip
    assert defined.Ordered(1) <= defined.Ordered(1) and defined.Ordered(2) >= defined.Ordered(1)


def test_changed_copied_and_sent(defined: Any) -> None:
    deep = defined.Deep(1, names=("a",), place="p")
    for replace in (defined.replace, dataclasses.replace):
        changed = replace(deep, z=7)
        assert (changed.z, changed.names, changed.place) == (7, ("a",), "p") and type(changed) is defined.Deep
    for again in (copy.copy(deep), copy.deepcopy(deep), pickle.loads(pickle.dumps(deep))):
        assert again == deep and again.place == "p"
    for instance in (deep, defined.Held(1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            instance.x = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del instance.x
    changing = defined.Changing(1)
    changing.first = 2
    assert changing.first == 2 and pickle.loads(pickle.dumps(changing)) == changing
    with pytest.raises(AttributeError):
        changing.other = 1


def test_matched(defined: Any) -> None:
    match defined.Deep(1, 2, ("n",)):
        case defined.Point(x, y, names):
            assert (x, y, names) == (1, 2, ("n",))
        case _:
            pytest.fail("not matched")
    assert defined.Named.__match_args__ == ()


def test_described_by_the_library(defined: Any) -> None:
    names = ["x", "y", "names", "place", "z"]
    assert [f.name for f in dataclasses.fields(defined.Deep)] == names
    assert [f.default for f in dataclasses.fields(defined.Point)][1:] == [2, (), ""]
    assert dataclasses.is_dataclass(defined.Nothing()) and not dataclasses.fields(defined.Nothing)
    assert dataclasses.asdict(defined.Changing(1, [2])) == {"first": 1, "rest": [2]}
    assert dataclasses.astuple(defined.Named(word="w")) == ("w", 1)


def test_a_method_is_made_by_the_class_that_has_it(defined: Any) -> None:
    """Asked first of a class below, and of one above afterwards."""
    assert defined.Deep(1, 2) == defined.Deep(1, 2) and defined.Point(1) == defined.Point(1)
    assert hash(defined.Deep(1, 2)) != hash(defined.Point(1))


@pytest.mark.parametrize(
    "body", ["x: ClassVar[int] = 1", "x: InitVar[int]", "_: KW_ONLY", "x: list[int] = []"], ids=str.split
)
def test_what_no_class_has_is_an_error(body: str) -> None:
    text = f"from __future__ import annotations\n@dataclass\nclass C:\n    {body}\n"
    with pytest.raises(TypeError):
        exec(compile(text, "one", "exec", dont_inherit=True), {"dataclass": records.dataclass, "__name__": "one"})


def test_the_names_of_fields() -> None:
    @records.dataclass(frozen=True)
    class Pair:
        left: int
        right: int = 0

    assert names_of(Pair(1)) == ("left", "right") and names_of("text") == names_of(1) == ()
