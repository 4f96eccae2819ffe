"""Reconstruction: which combination of a paper's open values explains its printed tables best, how sure that is, and what none explains.

``factors`` are the open parameters and their levels, ``rows`` the printed numbers and the misfit, ``sweep`` the runs, ``emulator`` what any
combination would give, ``calibration`` the values that meet print best, ``result`` what comes out; ``reconstruct`` ties them together for
``sawtooth reproduce PAPER --reconstruct``. With ``--parameter``, ``crossing`` runs all combinations of a few parameters for all tables, and
``confidence_set`` tells which may be nearest to print.
"""
