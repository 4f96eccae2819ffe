"""The command line: `sawtooth COMMAND`. One file per command; this one finds the file and turns exceptions into exit codes.

| exit | means                                                                        |
|------|------------------------------------------------------------------------------|
| 0    | done, whatever the verdicts                                                  |
| 1    | a comparison failed (`replay`, `doctor`, `store merge`), a rule is broken, stored runs are damaged (`store verify`, `export`) |
| 2    | bad input: at most three lines on standard error say where and what is accepted |
| 69   | workers or their scheduler went away, or have another Sawtooth; finished runs are in the store |
| 70   | a fault of Sawtooth itself                                                   |
| 130  | Ctrl-C; finished runs are in the store                                       |
| 129, 143 | the same for SIGHUP and SIGTERM, which batch systems send before they kill |
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final, NoReturn, TextIO

import typer

from sawtooth import _native
from sawtooth.cli.late_libraries import load_when_used
from sawtooth.cli.output import answering, emit_text, note
from sawtooth.cli.overview import OVERVIEW
from sawtooth.errors import ClusterError, InputError, RunError

UNAVAILABLE = (
    69  # EX_UNAVAILABLE of sysexits.h: workers or scheduler went away; the same command goes on later
)
SOFTWARE_FAULT = 70  # EX_SOFTWARE of sysexits.h: not to be taken for a failed comparison
OBJECTS_PER_COLLECTION = 100_000
"""New objects after which garbage in cycles is looked for. Python's own 700 means hundreds of searches while modules load."""
INTERRUPTED = 130  # 128 + SIGINT, as shells have it
ENDING: Final = {"SIGHUP": "hung up", "SIGTERM": "terminated"}
"""Signals that end a command as Ctrl-C does, and what is said then. The system has no SIGHUP everywhere."""
_ended_by: Final[list[int]] = []
"""The signal that came, if one did."""
SEARCH = "environment search"
"""A command of two words: `sawtooth environment NAME` takes a name in the place of the second."""

COMMANDS: Final = {
    "demo": "sawtooth.cli.demo",
    "examples": "sawtooth.cli.examples",
    "list": "sawtooth.cli.list",
    "run": "sawtooth.cli.run",
    "compare": "sawtooth.cli.compare",
    "sweep": "sawtooth.cli.sweep",
    "reproduce": "sawtooth.cli.reproduce",
    "new": "sawtooth.cli.new",
    "check-controller": "sawtooth.cli.check_controller",
    "model": "sawtooth.cli.model",
    "environment": "sawtooth.cli.environment",
    SEARCH: "sawtooth.cli.environment_search",
    "trace": "sawtooth.cli.trace",
    "store": "sawtooth.cli.store",
    "schema": "sawtooth.cli.schema",
    "claims": "sawtooth.cli.claims",
    "replay": "sawtooth.cli.replay",
    "doctor": "sawtooth.cli.doctor",
    "completion": "sawtooth.cli.completion",
}
"""Every command in the order of `sawtooth --help`, and its module, which holds its `command`, or the `app` of its own commands."""
SUMMARIES: Final = {
    "demo": "Repeat one figure of a paper in less than a minute.",
    "examples": "Copy the examples into a directory.",
    "list": "List everything that has a name.",
    "run": "Simulate one scenario and store the run.",
    "compare": "Compare controllers over the same networks and seeds.",
    "sweep": "Run a scenario with every combination of some values.",
    "reproduce": "Reproduce a figure or a paper, or run a study.",
    "new": "Write a study or a controller to start from.",
    "check-controller": "Check a controller against the rules for all.",
    "model": "Ask the formulas, without simulating a network.",
    "environment": "Print the schedule of an environment.",
    SEARCH: "Search for bandwidth under which a controller wins.",
    "trace": "Make or describe a trace, as of a cellular link.",
    "store": "Manage stored runs and their files.",
    "schema": "Print the JSON Schema of a document or a scenario.",
    "claims": "Print the claims of a paper, and how each is judged.",
    "replay": "Simulate a stored run again and compare, bit for bit.",
    "doctor": "Show versions and check this installation.",
    "completion": "Print what makes a shell complete with the tab key.",
}
"""What `sawtooth --help` says of each: a line that fits a terminal of 80 columns."""


def show_version(wanted: bool) -> None:
    """The answer to --version."""
    if wanted:
        native = _native.version()
        emit_text(f"sawtooth {native['version']} (engine {native['engine']}, {native['profile']})")
        raise typer.Exit


