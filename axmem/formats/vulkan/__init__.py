"""Tests of Vulkan's memory model: Khronos' form and Dartagnan's, and what both say of operations."""
