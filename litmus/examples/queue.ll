; ModuleID = 'queue.c'
source_filename = "queue.c"
target triple = "x86_64-unknown-linux-gnu"

%struct.queue = type { [8 x i32], i64, i64 }

@.str = private unnamed_addr constant [4 x i8] c"%d\0A\00", align 1
@calls = internal global i32 0, align 4
@limit = dso_local global i64 8, align 8

declare i32 @printf(ptr, ...)
declare double @sqrt(double)

define internal double @weight(i32 %v) {
entry:
  %c = sitofp i32 %v to double
  %r = call double @sqrt(double %c)
  ret double %r
}

define dso_local zeroext i1 @push(ptr noundef %q, i32 noundef %v) local_unnamed_addr {
entry:
  %n = load i32, ptr @calls, align 4
  %inc = add nsw i32 %n, 1
  store i32 %inc, ptr @calls, align 4
  %tail.ptr = getelementptr inbounds %struct.queue, ptr %q, i64 0, i32 2
  %head.ptr = getelementptr inbounds %struct.queue, ptr %q, i64 0, i32 1
  %tail = load atomic i64, ptr %tail.ptr monotonic, align 8
  %head = load atomic i64, ptr %head.ptr acquire, align 8
  %size = sub i64 %tail, %head
  %max = load i64, ptr @limit, align 8
  %full = icmp uge i64 %size, %max
  br i1 %full, label %return, label %room

room:
  %index = and i64 %tail, 7
  %slot = getelementptr inbounds [8 x i32], ptr %q, i64 0, i64 %index
  store i32 %v, ptr %slot, align 4
  %next = add i64 %tail, 1
  store atomic i64 %next, ptr %tail.ptr release, align 8
  br label %return

return:
  %ok = phi i1 [ false, %entry ], [ true, %room ]
  ret i1 %ok
}

define dso_local i32 @pop(ptr noundef %q) local_unnamed_addr {
entry:
  %sum = alloca i32, align 4
  store i32 0, ptr %sum, align 4
  %head.ptr = getelementptr inbounds %struct.queue, ptr %q, i64 0, i32 1
  %tail.ptr = getelementptr inbounds %struct.queue, ptr %q, i64 0, i32 2
  %head = load atomic i64, ptr %head.ptr monotonic, align 8
  %tail = load atomic i64, ptr %tail.ptr acquire, align 8
  %empty = icmp eq i64 %head, %tail
  br i1 %empty, label %none, label %some

some:
  %index = and i64 %head, 7
  %slot = getelementptr inbounds [8 x i32], ptr %q, i64 0, i64 %index
  %v = load i32, ptr %slot, align 4
  %next = add i64 %head, 1
  store atomic i64 %next, ptr %head.ptr release, align 8
  br label %loop

loop:
  %i = phi i32 [ 0, %some ], [ %i1, %loop ]
  %old = load i32, ptr %sum, align 4
  %new = add i32 %old, %i
  store i32 %new, ptr %sum, align 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %v
  br i1 %more, label %loop, label %show

show:
  %w = call double @weight(i32 %v)
  %heavy = fcmp ogt double %w, 1.0
  br i1 %heavy, label %print, label %none

print:
  %r = call i32 (ptr, ...) @printf(ptr @.str, i32 %v)
  br label %none

none:
  %result = phi i32 [ -1, %entry ], [ %v, %show ], [ %v, %print ]
  ret i32 %result
}
