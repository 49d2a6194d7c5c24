/** The writer of the log, at the end of a real pipe whose reader is slow, stuck or gone. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const WRITER = fileURLToPath(new URL('../../src/observe/log-writer.ts', import.meta.url));
const CLOCK = fileURLToPath(new URL('../../src/schedule/clock.ts', import.meta.url));

/** Runs a script that has a `writer` on its stderr, whose clock is `ahead`, and `report`, which prints on its stdout. */
function run(script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', moduleOf(script)]);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

function moduleOf(script: string): string {
  return `
    import { LogWriter, MAX_WAITING } from ${JSON.stringify(WRITER)};
    import { systemClock } from ${JSON.stringify(CLOCK)};
    import { setImmediate } from 'node:timers/promises';
    let ahead = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
    const writer = new LogWriter(2, (count) => 'dropped ' + count + '\\n', clock);
    process.on('exit', () => writer.writeRest());
    const report = (facts) => process.stdout.write(JSON.stringify(facts) + '\\n');
    ${script}`;
}

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of stream) text += part;
  return text;
}

const numbers = (text: string) => text.trim().split('\n').map(Number);

test.each([
  ['ends by itself', ''],
  ['exits', 'process.exit(0);'],
  ['throws', "throw new Error('a bug');"],
])('no line is lost if the process %s', async (_, end) => {
  const child = run(`for (let n = 0; n < 5_000; n += 1) writer.write(n + '\\n', n % 500 === 0); ${end}`);
  const text = await textOf(child.stderr);
  const lines = text.split('\n').filter((line) => /^\d+$/.test(line));
  expect(lines.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
});

test('lines keep their order, and an urgent one is written at once', async () => {
  const child = run(`
    for (let n = 0; n < 1_000; n += 1) writer.write(n + '\\n', false);
    writer.write('1000\\n', true);
    process.stdin.resume();`);
  let text = '';
  child.stderr.on('data', (part: string) => {
    text += part;
  });
  await expect.poll(() => text).toMatch(/^1000$/m);
  child.kill('SIGKILL');
  expect(numbers(text)).toEqual(Array.from({ length: 1_001 }, (_, n) => n));
});

test('a reader that does not read neither blocks the process nor makes it keep everything', async () => {
  const child = run(`
    const line = 'x'.repeat(999) + '\\n';
    let written = 0;
    // Twice as much as may wait, and more than a pipe holds.
    while (written < 3 * MAX_WAITING) {
      for (let n = 0; n < 100; n += 1) writer.write(line, true);
      written += 100 * line.length;
      await setImmediate();
    }
    report({ lines: written / line.length });
    process.stdin.resume();
    process.stdin.on('end', () => writer.write('last\\n', true));`);
  child.stderr.pause();
  const [report] = await once(child.stdout, 'data');
  const { lines } = JSON.parse(report);
  child.stdin.end();
  const text = await textOf(child.stderr);
  const kept = text.match(/^x+$/gm)?.length ?? 0;
  const dropped = [...text.matchAll(/^dropped (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  expect(kept + dropped).toBe(lines);
  expect(dropped).toBeGreaterThan(lines / 4);
  expect(text.trimEnd().split('\n')).toContain('last');
});

test('a stuck reader does not keep a process from exiting for longer than it may', async () => {
  const child = run(`
    writer.write('x'.repeat(1_000_000) + '\\n', true);
    ahead = 1_001;
    writer.write('never read\\n', true);
    writer.writeRest();
    report('not blocked');`);
  child.stderr.pause();
  const [text] = await once(child.stdout, 'data');
  expect(text).toContain('not blocked');
  child.kill('SIGKILL');
});

test('a reader that has gone is no reason to fail', async () => {
  const child = run(`
    for (let n = 0; n < 50; n += 1) {
      writer.write('x\\n', true);
      await setImmediate();
    }
    report('alive');`);
  child.stderr.destroy();
  expect(await textOf(child.stdout)).toContain('alive');
});

/**
 * Runs scripts at the same time that write to the same pipe, which is full most of the time: dd reads it in small blocks.
 * Node would create a socket instead of a pipe.
 */
async function linesOf(scripts: readonly string[]): Promise<readonly string[]> {
  const commands = scripts.map((_, index) => `"$0" --input-type=module --eval "$${index + 1}" <&4 3>&2 2>&1 >&3 &`);
  const shell = `exec 4<&0; { ${commands.join(' ')} wait; } | dd bs=1000 status=none`;
  const modules = scripts.map((script) =>
    moduleOf(`report('ready'); for await (const _ of process.stdin); process.stdin.destroy(); ${script}`),
  );
  const child = spawn('sh', ['-c', shell, process.execPath, ...modules]);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  let reports = '';
  child.stderr.on('data', (part: string) => {
    reports += part;
    if (reports.match(/ready/g)?.length === scripts.length) child.stdin.end();
  });
  return (await textOf(child.stdout)).trimEnd().split('\n');
}

test('lines of two processes that write to the same pipe are not mixed', async () => {
  const script = (letter: string) => `
    for (let n = 0; n < 4_000; n += 1) writer.write('${letter}'.repeat(1 + (n * 7) % 600) + '\\n', false);`;
  const lines = await linesOf([script('a'), script('b')]);
  expect(lines.filter((line) => !/^(a+|b+)$/.test(line))).toEqual([]);
  expect(lines).toHaveLength(8_000);
});

test.each([
  ['while the process runs', ''],
  ['when it exits', 'process.exit(0);'],
])('a pipe that reports that it is full is tried again %s', async (_, end) => {
  const lines = await linesOf([
    `const { constants, openSync } = await import('node:fs');
     const eager = new LogWriter(openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK), String);
     process.on('exit', () => eager.writeRest());
     for (let n = 0; n < 4_000; n += 1) eager.write(n + ' '.repeat(200) + '\\n', n % 1_000 === 0);
     ${end}`,
  ]);
  expect(lines.map(Number)).toEqual(Array.from({ length: 4_000 }, (_, n) => n));
});
