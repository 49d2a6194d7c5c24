/** The example in docs/watching.md. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RULES_FILE } from '../../src/import/words.ts';
import { commands } from '../support/commands.ts';
import { sharedFolder } from '../support/shared.ts';
import { linesOf } from '../support/watching.ts';
import { fencesOf, readDocument } from './markdown.ts';

const folder = sharedFolder();

test('the example prints what it says', async () => {
  const fences = fencesOf(readDocument('docs/watching.md'));
  mkdirSync(join(folder.path, 'exports'));
  const files = fences.flatMap(({ kind, content }) => {
    const [, name] = /^(?:csv|json) (\S+)$/.exec(kind) ?? [];
    return name === undefined ? [] : [{ name, content }];
  });
  expect(files.map(({ name }) => name)).toContain(RULES_FILE);
  for (const { name, content } of files) writeFileSync(join(folder.path, 'exports', name), `${content}\n`);
  expect((await commands.run(['account', 'add', 'acme'], { folder: folder.path })).code).toBe(0);
  const at = fences.findIndex(({ kind }) => kind === 'sh');
  const [, command = ''] = /^npx stockbook (.*)$/.exec(fences[at]?.content ?? '') ?? [];
  const { code, stdout, stderr } = await commands.run(command.split(' '), { folder: folder.path });
  const expected = linesOf(fences[at + 1]?.content ?? '');
  expect(expected).toHaveLength(1);
  expect({ code, lines: linesOf(stdout), stderr }).toEqual({ code: 0, lines: expected, stderr: '' });
  expect(readdirSync(join(folder.path, 'exports')).toSorted()).toEqual(['done', RULES_FILE]);
});
