/** A process that cannot stop by itself. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** A thread runs a statement that takes hours, which nothing can interrupt. */
const PROGRAM = `
  import { Worker } from 'node:worker_threads';
  import { exitInTime, listenForStop, runUntilStopped } from '${new URL('../../src/process/shutdown.ts', import.meta.url)}';
  import { systemClock } from '${new URL('../../src/schedule/clock.ts', import.meta.url)}';

  const thread = new Worker(\`
    import { DatabaseSync } from 'node:sqlite';
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage('started');
    new DatabaseSync(':memory:').exec('WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n');
  \`, { eval: true });
  const print = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
  thread.once('message', () => print({ kind: 'ready' }));
  // A second takes a hundredth of one.
  const clock = { ...systemClock, after: (milliseconds, act) => systemClock.after(milliseconds / 100, act) };
  const stop = listenForStop();
  exitInTime(stop, print, clock);
  await runUntilStopped({ stop: async () => print({ kind: 'server stopped' }) }, stop, print, clock);
  await thread.terminate();
  print({ kind: 'stopped', forced: false });
`;

test('is killed, and says so', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const printed = () =>
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const exited = once(child, 'close');
  await expect.poll(printed).toEqual([{ kind: 'ready' }]);
  child.kill('SIGTERM');
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(printed().slice(1)).toEqual([
    { kind: 'stopping', signal: 'SIGTERM' },
    { kind: 'server stopped' },
    { kind: 'stopped', forced: true },
  ]);
});
