"""Local runs: a directory that proves what was extracted, decided and exported."""
