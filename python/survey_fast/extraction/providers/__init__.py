"""What can be asked for proposals: rules, recorded answers, a function, a model."""
