"""Checks of the claims of [Reddy12]."""
