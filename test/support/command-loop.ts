/** A process that executes commands of the program one after another. `commands.ts` starts it and talks to it. */

import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import { END, type LoopedCommand } from './commands.ts';

const lines = createInterface({ input: process.stdin });
const environment = { ...process.env };

for await (const line of lines) {
  const { folder, args, env, input }: LoopedCommand = JSON.parse(line);
  process.chdir(folder);
  Object.assign(process.env, env);
  Object.defineProperty(process, 'stdin', {
    value: Readable.from(input === '' ? [] : [Buffer.from(input, 'base64')]),
    configurable: true,
  });
  const code = await run([process.execPath, 'stockbook', ...args]);
  // The test may remove the other one.
  process.chdir(tmpdir());
  for (const name of Object.keys(env)) delete process.env[name];
  Object.assign(process.env, environment);
  // Commands leave these to the end of their process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  process.stdout.removeAllListeners('error');
  process.stderr.write(code + END);
  process.stdout.write(END);
}
