"""How stored runs lie on disk or in a bucket: whole files that never change, what is in them, and what may be done with them.

A *shelf* keeps files (`local`, `remote`), a *batch* is one of them (`batch`), a *row* is a run in it (`rows`), the *index* says which file
holds which run (`index`), a *reader* takes rows out (`reader`). `compaction`, `verify` and `merge` work on whole stores.
"""
