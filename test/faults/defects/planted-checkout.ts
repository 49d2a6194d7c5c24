/** A copy of the checkout, in which one defect after another is planted. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneInto, plainEnvironment, ROOT } from '../../support/checkout.ts';
import { type Defect, type FindingTest, type TestRun, withDefect } from './defect.ts';

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

export class PlantedCheckout {
  readonly #folder: string;
  readonly #report: string;

  /** In a folder that does not exist yet. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#report = join(folder, 'report.json');
    cloneInto(folder);
    for (const shared of ['node_modules', 'dist']) symlinkSync(join(ROOT, shared), join(folder, shared));
  }

  /** How the test that is meant to find the defect has failed, until it said what it should. Rejects if it is ended by the signal. */
  async failures(defect: Defect, signal: AbortSignal): Promise<readonly string[]> {
    const path = join(this.#folder, defect.file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, withDefect(defect));
    const failures: string[] = [];
    try {
      for (const run of defect.foundBy.runs) {
        const failure = await this.#failureOf(defect.foundBy, run, signal);
        if (failure === undefined) continue;
        failures.push(failure);
        if (failure.includes(defect.foundBy.says ?? '')) break;
      }
    } finally {
      writeFileSync(path, original);
    }
    return failures;
  }

  /** Undefined if the test has passed. */
  async #failureOf(
    { file, name }: FindingTest,
    { mode, seed }: TestRun,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    rmSync(this.#report, { force: true });
    const pattern = `^${name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`;
    const flags = ['--mode', mode, '--testNamePattern', pattern, '--reporter', 'json', '--outputFile', this.#report];
    const child = spawn(process.execPath, [VITEST, 'run', ...flags, `test/faults/${file}`], {
      cwd: this.#folder,
      env: { ...plainEnvironment(), STOCKBOOK_TEST_SEED: String(seed) },
      stdio: 'ignore',
      signal,
    });
    await once(child, 'close');
    const { testResults }: Report = JSON.parse(readFileSync(this.#report, 'utf8'));
    const executed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'passed' || status === 'failed');
    const [result, ...others] = executed;
    if (result === undefined || others.length > 0)
      throw new Error(`test/faults/${file} has ${executed.length} tests with the name "${name}".`);
    return result.status === 'failed' ? result.failureMessages.join('\n') : undefined;
  }
}

/** What the reporter `json` writes. */
interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[];
}

interface TestResult {
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';
  readonly failureMessages: readonly string[];
}
