"""What leaves a run: the reviewed export, views of it, and the inspection of its extraction."""
