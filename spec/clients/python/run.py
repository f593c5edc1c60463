"""The official Python client (PyPI `mcp`) against the example program.

    python run.py              all tests
    python run.py WORDS        those whose name has these words
"""

import asyncio
import signal
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager

from jsonschema import Draft202012Validator
from mcp import Client, MCPError

from harness import example_command, expect, expect_that, main, port_is_free, test

TOOLS = ["hello_list", "hello_add", "hello_move", "hello_measure"]
LEGACY_REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]
INVALID_PARAMS = -32602


async def call(client, tool, **arguments):
    """A tool's structured result; anything else is a failure."""
    result = await client.call_tool(tool, arguments)
    expect(f"isError of {tool}({arguments})", result.is_error, False)
    return result.structured_content


async def ball(client, name):
    return next(ball for ball in (await call(client, "hello_list"))["balls"] if ball["name"] == name)


async def until_watched(client, name):
    """Asks until the ball is watched, which it is as soon as hello_measure has begun."""
    while not (await ball(client, name))["watched"]:
        pass


async def error_of(awaitable):
    """The error that it must raise."""
    try:
        result = await awaitable
    except Exception as error:
        return error
    raise AssertionError(f"expected an error, got {result!r}")


# What every client does, once for each way of connecting.

async def connects(client):
    expect("server name", client.server_info.name, "hello")
    expect_that("a known revision was agreed on", client.protocol_version in LEGACY_REVISIONS, client.protocol_version)
    expect_that("tools are offered", client.server_capabilities.tools is not None, client.server_capabilities)


async def lists_tools(client):
    tools = (await client.list_tools()).tools
    expect("names, in order", [tool.name for tool in tools], TOOLS)
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            expect(f"type of a schema of {tool.name}", schema["type"], "object")
            expect_that(f"{tool.name} names its properties", isinstance(schema["properties"], dict), schema)
        expect_that(f"{tool.name} has title and description", tool.title and tool.description, tool)
        expect_that(f"{tool.name} has annotations", tool.annotations.open_world_hint is False, tool.annotations)
    schema = dict(zip(TOOLS, (tool.input_schema for tool in tools)))
    expect("required of hello_move", schema["hello_move"]["required"], ["name", "x", "y"])
    expect("properties of hello_list", schema["hello_list"]["properties"], {})


async def sees_changes(client):
    before = await call(client, "hello_list")
    expect("balls at the start", [ball["name"] for ball in before["balls"]], list("abcde"))
    moved = await call(client, "hello_move", name="a", x=12.5, y=3)
    expect("hello_move's answer", (moved["name"], moved["x"], moved["y"]), ("a", 12.5, 3))
    added = await call(client, "hello_add", x=30, y=10)
    expect("hello_add's answer", added, {"name": "f", "x": 30, "y": 10, "vx": 0, "vy": 0, "watched": False})
    after = await call(client, "hello_list")
    expect("balls after the addition", [ball["name"] for ball in after["balls"]], list("abcdef"))
    expect("x of a ball that only falls", after["balls"][5]["x"], 30)


async def tool_error(client):
    result = await client.call_tool("hello_move", {"name": "zz", "x": 1, "y": 1})
    expect("isError", result.is_error, True)
    expect_that("the text says what is wrong", "no such ball" in result.content[0].text, result.content)
    result = await client.call_tool("hello_move", {"name": "a", "x": 1e9, "y": 1})
    expect("isError of a place outside", result.is_error, True)


async def unknown_tool(client):
    error = await error_of(client.call_tool("hello_nothing", {}))
    expect_that("it is a protocol error", isinstance(error, MCPError), error)
    expect("code", error.error.code, INVALID_PARAMS)
    await call(client, "hello_list")


async def measures_over_frames(client):
    measuring = asyncio.create_task(call(client, "hello_measure", name="b", seconds=0.5))
    await until_watched(client, "b")
    expect_that("other calls were answered while it measured", not measuring.done(), measuring)
    measured = await measuring
    expect_that("0.5 s are some thirty frames", 30 <= measured["frames"] <= 40, measured)
    expect_that("it sampled in between", measured["samples"] >= 3, measured)
    expect_that("the figures are in order", measured["min"] <= measured["mean"] <= measured["max"], measured)


