"""Checks of the claims of [Akella02], a file per section."""
