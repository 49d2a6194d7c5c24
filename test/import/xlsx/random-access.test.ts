import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TooManyBytes } from '../../../src/import/file-text.ts';
import { openFile, spooled } from '../../../src/import/xlsx/random-access.ts';
import { sharedFolder } from '../../support/shared.ts';

const folder = sharedFolder();

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a file is read from any place', async () => {
  const path = join(folder.path, 'letters');
  writeFileSync(path, 'abcdef');
  const file = await openFile(path);
  expect(file.size).toBe(6);
  expect(Buffer.from(await file.read(2, 3)).toString()).toBe('cde');
  expect(Buffer.from(await file.read(4, 10)).toString()).toBe('ef');
  await file.close();
});

test('bytes that arrive are read from any place once all of them are there', async () => {
  const file = await spooled(chunks('abc', '', 'def'), 6);
  expect(file.size).toBe(6);
  expect(Buffer.from(await file.read(2, 3)).toString()).toBe('cde');
  await file.close();
});

test('more bytes than allowed are refused', async () => {
  await expect(spooled(chunks('abc', 'defg'), 6)).rejects.toThrow(TooManyBytes);
});
