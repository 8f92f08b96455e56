"""Formulas of `attunebench.score` on arrays, for many conversations or many random draws at once.

Each is that of the plain function it names, with NaN where that returns none. Sums are rounded as the plain ones are.
"""
