/** A process that executes commands of the program one after another. `Commands` starts it and talks to it. */

import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { run } from '../../src/cli/main.ts';
import { END, type LoopedCommand } from './commands.ts';

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, args }: LoopedCommand = JSON.parse(line);
  process.chdir(folder);
  const code = await run([process.execPath, 'stockbook', ...args]);
  // The test may remove the other one.
  process.chdir(tmpdir());
  process.stdout.removeAllListeners('error');
  process.stderr.write(code + END);
  process.stdout.write(END);
}