def with_a_client(name, steps, mode):
    @test(f"{mode}: {name}")
    async def _(start):
        program = await start()
        async with Client(program.url, mode=mode) as client:
            await steps(client)


for mode in ("legacy", "auto"):
    with_a_client("connects, and the program says who it is", connects, mode)
    with_a_client("lists the tools, each with sound schemas", lists_tools, mode)
    with_a_client("a change made by one call is seen by another", sees_changes, mode)
    with_a_client("a tool error is isError with a reason", tool_error, mode)
    with_a_client("an unknown tool is an error, and the session lives on", unknown_tool, mode)
    with_a_client("hello_measure runs over frames while others are answered", measures_over_frames, mode)


# Several clients, lost clients, a lost server.

@test("two clients at once see each other's changes")
async def _(start):
    program = await start()
    async with Client(program.url, mode="legacy") as one, Client(program.url, mode="auto") as two:
        added = await call(one, "hello_add", x=20, y=20)
        expect("x, for the other client", (await ball(two, added["name"]))["x"], 20)
        await call(two, "hello_move", name=added["name"], x=40, y=1)
        expect("x, for the first client", (await ball(one, added["name"]))["x"], 40)


@test("one client leaves and the other stays")
async def _(start):
    program = await start()
    async with Client(program.url, mode="legacy") as stays:
        async with Client(program.url, mode="legacy") as leaves:
            await call(leaves, "hello_list")
        await call(stays, "hello_list")


@test("four clients, 1,000 calls: every answer belongs to its question, and they leave nothing behind", 60)
async def _(start):
    program = await start()
    async with Client(program.url, mode="legacy") as watching:
        await call(watching, "hello_list")
        before = program.descriptors()
        await ask_from_four(program)
        # The last connections are closed by the program as it notices; a call is long enough to notice.
        while program.descriptors() > before:
            await call(watching, "hello_list")


async def ask_from_four(program):
    async def ask(client, number):
        for turn in range(250):
            x = number * 10 + turn / 32
            moved = await call(client, "hello_move", name="abcd"[number], x=x, y=turn % 20)
            expect("the answer", (moved["name"], moved["x"], moved["y"]), ("abcd"[number], x, turn % 20))

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(program.url, mode="legacy")) for _ in range(4)]
        await asyncio.gather(*(ask(client, number) for number, client in enumerate(clients)))


@test("a client can connect again after the program restarted on the same port")
async def _(start):
    program = await start()
    async with Client(program.url, mode="legacy") as client:
        await call(client, "hello_add", x=1, y=1)
        expect("exit code", await program.interrupt(), 0)
        again = await start(PORT=str(program.port))
        expect("URL", again.url, program.url)
        # This client does not start a new session by itself: it says that the old one is gone.
        error = await error_of(client.call_tool("hello_list", {}))
        expect_that("the lost session is told apart", isinstance(error, MCPError), error)
    async with Client(program.url, mode="legacy") as client:
        expect("balls of the new run", len((await call(client, "hello_list"))["balls"]), 5)


