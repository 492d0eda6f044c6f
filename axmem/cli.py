"""The command line.

What goes in: the arguments. What comes out: the exit code; the commands print. Each command is a module of
`axmem.commands` with `add_parser`, which imports nothing heavy, so that help appears at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module  # noqa: TID251 -- of the command that is run
from importlib.util import find_spec
from typing import Any, NoReturn

from axmem.front.exits import (
    BROKEN_PIPE,
    EXIT_CODES,
    INPUT_ERROR,
    INTERNAL_ERROR,
    TRACEBACK,
    UNKNOWN,
    OutOfTime,
    fault,
    interrupt_code,
)
from axmem.front.files import including
from axmem.front.garbage import collect_rarely
from axmem.front.interrupts import heard
from axmem.front.notes import want_remarks
from axmem.front.options import ANNOTATIONS, Command, HelpLayout, Subparsers, in_dialect, plain
from axmem.front.output import spare
from axmem.front.settings import Settings, added, choose_clang, placed, settings
from axmem.front.source import InputError, OutputError
from axmem.front.spelling import ABOUT, COMMANDS, GROUPS, read, shown, spelled, usage
from axmem.front.streams import colour_streams, standard_streams
from axmem.front.typing import override
from axmem.front.usage import CommandLine, refuse_command, without_help_command
from axmem.front.version import __version__

SHELLS = ("bash", "zsh", "fish", "tcsh")
HELP = ("-h", "--help")
REMARKS = "-v"


def build_parser(commands: Iterable[str] = COMMANDS) -> tuple[CommandLine, Subparsers]:
    """Return the parser of the command line with some commands, and those of the commands by how they are spelled."""
    parser, subparsers = _main_parser(CommandLine)
    _add(subparsers, commands, CommandLine)
    return parser, subparsers


def _shown_parser(form: type[Any]) -> CommandLine:
    """Return a parser of the words that help lists; if more is asked than what they do, with the groups' commands."""
    parser, subparsers = _main_parser(form)
    for word in shown(tuple(_installed(COMMANDS))):
        if word not in GROUPS:
            _add(subparsers, (word,), form)
        elif form is _Unasked:
            subparsers.add_parser(word)
        else:
            _add_members(subparsers.add_parser(word), word, form)
    return parser


def _group_parser(word: str) -> CommandLine:
    """Return a parser that lists the commands of a group and knows nothing else of them."""
    parser = CommandLine(prog=f"axmem {word}", description=f"{ABOUT[word].capitalize()}.", formatter_class=HelpLayout)
    plain(parser)
    parser.example = f"axmem {word} {GROUPS[word][0]} --help; there are {', '.join(GROUPS[word])}"
    _add_members(parser, word, _Unasked)
    return parser


def _add_members(group: CommandLine, word: str, form: type[Any]) -> None:
    """Add the commands of a group to the parser of its word."""
    inner = group.add_subparsers(
        action=_Members, title="commands", metavar="COMMAND", required=True, parser_class=form, prog=group.prog
    )
    _add(inner, GROUPS[word], form)


def _add(subparsers: Subparsers, names: Iterable[str], form: type[Any]) -> None:
    """Add commands, or only what they do if nothing else is asked of them."""
    for name in _installed(names):
        if form is _Unasked:
            subparsers.add_parser(name)
        else:
            import_module(_module(name)).add_parser(subparsers)


def _installed(commands: Iterable[str]) -> Iterator[str]:
    """Yield the commands that are there: a page in a browser has not all of them."""
    return (name for name in commands if find_spec(_module(name)) is not None)


def _module(command: str) -> str:
    return f"axmem.commands.{command.replace('-', '_')}"


def _main_parser(form: type[Any]) -> tuple[CommandLine, Subparsers]:
    """Return the parser of the command line, and where commands go, whose parsers have this form."""
    parser = CommandLine(
        prog="axmem",
        description="Which outcomes a litmus test may have, exhaustively, under LLVM's, AMDGPU's or any cat model.",
        epilog=EXIT_CODES,
        formatter_class=HelpLayout,
        allow_abbrev=False,
    )
    plain(parser)
    parser.add_argument(
        "--version", action="version", version=f"axmem {__version__}", help="print the version and exit"
    )
    remarks = "before the command: say, too, what is left out silently, such as a check by LLVM"
    parser.add_argument(REMARKS, dest="remarks", action="store_true", help=remarks)
    help_ = f"print the script that completes command lines in this shell: {', '.join(SHELLS)}"
    parser.add_argument("--completion", choices=SHELLS, action=_Printed, metavar="SHELL", help=help_)
    parser.add_argument("--man", nargs=0, action=_Printed, help="print the manual page")
    subparsers = parser.add_subparsers(
        action=_Commands, title="commands", metavar="COMMAND", required=True, parser_class=form, prog=parser.prog
    )
    return parser, subparsers


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """The commands, as they are spelled; each is listed with what it does."""

    @override
    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        about, prog = ABOUT.get(name) or COMMANDS[name], f"{self._prog_prefix} {usage(name)}"
        made: argparse.ArgumentParser = super().add_parser(spelled(name), help=about, prog=prog, **options)
        return made


class _Members(argparse._SubParsersAction):  # type: ignore[type-arg]
    """The commands of a group."""

    @override
    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = super().add_parser(name, help=COMMANDS[name], **options)
        return made


