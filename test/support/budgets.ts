/**
 * A reporter that keeps the suite from growing unnoticed: `test/budgets.json` says how many seconds each test file takes in a run of all tests. With
 * `STOCKBOOK_TEST_BUDGETS=write` a run writes it, with `check` a run fails if a file takes several times as long.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

/** By file, relative to the root of the checkout. */
export type Seconds = Readonly<Record<string, number>>;

const FILE = fileURLToPath(new URL('../budgets.json', import.meta.url));

export function readBudgets(): Seconds {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Machines differ, and may be busy. */
const FACTOR = 4;

/** A file may take so many seconds more than that, and one without a budget no more than that. */
const FREE = 5;

/** All files together may take so many times as long. */
const TOTAL_FACTOR = 2;

export class Budgets implements Reporter {
  readonly #mode: 'write' | 'check';

  constructor(mode: 'write' | 'check') {
    this.#mode = mode;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const taken = Object.fromEntries(modules.map((module) => [pathOf(module), secondsOf(module)]).toSorted());
    if (this.#mode === 'write') writeFileSync(FILE, `${JSON.stringify(taken, undefined, 2)}\n`);
    else report(overBudget(readBudgets(), taken));
  }
}

/** A sentence for each file that took too long. */
export function overBudget(budgets: Seconds, taken: Seconds): readonly string[] {
  const exceeded = Object.entries(taken)
    .filter(([file, seconds]) => seconds > FACTOR * (budgets[file] ?? 0) + FREE)
    .map(([file, seconds]) => `${file} took ${seconds} s; its budget is ${budgets[file] ?? 0} s.`);
  const budget = Object.keys(taken).reduce((sum, file) => sum + (budgets[file] ?? 0), 0);
  const total = Object.values(taken).reduce((sum, seconds) => sum + seconds, 0);
  if (total <= TOTAL_FACTOR * budget + FREE) return exceeded;
  return [...exceeded, `All files took ${Math.round(total)} s; their budget is ${Math.round(budget)} s.`];
}

function report(exceeded: readonly string[]): void {
  if (exceeded.length === 0) return;
  process.stderr.write(`${exceeded.join('\n')}\nIf that is meant, run "npm run test:budgets" and commit ${FILE}.\n`);
  process.exitCode = 1;
}

function pathOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return Math.round((collectDuration + duration) / 100) / 10;
}
