/**
 * Checks a history that was written to a file once more: `npx node test/faults/histories/recheck.ts FILE`. With `--shrink`, it leaves out the reads
 * that the first violation does not need, and writes what is left to another file.
 */

import { check, explain } from './check.ts';
import { readHistory, writeHistory } from './history.ts';
import { shrunk } from './shrink.ts';

const [path, option] = process.argv.slice(2);
if (path === undefined || (option !== undefined && option !== '--shrink')) {
  process.stderr.write('Usage: npx node test/faults/histories/recheck.ts FILE [--shrink]\n');
  process.exit(2);
}
const calls = readHistory(path);
const { violations, ...counts } = check(calls);
process.stdout.write(`${JSON.stringify(counts)}\n\n${explain(violations, path)}\n`);
const [first] = violations;
if (first !== undefined && option === '--shrink') {
  const smaller = shrunk(calls, first.rule);
  writeHistory(`${path}.shrunk`, smaller);
  process.stdout.write(`\nOf ${calls.length} calls, ${smaller.length} are left in ${path}.shrunk\n`);
}
process.exitCode = violations.length === 0 ? 0 : 1;
