source_filename = "x.c"
@x = global i32 0, align 4
declare void @f()
