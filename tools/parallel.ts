/**
 * Runs npm scripts at the same time, and fails if one of them does: `node tools/parallel.ts SCRIPT … [-- ARGUMENT …]`. The arguments are for the last
 * script. Its output is shown as it comes; that of the others once they have ended, so that lines are not mixed. npm runs it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const separator = process.argv.indexOf('--');
const scripts = process.argv.slice(2, separator === -1 ? undefined : separator);
const given = separator === -1 ? [] : process.argv.slice(separator + 1);
const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('npm runs this script');

const others = scripts.slice(0, -1).map((script) => runCollected(npm, script));
const last = runShown(npm, scripts.at(-1) ?? '', given);
const failed = (await Promise.all([...others, last])).filter((script) => script !== undefined);
if (failed.length > 0) {
  process.stderr.write(`Failed: ${failed.map((script) => `npm run ${script}`).join(', ')}\n`);
  process.exitCode = 1;
}

/** Resolves to the script if it has failed. */
async function runShown(npm: string, script: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [npm, 'run', '--silent', script, '--', ...args], { stdio: 'inherit' });
  return (await hasSucceeded(child)) ? undefined : script;
}

async function runCollected(npm: string, script: string): Promise<string | undefined> {
  const started = performance.now();
  const child = spawn(process.execPath, [npm, 'run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const succeeded = await hasSucceeded(child);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(
    `${Buffer.concat(printed)}${succeeded ? 'Passed' : 'Failed'}: npm run ${script} (${seconds} s)\n`,
  );
  return succeeded ? undefined : script;
}

async function hasSucceeded(child: ChildProcess): Promise<boolean> {
  const [code] = await once(child, 'close');
  return code === 0;
}
