"""Closed forms and the synchronous model: everything of the four works that is algebra, to be used without a network.

Every function takes numbers or NumPy arrays (which broadcast), says its units and the equation it comes from, and raises ``InputError``
for what lies outside its domain. Modules by subject:

- ``synchronous``: controllers of the laboratory on one capacity with binary feedback, round by round [ChiuJain89]
- ``fairness``: steady states and fairness of the four-parameter linear family [Akella02] §5.1
- ``fast_convergence``: AIMD-FC and AIMD-FC+ [Lahanas03]
- ``inputs``: what a model accepts, and the error for what it does not
"""
