"""The commands ``survey-fast session …``."""
