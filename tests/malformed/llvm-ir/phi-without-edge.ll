; axmem: exists (@f:%r=0)
@x = global i32 0
define void @f() {
entry:
  %a = load i32, ptr @x
  %c = icmp eq i32 %a, 1
  br i1 %c, label %set, label %done
set:
  br label %done
done:
  %r = phi i32 [ %a, %set ]
  ret void
}
