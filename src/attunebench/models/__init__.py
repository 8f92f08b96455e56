"""The one place that talks to a model: providers, settings, usage, failures."""
