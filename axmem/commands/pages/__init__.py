"""What one command alone prints or draws, or one and its neighbours; `axmem.report` has what several rooms show."""
