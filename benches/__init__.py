"""What the package promises about speed and memory, measured; see docs/performance.md."""
