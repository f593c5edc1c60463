// The example program as a child process, and a runner of named tests.
//
// A test is an async function with a deadline; it is handed `start`, which starts the example program. A failure prints
// what was expected and what the programs of that test said on stderr. The last line printed is `N passed, N failed`.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
// A program that outlives its suite, for whatever reason, ends by itself after ten minutes of frames.
const SAFETY_FRAMES = 36_000;

// The client hands one abort signal to every fetch, and Node 18 warns of its listeners at each of them.
process.removeAllListeners('warning');
process.on('warning', warning => {
  if (warning.name !== 'MaxListenersExceededWarning') console.error(String(warning));
});

/** What starts the example from the root: MOONPORT_EXAMPLE, or LuaJIT with the fennel that `make deps` laid. */
function exampleCommand() {
  if (process.env.MOONPORT_EXAMPLE) return process.env.MOONPORT_EXAMPLE.trim().split(/\s+/);
  const deps = join(ROOT, '.deps');
  const laid = existsSync(deps) && readdirSync(deps, { recursive: true }).sort().find(file => file.endsWith('bin/fennel'));
  const onPath = process.env.PATH.split(':').map(folder => join(folder, 'fennel')).find(file => existsSync(file));
  const fennel = laid ? join(deps, laid) : onPath;
  if (!fennel) throw new Error('no fennel under .deps/ nor on PATH: run `make deps`, or set MOONPORT_EXAMPLE');
  return ['luajit', fennel, '--add-package-path', 'lua/?.lua;lua/?/init.lua', 'examples/hello/main.fnl'];
}

/** One run of the example program. `url` is there once it has announced itself. */
class Example {
  constructor(variables) {
    const [command, ...args] = exampleCommand();
    this.process = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, PORT: '0', FRAMES: String(SAFETY_FRAMES), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.stdout = this.stderr = '';
    this.process.stderr.on('data', data => { this.stderr += data; });
    this.exited = new Promise((resolve, reject) => {
      this.process.on('close', (code, signal) => resolve(code ?? signal));
      this.process.on('error', reject);
    });
    this.announced = new Promise((resolve, reject) => {
      this.process.stdout.on('data', data => {
        this.stdout += data;
        this.url ??= /(http:\/\/\S+)\n/.exec(this.stdout)?.[1];
        if (this.url) resolve();
      });
      this.exited.then(() => reject(new Error('expected a line with the URL; stdout ended without one')), reject);
    });
    this.announced.catch(() => {});
  }

  get port() { return Number(new URL(this.url).port); }

  /** Ctrl-C; gives the exit code. */
  interrupt() {
    this.process.kill('SIGINT');
    return this.exited;
  }

  /** Resident memory in KiB. */
  memory() { return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))[1]); }

  descriptors() { return readdirSync(`/proc/${this.process.pid}/fd`).length; }
}

/** Whether a new server can listen there. */
export const portIsFree = port => new Promise(resolve => {
  const probe = createServer();
  probe.on('error', () => resolve(false));
  probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
});

const shown = value => value instanceof Error ? String(value) : JSON.stringify(value);

export function expect(what, actual, expected) {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

export function expectThat(what, holds, seen) {
  if (!holds) throw new Error(`expected that ${what}; got ${shown(seen)}`);
}

/** The error that the promise must end with. */
export const errorOf = promise => promise.then(
  result => { throw new Error(`expected an error, got ${shown(result)}`); },
  error => error);

const tests = [];
export const test = (name, body, deadline = 20) => tests.push({ name, body, deadline });

async function run({ name, body, deadline }) {
  const programs = [];
  const closing = [];
  const context = {
    /** Starts the example and waits for its URL. */
    start: async (variables = {}) => {
      const program = new Example(variables);
      programs.push(program);
      await program.announced;
      return program;
    },
    /** Runs at the end of the test, whatever came of it. */
    atEnd: close => closing.push(close),
  };
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected an end within ${deadline} s`)), deadline * 1000);
  });
  const begun = performance.now();
  try {
    await Promise.race([body(context), late]);
    console.log(`ok - ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    const place = /run\.mjs:(\d+)/.exec(error.stack ?? '');
    console.log(`not ok - ${name}\n    ${error}${place ? ` (run.mjs:${place[1]})` : ''}`);
    for (const { stderr } of programs) console.log(`    the program's stderr: ${stderr.trim() || '(nothing)'}`);
    return false;
  } finally {
    clearTimeout(timer);
    await Promise.allSettled(closing.map(close => close()));
    for (const program of programs) {
      program.process.kill('SIGKILL');
      await program.exited.catch(() => {});
    }
  }
}

export async function main(only = '') {
  let passed = 0, failed = 0;
  for (const entry of tests.filter(({ name }) => name.includes(only))) await run(entry) ? passed++ : failed++;
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(passed && !failed ? 0 : 1);
}
