"""Whether a JSON document is what its schema says."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sawtooth.documents import FORMATS, format_of, schema


@cache
def validator(kind: str) -> Draft202012Validator:
    """What checks a document of this kind."""
    return Draft202012Validator(schema(kind))


def fits(document: Any) -> str:
    """Fails unless the document says what it is and has the keys and values of its schema, or is a schema itself; returns its kind."""
    if "$schema" in document:
        Draft202012Validator.check_schema(document)
        return "schema"
    kinds = {format_of(kind): kind for kind in FORMATS}
    assert document.get("format") in kinds, "every document says what it is"
    kind = kinds[document["format"]]
    plain = json.loads(json.dumps(document, allow_nan=False))
    faults = [f"{fault.json_path}: {fault.message[:300]}" for fault in validator(kind).iter_errors(plain)]
    if faults:
        pytest.fail(f"{kind}:\n" + "\n".join(faults[:10]))
    return kind
