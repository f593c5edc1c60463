// The official TypeScript client (npm `@modelcontextprotocol/sdk`) against the example program.
//
//   node run.mjs           all tests
//   node run.mjs WORDS     those whose name has these words

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { errorOf, expect, expectThat, main, portIsFree, test } from './harness.mjs';

const TOOLS = ['hello_list', 'hello_add', 'hello_move', 'hello_measure'];
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'];
const INVALID_PARAMS = -32602;

/** A client connected to the URL. It has looked at the tools, as clients of agents do. */
async function connect(url, { atEnd }) {
  const client = new Client({ name: 'typescript-suite', version: '0' });
  atEnd(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listTools();
  return client;
}

/** A tool's structured result; anything else is a failure. */
async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  expectThat(`${name} succeeds`, !result.isError, result);
  return result.structuredContent;
}

const ball = async (client, name) => (await call(client, 'hello_list')).balls.find(ball => ball.name === name);

/** Asks until the ball is watched, which it is as soon as hello_measure has begun. */
async function untilWatched(client, name) {
  while (!(await ball(client, name)).watched);
}

test('connects, and the program says who it is', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  expect('server name', client.getServerVersion().name, 'hello');
  expectThat('a known revision was agreed on', REVISIONS.includes(client.transport.protocolVersion), client.transport.protocolVersion);
  expectThat('tools are offered', client.getServerCapabilities().tools, client.getServerCapabilities());
  expect('ping', await client.ping(), {});
});

test('lists the tools, each with sound schemas', async context => {
  const { url } = await context.start();
  const { tools } = await (await connect(url, context)).listTools();
  const ajv = new Ajv2020();
  expect('names, in order', tools.map(tool => tool.name), TOOLS);
  for (const tool of tools) {
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      expectThat(`the schemas of ${tool.name} are valid`, ajv.validateSchema(schema), ajv.errors);
      expect(`type of a schema of ${tool.name}`, schema.type, 'object');
      expectThat(`${tool.name} names its properties`, schema.properties && !Array.isArray(schema.properties), schema);
    }
    expectThat(`${tool.name} has title and description`, tool.title && tool.description, tool);
    expect(`openWorldHint of ${tool.name}`, tool.annotations.openWorldHint, false);
  }
  expect('required of hello_move', tools[2].inputSchema.required, ['name', 'x', 'y']);
  expect('properties of hello_list', tools[0].inputSchema.properties, {});
});

test('a change made by one call is seen by another', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  const before = await call(client, 'hello_list');
  expect('balls at the start', before.balls.map(ball => ball.name), [...'abcde']);
  const moved = await call(client, 'hello_move', { name: 'a', x: 12.5, y: 3 });
  expect("hello_move's answer", [moved.name, moved.x, moved.y], ['a', 12.5, 3]);
  const added = await call(client, 'hello_add', { x: 30, y: 10 });
  expect("hello_add's answer", added, { name: 'f', x: 30, y: 10, vx: 0, vy: 0, watched: false });
  const after = await call(client, 'hello_list');
  expect('balls after the addition', after.balls.map(ball => ball.name), [...'abcdef']);
  expect('x of a ball that only falls', after.balls[5].x, 30);
});

test('a tool error is isError with a reason', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  const noSuch = await client.callTool({ name: 'hello_move', arguments: { name: 'zz', x: 1, y: 1 } });
  expect('isError', noSuch.isError, true);
  expectThat('the text says what is wrong', noSuch.content[0].text.includes('no such ball'), noSuch);
  const outside = await client.callTool({ name: 'hello_move', arguments: { name: 'a', x: 1e9, y: 1 } });
  expect('isError of a place outside', outside.isError, true);
});

test('an unknown tool is an error, and the session lives on', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  const error = await errorOf(client.callTool({ name: 'hello_nothing', arguments: {} }));
  expect('code', error.code, INVALID_PARAMS);
  await call(client, 'hello_list');
});

test('hello_measure runs over frames while others are answered', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  let ended = false;
  const measuring = call(client, 'hello_measure', { name: 'b', seconds: 0.5 }).finally(() => { ended = true; });
  await untilWatched(client, 'b');
  expect('ended while others were answered', ended, false);
  const measured = await measuring;
  expectThat('0.5 s are some thirty frames', measured.frames >= 30 && measured.frames <= 40, measured);
  expectThat('it sampled in between', measured.samples >= 3, measured);
  expectThat('the figures are in order', measured.min <= measured.mean && measured.mean <= measured.max, measured);
});

test("two clients at once see each other's changes", async context => {
  const { url } = await context.start();
  const [one, two] = await Promise.all([connect(url, context), connect(url, context)]);
  expectThat('each has a session of its own', one.transport.sessionId !== two.transport.sessionId, one.transport.sessionId);
  const { name } = await call(one, 'hello_add', { x: 20, y: 20 });
  expect('x, for the other client', (await ball(two, name)).x, 20);
  await call(two, 'hello_move', { name, x: 40, y: 1 });
  expect('x, for the first client', (await ball(one, name)).x, 40);
});

