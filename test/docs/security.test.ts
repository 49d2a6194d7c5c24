/** SECURITY.md is true: the tests it names exist, and the service connects to nothing but its database. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readDocument, tableBelow } from './markdown.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const rows = tableBelow(readDocument('SECURITY.md'), '## OWASP API Security Top 10');

test('the table has all ten items, each with tests that exist', () => {
  expect(rows.map(([item]) => item?.split(' ')[0])).toEqual(Array.from({ length: 10 }, (_, n) => `API${n + 1}`));
  for (const [item, , tests = ''] of rows) {
    const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(paths, item).not.toEqual([]);
    for (const path of paths) expect(existsSync(join(ROOT, path)), path).toBe(true);
  }
});

test('no module of the service opens connections, except those to PostgreSQL', () => {
  // The client and the mirrors run elsewhere, and `stockbook top` is an operator who reads the admin address.
  const modules = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') &&
      !/^(?:client\/|connectors\/|store\/postgres\/|cli\/top\.ts)/.test(name.replaceAll('\\', '/')),
  );
  const opening = modules.filter((name) => {
    const text = readFileSync(join(ROOT, 'src', name), 'utf8');
    const imported = [...text.matchAll(/^import (?!type)(.*?) from '(.*?)';$/gms)].map(([, names = '', from = '']) =>
      /^(?:node:)?(?:https?|net|tls|dns|dgram|http2|undici)$/.test(from) ? names : '',
    );
    return (
      /\b(?:fetch|WebSocket|EventSource)\(/.test(text) ||
      imported.some((names) => /\b(?:request|get|connect|createConnection|Agent|lookup|default)\b|\*/.test(names))
    );
  });
  expect(opening).toEqual([]);
});
