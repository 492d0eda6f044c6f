"""The abstract AMDGPU memory machine: programs, topologies, placements, and the explorer of their outcomes."""
