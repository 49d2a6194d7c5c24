/** A defect that is planted in the program, so that a test shows that it would find it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/checkout.ts';

export interface Defect {
  /** What is wrong. */
  readonly name: string;
  /** In the repository. It has the text once. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  readonly foundBy: FindingTest;
}

/** The test that is meant to fail. */
export interface FindingTest {
  /** In `test/faults/`. */
  readonly file: string;
  /** With the names of its suites, as `-t` finds it. */
  readonly name: string;
  /** What its failure says; anything if absent. */
  readonly says?: string;
  /** How it is run, one after another, until it fails: a defect may stay hidden for some time. */
  readonly runs: readonly TestRun[];
}

export interface TestRun {
  /** That of the gate is `test`. */
  readonly mode: 'test' | 'crashes';
  readonly seed: number;
}

/** The file with the defect. Throws if the text is not there, or not only once. */
export function withDefect({ name, file, text, replacement }: Defect): string {
  const [before = '', after, ...others] = readFileSync(join(ROOT, file), 'utf8').split(text);
  if (after === undefined || others.length > 0)
    throw new Error(
      `The defect "${name}" does not apply: ${file} has its text ${others.length === 0 ? 'nowhere' : 'several times'}.`,
    );
  return before + replacement + after;
}