test('a session that a client ends is over, and another stays', async context => {
  const { url } = await context.start();
  const [leaves, stays] = [await connect(url, context), await connect(url, context)];
  const headers = {
    'content-type': 'application/json', accept: 'application/json, text/event-stream',
    'mcp-session-id': leaves.transport.sessionId, 'mcp-protocol-version': leaves.transport.protocolVersion,
  };
  await leaves.transport.terminateSession();
  const response = await fetch(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  expect('status with the ended session', response.status, 404);
  await call(stays, 'hello_list');
});

test('a client can connect again after the program restarted on the same port', async context => {
  const program = await context.start();
  const client = await connect(program.url, context);
  await call(client, 'hello_add', { x: 1, y: 1 });
  expect('exit code', await program.interrupt(), 0);
  const again = await context.start({ PORT: String(program.port) });
  expect('URL', again.url, program.url);
  // This client does not start a new session by itself: it says that the old one is gone.
  expect('code for the lost session', (await errorOf(client.callTool({ name: 'hello_list' }))).code, 404);
  const fresh = await connect(again.url, context);
  expect('balls of the new run', (await call(fresh, 'hello_list')).balls.length, 5);
});

test('kill -9 of a client in the middle of a call leaves the program serving', async context => {
  const { url } = await context.start();
  const client = await connect(url, context);
  const victim = spawn(process.execPath, [fileURLToPath(import.meta.url), '--measure', url, 'a'], { stdio: 'ignore' });
  context.atEnd(() => victim.kill('SIGKILL'));
  const gone = new Promise(resolve => victim.on('exit', (code, signal) => resolve(signal)));
  await untilWatched(client, 'a');
  victim.kill('SIGKILL');
  expect("the victim's end", await gone, 'SIGKILL');
  // Nobody waits for the victim's answer any more; see the program past the moment when it is due.
  await call(client, 'hello_measure', { name: 'b', seconds: 3 });
  expect('still watched', (await ball(client, 'a')).watched, false);
  await call(await connect(url, context), 'hello_measure', { name: 'a', seconds: 0.1 });
});

test('Ctrl-C with a client connected: exit code 0, the port is free at once', async context => {
  const program = await context.start();
  const client = await connect(program.url, context);
  await call(client, 'hello_list');
  expect('exit code', await program.interrupt(), 0);
  expect('port free', await portIsFree(program.port), true);
  expect('stderr', program.stderr, '');
});

test('FRAMES=30 ends by itself with exit code 0', async context => {
  const program = await context.start({ FRAMES: '30' });
  expect('exit code', await program.exited, 0);
  expect('port free', await portIsFree(program.port), true);
});

const SOAK = 10_000, CLIENTS = 4, PART = 1_000;
// One leaked Lua table, string or buffer a call is at least some hundred bytes, so 9,000 calls would leak megabytes;
// 2 MiB are 230 bytes a call. A collector that is half way round, and an allocator that returns nothing, explain less.
const LEAK_BOUND_KIB = 2048;

test('10,000 calls from four clients: every answer belongs to its question, nothing leaks', async context => {
  const program = await context.start();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(program.url, context)));
  let asked = 0, memory = 0;
  const parts = [];

  async function ask(client, name) {
    while (asked < SOAK) {
      const number = asked++;
      const [x, y] = [number % 1_000 / 32, Math.floor(number / 1_000)];
      const moved = await call(client, 'hello_move', { name, x, y });
      expect(`answer ${number}`, [moved.name, moved.x, moved.y], [name, x, y]);
      if (number % 50 === 0) memory = Math.max(memory, program.memory());
      if (number % PART === PART - 1) {
        parts.push({ memory, descriptors: program.descriptors() });
        memory = 0;
      }
    }
  }

  await Promise.all(clients.map((client, number) => ask(client, 'abcd'[number])));
  const [first, last] = [parts[0], parts.at(-1)];
  expect('parts', parts.length, SOAK / PART);
  // The clients share a pool of connections, which may hold one more for each of them; a leak would not stop there.
  expectThat('descriptors are flat', last.descriptors <= first.descriptors + CLIENTS, parts);
  expectThat(`memory grew by less than ${LEAK_BOUND_KIB} KiB`, last.memory - first.memory < LEAK_BOUND_KIB, parts);
  expect('exit code', await program.interrupt(), 0);
}, 120);

if (process.argv[2] === '--measure') {
  const client = await connect(process.argv[3], { atEnd: () => {} });
  await call(client, 'hello_measure', { name: process.argv[4], seconds: 3 });
} else {
  await main(process.argv[2]);
}
