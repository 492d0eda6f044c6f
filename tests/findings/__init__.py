"""What the pages of findings say of LLVM: their commands, and which versions are wrong on which targets."""
