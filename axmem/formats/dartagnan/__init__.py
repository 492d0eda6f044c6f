"""Dartagnan's litmus tests for Vulkan, PTX and OpenCL: herd's form with places of threads, aliases and attributes."""
