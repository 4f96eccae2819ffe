"""Search for patterns of bandwidth under which a controller wins or loses, or claims hold: ``sawtooth environment search``.

``space`` says which patterns there are, ``goal`` what is looked for, ``search`` how; ``ask`` turns names into these.
"""
