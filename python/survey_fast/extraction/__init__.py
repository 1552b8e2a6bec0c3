"""From a source text to proposals: preparation, providers, grounding, the envelope."""
