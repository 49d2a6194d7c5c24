/** When a test file takes too long. */

import { expect, test } from 'vitest';
import { overBudget } from '../support/budgets.ts';

test('a file may take four times its budget and five seconds', () => {
  const budgets = { a: 2, b: 100 };
  expect(overBudget(budgets, { a: 13, b: 100 })).toEqual([]);
  expect(overBudget(budgets, { a: 13.1, b: 100 })).toEqual(['a took 13.1 s; its budget is 2 s.']);
});

test('a file without a budget may take five seconds', () => {
  expect(overBudget({ a: 100 }, { a: 100, b: 5 })).toEqual([]);
  expect(overBudget({ a: 100 }, { a: 100, b: 5.1 })).toEqual(['b took 5.1 s; its budget is 0 s.']);
});

test('all files together may take twice their budget', () => {
  const budgets = { a: 10, b: 10 };
  expect(overBudget(budgets, { a: 22, b: 22 })).toEqual([]);
  expect(overBudget(budgets, { a: 23, b: 23 })).toEqual(['All files took 46 s; their budget is 20 s.']);
});

test('files that did not run do not count', () => {
  expect(overBudget({ a: 10, b: 1_000 }, { a: 30 })).toEqual(['All files took 30 s; their budget is 10 s.']);
});
