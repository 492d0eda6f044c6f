"""Changes of programs whose answers are known: pairs of functions of LLVM IR, written after public reports.

Each `.ll` file is one topic. `library` reads them, `tabled` makes more of them from tables, `closed` makes the litmus
tests that show what is unsound, `judging` asks `axmem refine`, and `python -m tests.refinement.known` prints what is
answered.
"""
