/** The trie of statement texts. */

import { expect, test } from 'vitest';
import { StatementTexts } from '../../../src/store/sql/statement-texts.ts';

const walk = (texts: StatementTexts, ...pieces: readonly string[]) =>
  pieces.reduce((node, piece) => texts.after(node, piece), texts.start()).text;

test('returns the same text for the same pieces, and adds nothing for it', () => {
  const texts = new StatementTexts();
  expect(walk(texts, 'SELECT ', 'a', ' FROM t')).toBe('SELECT a FROM t');
  // Three nodes: "SELECT ", "SELECT a" and "SELECT a FROM t".
  expect(texts.characters).toBe(7 + 8 + 15);
  expect(walk(texts, 'SELECT ', 'a', ' FROM t')).toBe('SELECT a FROM t');
  expect(texts.characters).toBe(7 + 8 + 15);
  expect(walk(texts, 'SELECT ', 'b')).toBe('SELECT b');
  expect(texts.characters).toBe(7 + 8 + 15 + 8);
});

test('keeps its texts at the limit, and starts over one character past it', () => {
  const texts = new StatementTexts(10);
  walk(texts, '1234567890');
  expect(texts.characters).toBe(10);
  expect(walk(texts, '1234567890')).toBe('1234567890');
  expect(texts.characters).toBe(10);
  walk(texts, 'x');
  expect(texts.characters).toBe(11);
  expect(walk(texts, '1234567890')).toBe('1234567890');
  expect(texts.characters).toBe(10);
});

test('stays correct if it starts over while a statement is being compiled', () => {
  const texts = new StatementTexts(10);
  const begun = texts.after(texts.start(), 'SELECT ');
  walk(texts, '1234567890');
  texts.start();
  expect(texts.characters).toBe(0);
  expect(texts.after(begun, 'a').text).toBe('SELECT a');
});

test('stays within its limit, whatever is compiled', () => {
  const texts = new StatementTexts(1_000);
  for (let n = 0; n < 1_000; n += 1) {
    expect(walk(texts, 'SELECT ', `column_${n}`, ' FROM t')).toBe(`SELECT column_${n} FROM t`);
    // One statement may exceed it before the trie starts over.
    expect(texts.characters).toBeLessThanOrEqual(1_000 + 3 * 'SELECT column_999 FROM t'.length);
  }
});