class _Unasked:
    """The parser of a command of which nothing is asked but what it does."""

    def __init__(self, **_: Any) -> None:
        """Forget what it would be made of."""


class _Printed(argparse.Action):
    """An option that prints what is made from the whole parser, and exits."""

    @override
    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: object, option_string: str | None = None
    ) -> NoReturn:
        sys.stdout.write(shell_text("man" if self.dest == "man" else str(values)))
        parser.exit()


def shell_text(what: str) -> str:
    """Return the script that completes command lines in a shell, or the manual page for `man`."""
    from axmem.report.shell import completion, manual

    return manual(build_parser()[0], __version__) if what == "man" else completion(_shown_parser(CommandLine), what)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; those of a command may stand in any order, options after paths too."""
    words = without_help_command(arguments)
    named = read(words, COMMANDS)
    if named.instead and sys.stderr is not None and sys.stderr.isatty():
        print(f"axmem: '{named.former}' is now '{named.instead}'", file=sys.stderr)
    if named.command:
        _, subparsers = build_parser([named.command])
        if spelled(named.command) in subparsers.choices:
            command = subparsers.choices[spelled(named.command)]
            command.refuse_unknown_options(named.words, _having)
            found = _settings(named.words)
            given = [*(added(found, command, named.words) if found else ()), *named.words]
            options, misplaced = command.parse_known_args(given)
            options = command.parse_intermixed_args(given) if misplaced else options
            if found:
                options.main = _placing_errors(options.main, found, named.words)
            return options
    if words and all(word in HELP for word in words):
        return _shown_parser(_Unasked).parse_args(words)
    if words and words[0] in GROUPS:
        group = _group_parser(words[0])
        if words[1:] and words[1] not in HELP:
            members = GROUPS[words[0]]
            refuse_command(group, words[1:], {name: name for name in members}, members[0])
        return group.parse_args(words[1:])
    parser = build_parser()[0]
    if words and words[0] not in COMMANDS and words[0].split("=")[0] not in parser._option_string_actions:
        refuse_command(parser, words, {name: spelled(name) for name in (*COMMANDS, *GROUPS)})
    return parser.parse_args(words)


def _having(option: str) -> list[str]:
    """Return the commands that have an option, as they are spelled."""
    return [name for name, each in build_parser()[1].choices.items() if option in each._option_string_actions]


def _settings(words: Sequence[str]) -> Settings | None:
    """Return the settings of the project for a command that asks something."""
    found = None if any(word in HELP for word in words) else settings()
    if found is not None:
        choose_clang(found)
    return found


def _placing_errors(command: Command, found: Settings, words: Sequence[str]) -> Command:
    """Return a command whose errors about options that the settings give are at the settings."""

    def run(options: argparse.Namespace) -> int:
        try:
            return command(options)
        except OutputError:
            raise
        except InputError as error:
            raise placed(error, found, words) from None

    return run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    with standard_streams(), heard():
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        except InputError as error:
            print(error, file=sys.stderr)
            return INPUT_ERROR
        except BrokenPipeError:
            return BROKEN_PIPE
        except KeyboardInterrupt as interrupt:
            print("axmem: interrupted", file=sys.stderr)
            return interrupt_code(interrupt)
        except Exception as error:
            return _failed(error)


def _failed(error: Exception) -> int:
    """Say that memory or time is over, or that axmem has a fault; return the exit code of that, which is no answer."""
    from axmem.check.limits import ran_out_of_memory
    from axmem.encoder.limits import MEMORY_LIMIT, TIME_LIMIT

    if isinstance(error, OutOfTime) or ran_out_of_memory(error):
        limit = TIME_LIMIT if isinstance(error, OutOfTime) else MEMORY_LIMIT
        print(f"axmem: unknown: {limit}", file=sys.stderr)
        return UNKNOWN
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
    print(f"axmem: {fault(error)}", file=sys.stderr)
    print(f"  hint: this is a fault of axmem and no answer; {TRACEBACK}=1 shows where it happened", file=sys.stderr)
    return INTERNAL_ERROR


def process() -> NoReturn:
    """Run the command and leave the process: the system takes memory back faster than objects of Z3 go one by one."""
    collect_rarely()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


def _run(arguments: Sequence[str]) -> int:
    """Run the command; all that it printed is written when this returns."""
    try:
        wanted = list(arguments[:1]) == [REMARKS]
        want_remarks(wanted=wanted)
        options = parse_arguments(arguments[wanted:])
        colour_streams(options.color)
        spare(getattr(options, "output", None), _words(v for name, v in vars(options).items() if name != "output"))
        return _main(options)
    finally:
        sys.stdout.flush()


def _main(options: argparse.Namespace) -> int:
    """Run the command; where GitHub reads the output an error is an annotation, which has no line of a file."""
    try:
        in_dialect(options)
        with including(getattr(options, "include", ())):
            return int(options.main(options))
    except InputError as error:
        if isinstance(error, OutputError) or getattr(options, "format", None) != ANNOTATIONS:
            raise
        from axmem.report.github import annotation

        sys.stdout.write("".join(map(annotation, error.diagnostics)))
        return INPUT_ERROR


def _words(values: Iterable[object]) -> Iterator[str]:
    """Yield the words of a command line, whatever option has them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from _words(value)
