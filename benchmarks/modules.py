"""How long reading LLVM IR takes: a module of so many lines, as clang would write it.

What goes in: nothing. What comes out: rows of a table, with the CPU seconds of one reading, LLVM's own parser included
where it is there.
"""

from __future__ import annotations

import time

from axmem.formats.reading import parse

LINES = (200, 1000, 2000)
AT_MOST = 0.5 / 2000
"""The seconds that a line may take."""
_FUNCTION = """
define dso_local i32 @f{n}(i32 noundef %n) local_unnamed_addr #0 {{
entry:
  %0 = load atomic i32, ptr @flag acquire, align 4
  %cmp = icmp ne i32 %0, {n}
  br i1 %cmp, label %for.body, label %return

for.body:                                         ; preds = %entry, %for.body
  %i = phi i32 [ 0, %entry ], [ %inc, %for.body ]
  %arrayidx = getelementptr inbounds nuw %struct.S, ptr @data, i64 0, i32 1, i64 2
  %1 = load i32, ptr %arrayidx, align 4
  %add = add nsw i32 %1, %i
  store i32 %add, ptr @x{n}, align 4
  %inc = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %inc, 2
  br i1 %done, label %return, label %for.body, !llvm.loop !6

return:                                           ; preds = %for.body, %entry
  store atomic i32 {n}, ptr @flag release, align 4
  ret i32 0
}}
"""


def module(lines: int) -> str:
    """Return a module of about so many lines."""
    count = lines // 22
    head = ["; ModuleID = 'large.c'", 'source_filename = "large.c"', "%struct.S = type { i64, [4 x i32] }"]
    head += ["@data = global %struct.S zeroinitializer, align 8", "@flag = global i32 0, align 4"]
    head += [f"; axmem: thread T{n} = @f{n}(1)\n@x{n} = global i32 0, align 4" for n in range(count)]
    tail = ["attributes #0 = { nounwind }", "!6 = distinct !{!6, !7}"]
    tail += ['!7 = !{!"llvm.loop.mustprogress"}']
    return "\n".join([*head, *(_FUNCTION.format(n=n) for n in range(count)), *tail]) + "\n"


def rows() -> list[list[str]]:
    """Return a row for each size: lines, CPU seconds, and how many they may be."""
    parse(module(40), "module.ll")
    found = []
    for lines in LINES:
        text = module(lines)
        start = time.process_time()
        parse(text, "module.ll")
        found.append([str(text.count("\n")), f"{time.process_time() - start:.2f}", f"{AT_MOST * lines:.2f}"])
    return found