@asynccontextmanager
async def client_process(url, ball):
    """A process of its own whose client has hello_measure measure a ball for three seconds."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--measure", url, ball, stderr=asyncio.subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def measure(url, ball):
    async with Client(url, mode="legacy") as client:
        await call(client, "hello_measure", name=ball, seconds=3)


@test("kill -9 of a client in the middle of a call leaves the program serving")
async def _(start):
    program = await start()
    async with client_process(program.url, "a") as victim, Client(program.url, mode="legacy") as client:
        await until_watched(client, "a")
        victim.kill()
        expect("the victim's exit", await victim.wait(), -signal.SIGKILL)
        # Nobody waits for the victim's answer any more; see the program past the moment when it is due.
        await call(client, "hello_measure", name="b", seconds=3)
        expect("still watched", (await ball(client, "a"))["watched"], False)
        expect("a call after that", (await call(client, "hello_move", name="a", x=5, y=5))["x"], 5)
    async with Client(program.url, mode="legacy") as another:
        await call(another, "hello_measure", name="a", seconds=0.1)


# The program itself: starting, stopping, keeping time.

@test("Ctrl-C while it sleeps between frames: exit code 0, the port is free at once")
async def _(start):
    program = await start()
    expect("exit code", await program.interrupt(), 0)
    expect("port free", port_is_free(program.port), True)
    expect("stderr", program.errors(), "")


@test("Ctrl-C with a client connected and a call running: the same")
async def _(start):
    program = await start()
    async with client_process(program.url, "c") as caller, Client(program.url, mode="legacy") as client:
        await until_watched(client, "c")
        expect("exit code", await program.interrupt(), 0)
        expect("port free", port_is_free(program.port), True)
        expect("stderr", program.errors(), "")
        expect_that("the caller is told so", await caller.wait() > 0, caller.returncode)


@test("FRAMES=90 ends by itself with exit code 0, after a second and a half")
async def _(start):
    begun = time.monotonic()
    program = await start(FRAMES="90")
    expect("exit code", await program.exit_code(), 0)
    expect_that("frames are not hurried", time.monotonic() - begun >= 1.5, time.monotonic() - begun)
    expect("port free", port_is_free(program.port), True)


@test("60 frames a second, asleep in between")
async def _(start):
    program = await start()
    async with Client(program.url, mode="legacy") as client:
        begun, cpu = time.monotonic(), program.cpu_seconds()
        first = (await call(client, "hello_list"))["frame"]
        await call(client, "hello_measure", name="a", seconds=2)
        frames = (await call(client, "hello_list"))["frame"] - first
        seconds, cpu = time.monotonic() - begun, program.cpu_seconds() - cpu
    # Wide below, for machines that are busy with other things; a loop that never sleeps would take all the time there is.
    expect_that("it is about 60 frames a second", 40 <= frames / seconds <= 66, frames / seconds)
    expect_that("the program mostly sleeps", cpu < seconds / 3, cpu)


@test("a taken port, and values that make no sense, are clear errors")
async def _(start):
    program = await start()
    for variables, words in [
        ({"PORT": str(program.port)}, ["127.0.0.1", str(program.port), "PORT="]),
        ({"PORT": "65536"}, ["PORT=65536", "65535"]),
        ({"PORT": "http"}, ["PORT=http"]),
        ({"FRAMES": "0"}, ["FRAMES=0"]),
        ({"FRAMES": "-1"}, ["FRAMES=-1"]),
    ]:
        other = await start(wait=False, **variables)
        expect(f"exit code with {variables}", await other.exit_code(), 1)
        expect_that(f"one line on stderr says {words}",
                    all(word in other.errors() for word in words) and other.errors().count("\n") == 1, other.errors())


@test("it prints the lines to paste")
async def _(start):
    program = await start()
    expect("exit code", await program.interrupt(), 0)
    for line in (f"opencode mcp add hello --url {program.url}",
                 f'"mcp": {{"hello": {{"type": "remote", "url": "{program.url}"}}}}',
                 f"claude mcp add --transport http hello {program.url}",
                 f"codex mcp add hello --url {program.url}"):
        expect_that(f"it printed {line}", line in program.output, program.output)


@test("the ten-line programs of README, in Lua and in Fennel, count")
async def _(start):
    paths = {"LUA_PATH": "lua/?.lua;lua/?/init.lua;;"}
    fennel = [*example_command()[:-1], "examples/ten-lines/server.fnl"]
    for command, variables in [(["luajit", "examples/ten-lines/server.lua"], paths), (fennel, {})]:
        program = await start(command=command, **variables)
        async with Client(program.url, mode="legacy") as client:
            for text in ("The count is 1.", "The count is 2."):
                result = await client.call_tool("count", {})
                expect("the text", result.content[0].text, text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        asyncio.run(measure(*sys.argv[2:]))
    else:
        main(*sys.argv[1:2])
