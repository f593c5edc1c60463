"""The example program as a child process, and a runner of named tests.

A test is a coroutine with a deadline that is handed `start`, which starts the
example program. A failure prints what was expected and what the programs of
that test said on stderr. The last line printed is `N passed, N failed`.
"""

import asyncio
import glob
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# A program that outlives its suite, for whatever reason, ends by itself after ten minutes of frames.
SAFETY_FRAMES = 36_000


def example_command():
    """What starts the example from the root: MOONPORT_EXAMPLE, or LuaJIT with the fennel that `make deps` laid."""
    if command := os.environ.get("MOONPORT_EXAMPLE"):
        return shlex.split(command)
    laid = sorted(glob.glob(str(ROOT / ".deps/**/bin/fennel"), recursive=True))
    fennel = laid[0] if laid else shutil.which("fennel")
    if not fennel:
        sys.exit("no fennel under .deps/ nor on PATH: run `make deps`, or set MOONPORT_EXAMPLE")
    return ["luajit", fennel, "--add-package-path", "lua/?.lua;lua/?/init.lua", "examples/hello/main.fnl"]


class Example:
    """One run of the example program, or of another one that announces its URL."""

    def __init__(self, variables, command=None):
        self.command = command or example_command()
        self.variables = variables
        self.stderr = tempfile.TemporaryFile()

    async def spawn(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, cwd=ROOT, env={**os.environ, **self.variables},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=self.stderr)
        self.output = ""
        self.announced = asyncio.get_running_loop().create_future()
        self.reading = asyncio.create_task(self.read())

    async def read(self):
        """Reads stdout to its end, and says when the URL has come by."""
        while line := (await self.process.stdout.readline()).decode():
            self.output += line
            if not self.announced.done() and (found := re.search(r"http://\S+", line)):
                self.announced.set_result(found[0])
        if not self.announced.done():
            self.announced.set_result(None)

    async def url_line(self):
        self.url = await self.announced
        if self.url is None:
            raise AssertionError("expected a line with the URL; stdout ended without one")
        return self

    @property
    def port(self):
        return int(re.search(r":(\d+)/", self.url)[1])

    async def interrupt(self):
        """Ctrl-C; gives the exit code."""
        self.process.send_signal(signal.SIGINT)
        return await self.exit_code()

    async def exit_code(self):
        await asyncio.wait([self.reading])  # which a deadline leaves alone
        return await self.process.wait()

    async def kill(self):
        if self.process.returncode is None:
            self.process.kill()
        await self.exit_code()

    def errors(self):
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def port_is_free(port):
    """Whether a new server could bind the port (as servers do, past connections in TIME_WAIT)."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def expect(what, actual, expected):
    if actual != expected:
        raise AssertionError(f"{what}: expected {expected!r}, got {actual!r}")


def expect_that(what, holds, seen):
    if not holds:
        raise AssertionError(f"expected that {what}; got {seen!r}")


TESTS = []


def test(name, deadline=20):
    def add(function):
        TESTS.append((name, deadline, function))
        return function
    return add


def leaves(error):
    """The errors inside groups of errors, which is what task groups raise."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


def report(name, error, programs, deadline):
    print(f"not ok - {name}")
    for leaf in leaves(error):
        if isinstance(leaf, TimeoutError):
            print(f"    expected an end within {deadline} s")
        last = [frame for frame in traceback.extract_tb(leaf.__traceback__) if frame.filename.endswith("run.py")]
        place = f" (run.py:{last[-1].lineno})" if last else ""
        print(f"    {type(leaf).__name__}: {leaf}{place}")
    for program in programs:
        print(f"    the program's stderr: {program.errors().strip() or '(nothing)'}")


async def run_test(name, deadline, function):
    programs = []

    async def start(wait=True, command=None, **variables):
        program = Example({"PORT": "0", "FRAMES": str(SAFETY_FRAMES), **variables}, command)
        programs.append(program)
        await program.spawn()
        return await program.url_line() if wait else program

    begun = time.monotonic()
    try:
        async with asyncio.timeout(deadline):
            await function(start)
        print(f"ok - {name} ({time.monotonic() - begun:.1f} s)")
        return True
    except Exception as error:
        report(name, error, programs, deadline)
        return False
    finally:
        for program in programs:
            await program.kill()


async def run_all(only):
    results = [await run_test(*entry) for entry in TESTS if only in entry[0]]
    passed, failed = results.count(True), results.count(False)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if passed and not failed else 1


def main(only=""):
    logging.disable(logging.WARNING)  # the client's own remarks on servers that we stop on purpose
    sys.stdout.reconfigure(line_buffering=True)
    sys.exit(asyncio.run(run_all(only)))
