/**
 * Imported into a server with `--import`: it measures how long the steps of its serving thread take, and writes the longest to the file `STEP_CLOCK` when it
 * gets SIGUSR2. A step is an iteration of the event loop, without garbage collection. It keeps the thread busy, so nothing else is measured meanwhile.
 */

import { writeFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Shorter steps are of no interest, in milliseconds. */
const NOTED = 3;

/** The system may count processor time only at its ticks, which are so many milliseconds apart at most. */
const TICK = 4;

interface Step {
  readonly from: number;
  readonly to: number;
  /** The processor time of the thread. */
  readonly used: number;
  collected: number;
}

if (isMainThread) {
  const file = process.env['STEP_CLOCK'] ?? '';
  let steps: Step[] = [];
  let since = { at: performance.now(), used: threadTime() };
  const next = () => {
    const [at, used] = [performance.now(), threadTime()];
    if (at - since.at > NOTED) steps.push({ from: since.at, to: at, used: used - since.used, collected: 0 });
    since = { at: performance.now(), used: threadTime() };
    setImmediate(next);
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      for (const step of steps)
        step.collected += Math.max(0, Math.min(step.to, startTime + duration) - Math.max(step.from, startTime));
  }).observe({ entryTypes: ['gc'] });
  process.on('SIGUSR2', () => {
    // The observer learns of collections a little later.
    setTimeout(() => {
      const lengths = steps.map(({ from, to, used, collected }) => Math.min(to - from, used + TICK) - collected);
      steps = [];
      writeFileSync(file, `${JSON.stringify(Math.max(NOTED, ...lengths))}\n`);
    }, 100);
  });
  next();
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
