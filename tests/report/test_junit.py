"""JUnit's XML as Jenkins and Ant read it.

What the two schemas ask for is written down here in tables of our own: junit-10.xsd of Jenkins' xUnit plugin, and the
JUnit.xsd that describes the reports of Ant's tasks. Of each element: its attributes, which of them must be there, the
children it may have, in which order, and whether it has text.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from axmem.check.judging import Report
from axmem.cli import main
from axmem.encoder.limits import TIME_LIMIT
from axmem.report.junit import Output
from axmem.report.summary import Summary
from tests.paths import INPUTS

TEXT = r"[\s\S]*"
TOKEN = r"[\s\S]*\S[\s\S]*"
INTEGER = r"[+-]?\d+"
DECIMAL = r"[+-]?(\d+(\.\d*)?|\.\d+)"
SECONDS = r"\d*(\.\d*)?"
"""Seconds as Surefire writes them; commas between thousands, which it also takes, are left out here."""
MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"


@dataclass(frozen=True)
class Element:
    """What an element may have: attributes with their patterns, and a pattern of its children's names."""

    must: Mapping[str, str] = field(default_factory=dict)
    may: Mapping[str, str] = field(default_factory=dict)
    children: str = ""
    text: bool = False


def of_text(names: str, pattern: str = TEXT) -> dict[str, str]:
    return dict.fromkeys(names.split(), pattern)


PROPERTIES = {"properties": Element(children="(property )*"), "property": Element(must=of_text("name value"))}
OUTPUT = {"system-out": Element(text=True), "system-err": Element(text=True)}

JENKINS = {
    "testsuites": Element(may={**of_text("name tests failures errors"), "time": SECONDS}, children="(testsuite )*"),
    "testsuite": Element(
        must=of_text("name tests failures errors"),
        may={**of_text("group skipped timestamp hostname id package file log url"), "time": SECONDS},
        children="((testsuite|properties|testcase|system-out|system-err) )*",
    ),
    "testcase": Element(
        must=of_text("name"),
        may=of_text("time classname group"),
        children="((skipped|error|failure|system-out|system-err) )*",
    ),
    **dict.fromkeys(("failure", "error", "skipped"), Element(may=of_text("type message"), text=True)),
    **PROPERTIES,
    **OUTPUT,
}
"""The reruns of Surefire, which a test case may have besides, are left out."""

ANT = {
    "testsuites": Element(children="(testsuite )*"),
    "testsuite": Element(
        must={
            "package": TEXT, "name": TOKEN, "timestamp": MOMENT, "hostname": TOKEN, "time": DECIMAL,
            **of_text("id tests failures errors", INTEGER),
        },
        may={"skipped": INTEGER},
        children="properties (testcase )*system-out system-err ",
    ),
    "testcase": Element(must={**of_text("name classname"), "time": DECIMAL}, children="((skipped|error|failure) )?"),
    **dict.fromkeys(("failure", "error"), Element(must=of_text("type"), may=of_text("message"), text=True)),
    "skipped": Element(may=of_text("type message"), text=True),
    **PROPERTIES,
    **OUTPUT,
}  # fmt: skip


def faults(element: ET.Element, schema: Mapping[str, Element]) -> Iterator[str]:
    """Yield what a schema says against a document."""
    if element.tag not in schema:
        yield f"no element is named {element.tag}"
        return
    rule = schema[element.tag]
    known = {**rule.must, **rule.may}
    yield from (f"{element.tag} without {name}" for name in rule.must if name not in element.attrib)
    for name, value in element.attrib.items():
        if name not in known or not re.fullmatch(known[name], value):
            yield f"{element.tag} with {name}={value}"
    if not re.fullmatch(rule.children, "".join(f"{child.tag} " for child in element)):
        yield f"{element.tag} with the children {[child.tag for child in element]}"
    loose = [element.text, *(child.tail for child in element)]
    if not rule.text and any((text or "").strip() for text in loose):
        yield f"{element.tag} with text"
    for child in element:
        yield from faults(child, schema)


def valid(document: ET.Element) -> bool:
    return [*faults(document, JENKINS), *faults(document, ANT)] == []