def sawtooth(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """A congestion-control laboratory: how well, how fairly and how robustly does a controller share a network?

    Example: sawtooth demo
    """
    if os.environ.get("SAWTOOTH_PLUGINS"):
        from sawtooth.plugins.load import load_listed

        with answering():
            load_listed()
    if context.invoked_subcommand is None:
        emit_text(OVERVIEW)


def application(words: Sequence[str] = ()) -> typer.Typer:
    """The command line. Of a line that begins with a command it has that one alone, since the others would take longer to load."""
    app = typer.Typer(
        name="sawtooth",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(sawtooth)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        module = import_module(COMMANDS[name])
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name, short_help=SUMMARIES[name])
        else:
            app.command(name, short_help=SUMMARIES[name])(module.command)
    return app


def answer_alone(command: Any) -> None:
    """From now on nothing but the answer of a command goes to standard output, whatever its plug-ins print. The texts of --help do as well:
    they are printed before a command begins."""
    inner = getattr(command, "commands", None)
    if inner is not None:
        for each in inner.values():
            answer_alone(each)
        return
    asked = command.callback

    def callback(*arguments: Any, **options: Any) -> Any:
        with answering():
            return asked(*arguments, **options)

    command.callback = callback


def main() -> NoReturn:
    """Entry point of the console script and of `python -m sawtooth`."""
    spare_start_up()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `sawtooth list | head` ends quietly
    end_on_signals()
    warnings.showwarning = brief_warning
    open_closed()
    sys.stdout = named_output(sys.stdout)
    vars(sys)["__stdout__"] = sys.stdout  # number 1 is not where answers go any more
    code = exit_code(sys.argv[1:])
    if code in (0, 1):
        note_costs()
    leave(code)


def end_on_signals() -> None:
    """What asks for an end is heard as Ctrl-C is, so that finished runs are stored; `nohup` keeps a command deaf."""
    for name in ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, _frame: object) -> NoReturn:
    _ended_by.append(number)
    raise KeyboardInterrupt


def note_costs() -> None:
    """What controllers written in Python cost, where there were any."""
    for name, calls, nanos in _native.python_calls():
        each = nanos / calls / 1e3
        note(
            f"{name}: {calls:,} calls of Python took {nanos / 1e9:.2f} s of the threads, {each:.1f} µs each; "
            "in Rust or C a call takes some 10 ns"
        )


class WithoutPandas:
    """A finder of modules to which pandas is not installed. `sawtooth.plugins.load` takes it away before it runs a user's file."""

    hides_from_commands = True

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        """No answer: the next finder is asked."""
        if name == "pandas":
            raise ModuleNotFoundError("commands do without pandas", name=name)


def spare_start_up() -> None:
    """Spares a command what libraries do while they load: searches for garbage, and threads of numpy's algebra, which wait busily and
    are of no use here, since runs have threads of their own and the matrices are small. pyarrow loads pandas with the first array, to
    recognise what is of pandas, which takes longer than all the rest; no command has such things. numpy and pyarrow themselves load when
    a command comes to numbers."""
    gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy loads
    sys.meta_path.insert(0, WithoutPandas)
    load_when_used()


def exit_code(arguments: list[str]) -> int:
    """Runs one command line and says how it ended."""
    if arguments[:2] == SEARCH.split():
        arguments = [SEARCH, *arguments[2:]]
    try:
        command = typer.main.get_command(application(arguments))
        answer_alone(command)
        code = command(arguments, prog_name="sawtooth", standalone_mode=False)
        if code == INTERRUPTED:  # newer versions of typer catch the interrupt themselves
            raise KeyboardInterrupt
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        if _ended_by:
            note(ENDING[signal.Signals(_ended_by[0]).name])
            return 128 + _ended_by[0]
        note("interrupted")
        return INTERRUPTED
    except InputError as error:
        note(str(error))
        return 2
    except RunError as error:
        note(f"{error}\nThis is a fault of Sawtooth: please report it with the scenario.")
        return SOFTWARE_FAULT
    except ClusterError as error:
        note(str(error))
        return UNAVAILABLE
    except OSError as error:
        note(f"{error.filename or 'system'}: {error.strerror or error}")
        return 2
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(
            error, "exit_code"
        ):  # a usage error of typer, any version
            note(usage_message(error))
            return int(error.exit_code)
        traceback.print_exc()
        return SOFTWARE_FAULT


def open_closed() -> None:
    """An output that whoever started the command has closed (`>&-`) goes nowhere; without this the next file would have its number."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "wb"))))


class NamedOutput(io.FileIO):
    """Standard output, which says in its errors that it is meant."""

    def write(self, data: Any, /) -> int:
        """Some of the data. Raises OSError."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "standard output"
            raise


def named_output(output: TextIO) -> TextIO:
    """The same output, with errors that name it."""
    if not isinstance(output, io.TextIOWrapper):  # a caller's own, or none
        return output
    output.flush()
    buffer = io.BufferedWriter(NamedOutput(set_apart(output.fileno()), "wb", closefd=False))
    return io.TextIOWrapper(buffer, output.encoding, output.errors, line_buffering=output.line_buffering)


def set_apart(number: int) -> int:
    """Another number of an output, whose own number is standard error from here on: that is where shared libraries print, and processes
    that they start."""
    kept = os.dup(number)
    try:
        os.dup2(2, number)
    except OSError:  # there is no standard error
        os.close(kept)
        return number
    return kept


def usage_message(error: Exception) -> str:
    """A mistake in the command line in at most three lines."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "sawtooth"
    text = " ".join(str(error.format_message()).split()).replace("Value error, ", "")  # type: ignore[attr-defined]
    return f"{path}: {text}\nsee `{path} --help`"


def brief_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as one line without source code."""
    print(f"warning: {message}", file=file or sys.stderr)


def leave(code: int) -> NoReturn:
    """Ends the process. After an interruption without waiting for the runs under way: their threads cannot be stopped, and nothing of
    theirs is worth waiting for."""
    try:
        sys.stdout.flush()
        lost = False
    except OSError:  # which `exit_code` has told
        lost = True
    sys.stdout = sys.stderr  # for what plug-ins print while they are taken down
    sys.stderr.flush()
    if lost or code > 128:
        os._exit(code)
    sys.exit(code)
