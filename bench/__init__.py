"""The project's own benchmarks: each run measures both sides of a comparison on the same machine."""