RUNS = (
    ". Nowhere.litmus --model two.cat",
    "Unexpected.litmus --model two.cat --max-outcomes 1",
    "SB.litmus --model two.cat --condition-only",
    "Undefined.litmus",
)


Make = Callable[[str], ET.Element]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Make:
    """Run the small tests of the command line, and return what is reported."""
    monkeypatch.chdir(INPUTS)

    def made(arguments: str) -> ET.Element:
        main(["run", *arguments.split(), "--format", "junit", "-o", str(tmp_path / "report.xml")])
        return ET.parse(tmp_path / "report.xml").getroot()

    return made


@pytest.mark.parametrize("arguments", RUNS)
def test_reports_are_valid_for_jenkins_and_ant(report: Make, arguments: str) -> None:
    """And the figures at the head are those of what follows."""
    document = report(arguments)
    assert list(faults(document, JENKINS)) == []
    assert list(faults(document, ANT)) == []
    (suite,) = document
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    for name, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(len(suite.findall(f"testcase/{element}")))


def test_a_report_of_a_worker_that_died_and_one_of_nothing() -> None:
    output = Output()
    output.begin()
    assert valid(ET.fromstring(output.end(Summary())))
    output.report(Report("a.litmus", lost=str(TIME_LIMIT)))
    document = ET.fromstring(output.end(Summary()))
    assert valid(document)
    (skipped,) = document.iter("skipped")
    assert (skipped.get("type"), skipped.get("message")) == ("unknown", "the time limit was reached")


def test_what_is_not_valid_is_found(report: Make) -> None:
    """Each change breaks one of the two schemas at least: the tables above can tell."""
    document = report(RUNS[0])
    assert valid(document)
    (suite,) = document
    failure = next(iter(document.iter("failure")))
    for element, name in ((suite, "hostname"), (suite, "tests"), (failure, "type"), (suite[1], "name")):
        value = element.attrib.pop(name)
        assert not valid(document), f"without {name}"
        element.set(name, value)
    for element, name, value in ((suite, "id", "a"), (suite, "time", "-"), (suite, "a", "b"), (document, "name", "a")):
        old = element.attrib.get(name)
        element.set(name, value)
        assert not valid(document), f"{name}={value}"
        element.attrib.pop(name) if old is None else element.set(name, old)
    for element, name in ((suite, "properties"), (suite[1], "system-out"), (document, "testcase"), (suite[0], "b")):
        child = ET.SubElement(element, name)
        assert not valid(document), f"{name} in {element.tag}"
        element.remove(child)
    suite.text = "text"
    assert not valid(document)


def test_classes_are_tests_and_have_no_dots(report: Make) -> None:
    """Readers take what stands before a dot for a package; two tests are two classes."""
    cases = report(RUNS[0])[0].findall("testcase")
    classes = [case.get("classname", "") for case in cases]
    assert not any("." in name for name in classes)
    assert {"SB", "Wrong", "latin1", "Nowhere"} <= set(classes)
    output = Output()
    output.begin()
    for name in ("a.b.litmus", "a_b.litmus", "../a/b.litmus", "a/b.litmus"):
        output.report(Report(name, lost="no worker"))
    found = [case.get("classname") for case in ET.fromstring(output.end(Summary())).iter("testcase")]
    assert found == ["a·b", "a_b", "··/a/b", "a/b"]


def test_reasons_are_told(report: Make) -> None:
    """Why the test expects what does not hold, what kept an answer from being found, and what was not checked."""
    (failure,) = report(RUNS[0]).iter("failure")
    lines = (failure.text or "").splitlines()
    assert lines[:2] == ["Wrong.litmus:17: expected never, found sometimes", "reason      <&> is not so"]
    assert failure.get("message") == "expected never, found sometimes; expected 2 outcomes, found 3 outcomes"
    (skipped,) = report(RUNS[1]).iter("skipped")
    assert skipped.get("message") == "the limit of 1 outcomes was reached"
    (out,) = report(RUNS[2]).iter("system-out")
    assert "SB.litmus:22: not checked: 3 outcomes (not all of its columns were asked for) under two" in (out.text or "")
