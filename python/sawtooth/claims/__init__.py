"""Claims: statements of a paper with executable checks and computed verdicts.

Statements and checks stand side by side in `papers/<paper>/claims`. Here is what all of them share: ``logic`` says what a verdict is,
``view`` what a check sees, and ``table`` joins statements and checks and gives the verdicts.

Source: none.
"""
