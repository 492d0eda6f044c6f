"""The tests: a folder for each room of the source, and `repository` for what is no room.

`make test-ROOM` runs one of them. Beside the rooms stand the programs that go on where the tests stop, each with a
command of its own (`differential`, `long`, `machine`, `lowering`, `uniformity`, `assembly`, `mutants`,
`kill_and_resume`), and what rooms share: `paths`, `origins`, `goldens`, `malformed`, `models`.
"""
