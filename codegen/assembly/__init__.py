"""Reading AMDGPU assembly: text, registers, and what each thread does to memory."""
