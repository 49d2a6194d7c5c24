/**
 * Commands of the program that are executed one after another in one process: starting the program takes longer than most of them. They
 * have no standard input. What only a process of its own can show, such as signals and how it ends, is a matter for `run`.
 */

import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { visibleText } from '../../src/problem/visible-text.ts';
import { type Finished, type Running, start, withoutProgress } from './program.ts';

const LOOP = fileURLToPath(new URL('./command-loop.ts', import.meta.url));

/** Follows what a command has printed, on both outputs. No output contains it. */
export const END = '\0';

export interface LoopedCommand {
  readonly folder: string;
  readonly args: readonly string[];
}

export class Commands {
  #loop: Running | undefined;
  #onOutput = () => {};
  /** How much earlier commands have printed, in characters. */
  #read = { stdout: 0, stderr: 0 };
  #previous: Promise<unknown> = Promise.resolve();

  run(args: readonly string[], { folder }: { readonly folder: string }): Promise<Finished> {
    const result = this.#previous.then(() => this.#execute({ folder, args }));
    this.#previous = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#loop?.child.stdin.end();
    await this.#loop?.finished;
  }

  async #execute(command: LoopedCommand): Promise<Finished> {
    this.#loop ??= this.#start();
    const { child, finished, output } = this.#loop;
    const printed = () => {
      const { stdout, stderr } = output();
      return { stdout: stdout.slice(this.#read.stdout), stderr: stderr.slice(this.#read.stderr) };
    };
    const ended = new Promise<void>((resolve, reject) => {
      this.#onOutput = () => {
        const { stdout, stderr } = printed();
        if (stdout.endsWith(END) && stderr.endsWith(END)) resolve();
      };
      void finished.then((end) => reject(new Error(`the process ended: ${JSON.stringify(end)}`)));
    });
    // The lines of the other side also end at U+2028.
    child.stdin.write(`${visibleText(JSON.stringify(command))}\n`);
    await ended;
    const { stdout, stderr } = printed();
    this.#read = { stdout: this.#read.stdout + stdout.length, stderr: this.#read.stderr + stderr.length };
    const [, notes = '', code] = /^(.*)(\d)\0$/s.exec(stderr) ?? [];
    return { code: Number(code), stdout: stdout.slice(0, -END.length), stderr: withoutProgress(notes) };
  }

  #start(): Running {
    const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
    const loop = start([], { folder: tmpdir(), program: LOOP, env });
    loop.child.stdout.on('data', () => this.#onOutput());
    loop.child.stderr.on('data', () => this.#onOutput());
    return loop;
  }
}
