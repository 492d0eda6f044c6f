; A load of data goes up above the acquire load of the flag that says that the data is there.
target triple = "x86_64-unknown-linux-gnu"

@flag = external global i32, align 4

define i32 @src(ptr dereferenceable(4) %p) {
entry:
  %ready = load atomic i32, ptr @flag acquire, align 4
  %c = icmp eq i32 %ready, 0
  br i1 %c, label %no, label %yes

yes:
  %value = load i32, ptr %p, align 4
  ret i32 %value

no:
  ret i32 -1
}

define i32 @tgt(ptr dereferenceable(4) %p) {
entry:
  %value = load i32, ptr %p, align 4
  %ready = load atomic i32, ptr @flag acquire, align 4
  %c = icmp eq i32 %ready, 0
  br i1 %c, label %no, label %yes

yes:
  ret i32 %value

no:
  ret i32 -1
}
