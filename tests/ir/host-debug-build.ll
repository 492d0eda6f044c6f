; Flag passing as clang writes it without optimization: variables in memory, debug records, calls of helpers. Variables
; of the stack that are only stored and loaded are no memory that others could see, so that the outcomes are those of
; the optimized program.
; axmem: exists (@consumer:return=0)
; axmem: expect llvm never "either 42 was read behind the flag, or -1 is returned"
; axmem: outcomes llvm {
; axmem:   consumer:return=42
; axmem:   consumer:return=0xffffffff
; axmem: }
source_filename = "debug.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@data = dso_local global i32 0, align 4, !dbg !3
@flag = dso_local global i32 0, align 4

; Function Attrs: noinline nounwind optnone uwtable
define internal void @publish(ptr noundef %where, i32 noundef %what) #0 {
entry:
  %where.addr = alloca ptr, align 8
  %what.addr = alloca i32, align 4
  store ptr %where, ptr %where.addr, align 8
    #dbg_declare(ptr %where.addr, !4, !DIExpression(), !5)
  store i32 %what, ptr %what.addr, align 4
  %0 = load i32, ptr %what.addr, align 4
  %1 = load ptr, ptr %where.addr, align 8
  store i32 %0, ptr %1, align 4
  store atomic i32 1, ptr @flag release, align 4
  ret void
}

define dso_local void @producer() #0 {
entry:
  call void @publish(ptr noundef @data, i32 noundef 42), !dbg !6
  ret void
}

define internal i32 @ready() #0 {
entry:
  %0 = load atomic i32, ptr @flag acquire, align 4
  %cmp = icmp ne i32 %0, 0
  %conv = zext i1 %cmp to i32
  ret i32 %conv
}

define dso_local i32 @consumer() #0 {
entry:
  %retval = alloca i32, align 4
  %call = call i32 @ready()
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  %0 = load i32, ptr @data, align 4
  store i32 %0, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  store i32 -1, ptr %retval, align 4
  br label %return

return:                                           ; preds = %if.end, %if.then
  %1 = load i32, ptr %retval, align 4
  ret i32 %1
}

attributes #0 = { mustprogress nofree norecurse nounwind willreturn uwtable "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{!"clang version 19.1.0"}
!3 = !DIGlobalVariableExpression(var: !4, expr: !DIExpression())
!4 = distinct !DIGlobalVariable(name: "data", scope: null, line: 1, isLocal: false, isDefinition: true)
!5 = !DILocation(line: 3, column: 1, scope: !7)
!6 = !DILocation(line: 9, column: 3, scope: !7)
!7 = distinct !DISubprogram(name: "f", line: 2, spFlags: DISPFlagDefinition)
