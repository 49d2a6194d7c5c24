/** The processes that the benchmark starts, each ended by its id, whatever happens to the benchmark itself. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const endings = new Set<() => void>();

process.on('exit', () => {
  for (const ending of endings) ending();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

/** `ending` is done when the benchmark ends, unless the function it gives is called before. */
export function atEnd(ending: () => void): () => void {
  endings.add(ending);
  return () => endings.delete(ending);
}

/** What processes find in their environment. */
const { PATH, HOME } = process.env;
const environment: NodeJS.ProcessEnv = { PATH, HOME };

/** To every process that is started from now on. */
export function giveAll(variables: Readonly<Record<string, string>>): void {
  Object.assign(environment, variables);
}

interface StartOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly stderr?: 'inherit' | 'pipe';
  readonly ipc?: true;
  /** How it is asked to end. */
  readonly signal?: NodeJS.Signals;
}

export interface Running {
  readonly child: ChildProcess;
  end(): Promise<void>;
}

export function start(command: string, args: readonly string[], options: StartOptions = {}): Running {
  const { ipc, stderr = 'inherit', signal = 'SIGTERM', ...user } = options;
  const stdio = ['ignore', 'pipe', stderr, ...(ipc ? (['ipc'] as const) : [])] as const;
  const child = spawn(command, args, { ...user, env: environment, stdio: [...stdio] });
  const forget = atEnd(() => child.kill(signal));
  child.once('exit', forget);
  return {
    child,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

/** A program of the benchmark's own, by its place in this folder. */
export function startOwn(file: string, args: readonly string[]): Running {
  return start(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], { ipc: true });
}

/** Runs a Node program to its end and gives what it printed. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const { child } = start(process.execPath, [program, ...args], { stderr: 'pipe' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output.stderr}`);
  return output.stdout;
}

/** What it prints up to a match. */
export async function printed(
  child: ChildProcess,
  wanted: RegExp,
  from: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  let text = '';
  const stream = child[from];
  return new Promise((resolve, reject) => {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const found = wanted.exec(text);
      if (found === null) return;
      stream.removeAllListeners('data').resume();
      resolve(found[1] ?? found[0]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}: ${text}`)));
  });
}

/** The next message that a program of our own sends. */
export async function message<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (received) => {
      child.off('exit', ended);
      resolve(received as Message);
    });
  });
}
