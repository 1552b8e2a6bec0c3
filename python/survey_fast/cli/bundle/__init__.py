"""The commands ``survey-fast bundle …``."""
