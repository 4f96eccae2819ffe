"""Claims: statements of the studied papers with executable checks and computed verdicts.

Source: data/claims/*.toml hold the statements; the modules here hold the checks, grouped by section of the paper:
abstract, introduction, section3 (scores, choice of algorithms, set-up), section4 (metrics, orders, buffer rule),
section4_1 (loss recovery), section4_3 (discussion), section5 (hybrids' definitions), steady_states (section 5.1),
reddy (the 2012 restriction), sliding_window (its section 1), lahanas_* (AIMD with fast convergence).
``table`` joins the two and gives the verdicts, ``logic`` says what a verdict is, ``view`` what a check sees.
"""
