/** The docs say what the program does, and the program does what the docs say: in both directions. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import { program } from '../../src/cli/main.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from '../../src/filter/limits.ts';
import { operators } from '../../src/filter/operators.ts';
import { HEALTH_PATHS } from '../../src/http/health.ts';
import { MAX_LIMIT } from '../../src/plan/page.ts';
import { registry } from '../../src/problem/registry.ts';
import { MAX_BODY_BYTES } from '../../src/request/body.ts';
import { parameters } from '../../src/request/parameters.ts';
import { MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES } from '../../src/request/target.ts';
import { flagOf, settingNames, settings, variableOf } from '../../src/settings/settings.ts';
import { decisions } from '../http/decisions.ts';
import { documents, inCode, readDocument, tableBelow } from './markdown.ts';

const api = readDocument('docs/api.md');
const cli = readDocument('docs/cli.md');

test('docs/errors.md has every error code, and no other', () => {
  const rows = Object.entries(registry).map(([code, { status, title, hint }]) => [
    `\`${code}\``,
    String(status),
    title,
    hint,
  ]);
  expect(tableBelow(readDocument('docs/errors.md'), '## Codes')).toEqual(rows);
});

test('docs/settings.md has every setting, and no other', () => {
  const rows = settingNames.map((name) => {
    const { placeholder, fallback, help } = settings[name];
    return [
      `\`${flagOf(name)}${placeholder === undefined ? '' : ` ${placeholder}`}\``,
      `\`${variableOf(name)}\``,
      `\`${fallback}\``,
      help,
    ];
  });
  expect(tableBelow(readDocument('docs/settings.md'), '# Settings')).toEqual(rows);
});

test('docs/filter.md has every operator, and no other', () => {
  const rows = Object.values(operators).map(({ title, symbol, example, types, meaning }) => [
    title,
    `\`${symbol}\``,
    `\`${example}\``,
    types.join(', '),
    meaning,
  ]);
  expect(tableBelow(readDocument('docs/filter.md'), '## Operators')).toEqual(rows);
});

describe('docs/api.md', () => {
  test('has every route, and no other', () => {
    const routes = catalog.flatMap(({ path, creatable }) => [
      `GET /api/v1/${path}`,
      `GET /api/v1/${path}/{id}`,
      ...(creatable.length > 0 ? [`POST /api/v1/${path}`] : []),
    ]);
    const documented = tableBelow(api, '## Endpoints').map(([request = '']) => inCode(request));
    expect(documented.toSorted()).toEqual(
      [...routes, 'GET /problems/{code}', ...Object.values(HEALTH_PATHS).map((path) => `GET ${path}`)].toSorted(),
    );
  });

  test('has every parameter, and no other', () => {
    const rows = Object.entries(parameters).map(([name, { meaning, example }]) => [
      `\`${name}\``,
      meaning,
      `\`${example}\``,
    ]);
    expect(tableBelow(api, '## Lists').slice(0, rows.length)).toEqual(rows);
  });

  test.each(catalog)('has every field of $name, in order', ({ name, fields }) => {
    const rows = fields.map((field) => [`\`${field.name}\``, field.type, field.nullable ? 'yes' : 'no', field.meaning]);
    expect(tableBelow(api, `### ${name}`)).toEqual(rows);
  });

  test('has every decision in the words that its test quotes', () => {
    expect(tableBelow(api, '## The fine print')).toEqual(decisions.map(({ point, says }) => [point, says]));
  });

  test('has the limits as they are', () => {
    const kib = (bytes: number) => `${bytes / 1024} KiB`;
    expect(Object.fromEntries(tableBelow(api, '## Limits').map(([what = '', limit]) => [what, limit]))).toMatchObject({
      '`limit`': `${MAX_LIMIT.toLocaleString('en-US')} records`,
      'filter text': `${kib(MAX_FILTER_BYTES)} of UTF-8`,
      'conditions in a filter': String(MAX_CONDITIONS),
      'depth of groups': String(MAX_DEPTH),
      'values in a list': MAX_LIST_ITEMS.toLocaleString('en-US'),
      'request line': kib(MAX_REQUEST_LINE_BYTES),
      'request line and headers': kib(MAX_HEAD_BYTES),
      body: `${MAX_BODY_BYTES / 1024 / 1024} MiB`,
    });
  });
});

describe('docs/cli.md', () => {
  const leaves = (command: Command, words: readonly string[]): { path: string; command: Command }[] =>
    command.commands.length === 0
      ? [{ path: words.join(' '), command }]
      : command.commands
          .filter((part) => part.name() !== 'help')
          .flatMap((part) => leaves(part, [...words, part.name()]));
  const commands = leaves(program(), ['stockbook']);

  test.each(commands)('has $path with all its flags', ({ path, command }) => {
    expect(cli.text).toContain(path);
    for (const { long } of command.options) expect(cli.text).toContain(`${long}`);
  });

  test('has a command to serve that takes every setting', () => {
    const serve = commands.find(({ path }) => path === 'stockbook serve')?.command;
    expect(serve?.options.map(({ long }) => long)).toEqual(settingNames.map(flagOf));
  });

  test('has no command and no flag that is not there', () => {
    const flags = new Set(commands.flatMap(({ command }) => command.options.map(({ long }) => long)));
    for (const [flag] of cli.text.matchAll(/--[a-z][a-z-]*/g)) expect([...flags, '--help']).toContain(flag);
    for (const [, words = ''] of cli.text.matchAll(/`stockbook ((?:[a-z]+ ?)+)/g)) {
      expect(commands.some(({ path }) => path.startsWith(`stockbook ${words.trim()}`))).toBe(true);
    }
  });
});

test('docs/postgresql.md has the statements for every search index and every table', () => {
  const { text } = readDocument('docs/postgresql.md');
  const searched = catalog.flatMap(({ name, fields }) =>
    fields.filter((field) => field.searched).map((field) => `${name}_${field.name}_fold_search`),
  );
  expect([...text.matchAll(/INDEX CONCURRENTLY (\w+)/g)].map(([, index]) => index)).toEqual(searched);
  expect([...text.matchAll(/create_distributed_table\('(\w+)'/g)].map(([, table]) => table)).toEqual([
    'ledger',
    ...catalog.map(({ name }) => name),
  ]);
});

test('every link between the docs leads to a file and a heading that exist', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-');
  for (const { path, text } of documents) {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [file = '', fragment] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(root + target), `${path} links to ${link}`).toBe(true);
      if (fragment === undefined) continue;
      const headings = [...readDocument(target).text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        anchor(heading),
      );
      expect(headings, `${path} links to ${link}`).toContain(fragment);
    }
  }
});
