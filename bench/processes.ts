/** The child processes of the benchmark. All of them are stopped, by pid, when the benchmark exits for any reason. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const exitHandlers = new Set<() => void>();

process.on('exit', () => {
  for (const handler of exitHandlers) handler();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

/** Calls `handler` when the benchmark exits. Returns a function that cancels this. */
export function onExit(handler: () => void): () => void {
  exitHandlers.add(handler);
  return () => exitHandlers.delete(handler);
}

/** The environment of all child processes. */
const { PATH, HOME } = process.env;
const environment: NodeJS.ProcessEnv = { PATH, HOME };

/** Adds variables for the processes started from here on. */
export function setEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(environment, variables);
}

interface StartOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly stderr?: 'inherit' | 'pipe' | number;
  readonly ipc?: true;
  /** The signal that stops it. */
  readonly signal?: NodeJS.Signals;
}

export interface Running {
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

export function start(command: string, args: readonly string[], options: StartOptions = {}): Running {
  const { ipc, stderr = 'inherit', signal = 'SIGTERM', ...user } = options;
  const stdio = ['ignore', 'pipe', stderr, ...(ipc ? (['ipc'] as const) : [])] as const;
  const child = spawn(command, args, { ...user, env: environment, stdio: [...stdio] });
  child.once(
    'exit',
    onExit(() => child.kill(signal)),
  );
  return {
    child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

/** Starts a script of the benchmark, given its path relative to this directory. */
export function startScript(file: string, args: readonly string[]): Running {
  return start(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], { ipc: true });
}

/** Runs a Node program to completion and returns its stdout. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const { child } = start(process.execPath, [program, ...args], { stderr: 'pipe' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}: ${output.stderr}`);
  return output.stdout;
}

/** Resolves once the output matches, to the first group of the pattern or else the whole match. */
export async function waitForOutput(
  child: ChildProcess,
  pattern: RegExp,
  from: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  let text = '';
  const stream = child[from];
  return new Promise((resolve, reject) => {
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      const found = pattern.exec(text);
      if (found === null) return;
      stream.removeAllListeners('data').resume();
      resolve(found[1] ?? found[0]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} exited with ${code}: ${text}`)));
  });
}

/** The next message from a script of the benchmark. */
export async function nextMessage<Message>(
  child: ChildProcess,
  isExpected: (received: unknown) => received is Message,
): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`${child.spawnargs.join(' ')} exited with ${code}`));
    child.once('exit', fail);
    child.once('message', (received: unknown) => {
      child.off('exit', fail);
      if (isExpected(received)) resolve(received);
      else reject(new Error(`${child.spawnargs.join(' ')} sent an unexpected message: ${JSON.stringify(received)}`));
    });
  });
}

/** The port of a script that reports the address of its server. */
export async function listeningPort({ child }: Running): Promise<number> {
  const hasPort = (received: unknown): received is { readonly port: number } =>
    typeof received === 'object' && received !== null && 'port' in received && typeof received.port === 'number';
  return (await nextMessage(child, hasPort)).port;
}
