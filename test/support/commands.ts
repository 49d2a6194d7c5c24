/**
 * Commands of the program that are executed one after another in one process, which the test files of a worker share: starting the program takes longer
 * than most commands. What only a process of its own can show, such as signals, terminals and how it ends, is a matter for `run` in `program.ts`.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { visibleText } from '../../src/problem/visible-text.ts';
import { type Finished, launch, type RunOptions, withoutProgress } from './program.ts';

const LOOP = fileURLToPath(new URL('./command-loop.ts', import.meta.url));

/** A command that hangs is ended before its test, in milliseconds: the commands of other files wait for it. */
const MAX_DURATION = 100_000;

/** Follows what a command has printed, on both outputs. No output contains it. */
export const END = '\0';

export interface LoopedCommand {
  readonly folder: string;
  readonly args: readonly string[];
  /** Variables besides those of all commands. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from standard input, as Base64. */
  readonly input: string;
}

type CommandOptions = Pick<RunOptions, 'folder' | 'env' | 'input'>;

interface Loop {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects if the process ends. */
  readonly gone: Promise<never>;
}

export class Commands {
  readonly #env: Readonly<Record<string, string>>;
  #loop: Loop | undefined;
  #previous: Promise<unknown> = Promise.resolve();

  /** The environment of the process. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  run(args: readonly string[], { folder, env = {}, input = '' }: CommandOptions): Promise<Finished> {
    const command = { folder, args, env, input: Buffer.from(input).toString('base64') };
    const result = this.#previous.then(() => this.#execute(command));
    this.#previous = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#loop?.child.stdin.end();
    await this.#loop?.gone.catch(() => undefined);
  }

  async #execute(command: LoopedCommand): Promise<Finished> {
    this.#loop ??= this.#start();
    const { child, gone } = this.#loop;
    const printed = Promise.all([untilEnd(child.stdout), untilEnd(child.stderr)]);
    // The lines of the other side also end at U+2028.
    child.stdin.write(`${visibleText(JSON.stringify(command))}\n`);
    const timer = setTimeout(() => child.kill('SIGKILL'), MAX_DURATION);
    const [stdout, stderr] = await Promise.race([printed, gone]).finally(() => clearTimeout(timer));
    const [, notes = '', code] = /^(.*)(\d)$/s.exec(stderr) ?? [];
    return { code: Number(code), stdout, stderr: withoutProgress(notes) };
  }

  /** It ends when its standard input does, which is not later than the tests. */
  #start(): Loop {
    const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '', ...this.#env };
    const child = launch(process.execPath, [LOOP], { folder: tmpdir(), env });
    const gone = once(child, 'close').then(([code, signal]) => {
      this.#loop = undefined;
      throw new Error(`the process of the commands ended with ${signal ?? code}`);
    });
    gone.catch(() => undefined);
    return { child, gone };
  }
}

export const commands = new Commands();

function untilEnd(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const take = (chunk: string) => {
      text += chunk;
      if (!chunk.includes(END)) return;
      stream.off('data', take);
      // A warning of Node may follow it.
      resolve(text.slice(0, text.indexOf(END)));
    };
    stream.on('data', take);
  });
}
