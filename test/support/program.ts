/** The real program in a process of its own. */

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../bin/stockbook.js', import.meta.url));

export interface RunOptions {
  /** The working directory. The default database is `data/stockbook.db` in it. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Another program than that of the checkout. */
  readonly program?: string;
  /** A command that starts it, with arguments. */
  readonly prefix?: readonly string[];
}

export interface Finished {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without progress. */
  readonly stderr: string;
}

export async function run(args: readonly string[], options: RunOptions): Promise<Finished> {
  const running = start(args, options);
  running.child.stdin.end(options.input);
  return running.finished;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  /** Everything it has printed so far. */
  output(): { stdout: string; stderr: string };
}

export function start(args: readonly string[], options: RunOptions): Running {
  return follow(process.execPath, [options.program ?? PROGRAM, ...args], options);
}

/** Whether there is util-linux, whose command `script` provides a terminal, and whose `prlimit` limits a process. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0;
export const hasLimits = spawnSync('prlimit', ['--version']).status === 0;

/** On a terminal: what is written to its stdin is typed there, and both of its outputs arrive on stdout. */
export function startInTerminal(args: readonly string[], options: RunOptions): Running {
  const words = [process.execPath, options.program ?? PROGRAM, ...args];
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return follow('script', ['--quiet', '--flush', '--return', '--command', `exec ${command}`, '/dev/null'], options);
}

/** With the environment of all tests. Both outputs are text. */
export function launch(
  command: string,
  args: readonly string[],
  { folder, env = {}, prefix = [] }: RunOptions,
): ChildProcessWithoutNullStreams {
  const { PATH, HOME, TMPDIR } = process.env;
  const [first = command, ...others] = [...prefix, command, ...args];
  const child = spawn(first, others, {
    cwd: folder,
    env: {
      ...(PATH && { PATH }),
      ...(HOME && { HOME }),
      ...(TMPDIR && { TMPDIR }),
      STOCKBOOK_WORKERS: '1',
      STOCKBOOK_ADMIN_PORT: '0',
      // Tests that overload a service do so on purpose, and say what they expect.
      STOCKBOOK_MAX_DELAY: '0',
      ...env,
    },
  });
  // It may end before it has read everything.
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

function follow(command: string, args: readonly string[], options: RunOptions): Running {
  const child = launch(command, args, options);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([code]) => ({
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr: withoutProgress(stderr),
  }));
  return { child, finished, output: () => ({ stdout, stderr }) };
}

/** Without the lines that report progress or waiting: only slow machines get to see them. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(
    /^(?:(?:Reading(?: \w+)?|Writing|Checking|Committing|Indexing for search|Removing): [\d,]+ (?:of [\d,]+ )?rows?,|Copying: |Waiting for the database).*\n/gm,
    '',
  );
}

export interface Serving extends Running {
  readonly address: string;
  readonly port: number;
  /** For metrics and health checks. */
  readonly adminPort: number;
}

const LISTENING = /is listening on (http:\/\/\S+:(\d+))\n.* are at http:\/\/\S+:(\d+)\n/;

/** Resolves once it says where it listens. */
export function serve(args: readonly string[], options: RunOptions): Promise<Serving> {
  const running = start(['serve', '--port', '0', ...args], options);
  return new Promise((resolve, reject) => {
    running.child.stdout.on('data', () => {
      const [, address, port, adminPort] = LISTENING.exec(running.output().stdout) ?? [];
      if (address !== undefined) resolve({ ...running, address, port: Number(port), adminPort: Number(adminPort) });
    });
    void running.finished.then((finished) =>
      reject(new Error(`the server ended before it listened: ${JSON.stringify(finished)}`)),
    );
  });
}

export async function kill(running: Running | undefined): Promise<void> {
  running?.child.kill('SIGKILL');
  // A test may have stopped reading, and it has not finished before all is read.
  running?.child.stderr.resume();
  await running?.finished;
}

/** The process ids of its children, which of the service are the workers; none if it has exited. */
export function childrenOf({ child: { pid } }: { readonly child: { readonly pid?: number | undefined } }): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
  // One that has just been forked is still a copy of its parent.
  return children.filter((each) => startOf(each) !== startOf(pid));
}

/** One of them. There is no process 0: a signal to it reaches the tests themselves. */
export function childOf(parent: Parameters<typeof childrenOf>[0]): number {
  const [child] = childrenOf(parent);
  if (child === undefined) throw new Error('the process has no child');
  return child;
}

/** What a process was started with. */
function startOf(pid: number | undefined): string {
  try {
    return ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join('\0');
  } catch {
    return '';
  }
}

export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'stockbook-program-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
