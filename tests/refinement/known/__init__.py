"""Changes of programs whose answers are known: pairs of functions of LLVM IR, written after public reports.

Each `.ll` file is one topic. `library` reads them, `closed` makes the litmus tests that show what is unsound.
"""
