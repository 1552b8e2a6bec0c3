"""Trust bundles: what reviewed values become, how they are checked and what they amount to."""
