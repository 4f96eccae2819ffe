"""`sawtooth doctor`: versions, build, self-check."""

from __future__ import annotations

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, table


def command(as_json: JsonOption = False) -> None:
    """Show versions and check this installation by simulating. Exits with 1 if a check fails.

    Example: sawtooth doctor
    """
    from sawtooth.run.doctor import self_check, versions

    found = versions()
    checks = self_check()
    sound = all(check.ok for check in checks)
    if as_json:
        listed = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        emit_document("doctor", {"ok": sound, "versions": found, "checks": listed})
    else:
        out = console()
        rows = table("versions", "what", "version")
        for name, value in found.items():
            rows.add_row(name, value)
        results = table("self-check", "check", "result", "detail")
        for check in checks:
            results.add_row(check.name, "ok" if check.ok else "FAILED", check.detail)
        out.print(rows)
        if found["profile"] != "release":
            out.print(f"this is a {found['profile']} build: correct, but slow")
        out.print()
        out.print(results)
    if not sound:
        raise typer.Exit(1)
