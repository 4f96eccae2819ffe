"""Checks of the claims of [Lahanas03], a file per section."""
