"""Sources in HIP, OpenCL, C and C++ after published algorithms, each right and in broken forms, and what is found."""
