/** The real program in a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/stockbook.js', import.meta.url));

export interface RunOptions {
  /** Where it runs; the default database is `data/stockbook.db` in there. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Another program than the checkout's. */
  readonly program?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(args: readonly string[], options: RunOptions): Promise<Finished> {
  const running = start(args, options);
  running.child.stdin?.end(options.input);
  return running.finished;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has printed so far. */
  output(): { stdout: string; stderr: string };
}

export function start(args: readonly string[], { folder, env = {}, program = PROGRAM }: RunOptions): Running {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...(PATH && { PATH }), ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }), STOCKBOOK_WORKERS: '1', ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([code]) => ({
    code: typeof code === 'number' ? code : null,
    stdout,
    stderr,
  }));
  return { child, finished, output: () => ({ stdout, stderr }) };
}

export interface Serving extends Running {
  readonly address: string;
  readonly port: number;
}

/** Resolves once it says where it listens. */
export async function serve(args: readonly string[], options: RunOptions): Promise<Serving> {
  const running = start(['serve', '--port', '0', ...args], options);
  for (;;) {
    const address = /listens on (http:\/\/\S+:(\d+))\n/.exec(running.output().stdout);
    if (address?.[1] !== undefined) return { ...running, address: address[1], port: Number(address[2]) };
    if (running.child.exitCode !== null) throw new Error(`it ended: ${JSON.stringify(await running.finished)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'stockbook-program-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
