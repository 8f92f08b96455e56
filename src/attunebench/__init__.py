"""Measure how well language models read people."""
