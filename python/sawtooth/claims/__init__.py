"""Claims: statements of the studied papers with executable checks and computed verdicts.

Source: data/claims/*.toml hold the statements; the modules here hold the checks, grouped by section of the paper:
abstract, introduction, section3 (scores, choice of algorithms, set-up), section4 (metrics, orders, buffer rule),
section4_1 (loss recovery), section4_3 (discussion), section5 (hybrids' definitions), reddy (the 2012 restriction).
``table`` joins the two and gives the verdicts, ``logic`` says what a verdict is, ``view`` what a check sees.
"""
