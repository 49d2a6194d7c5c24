/** The docs match the program: everything that exists is documented, and everything documented exists. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { program } from '../../src/cli/main.ts';
import { IMPORT_OPTIONS } from '../../src/client/import.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from '../../src/filter/limits.ts';
import { SMALL_BODY } from '../../src/handlers/import.ts';
import { MAX_CHUNKS, MAX_CHUNKS_PER_BYTE } from '../../src/http/incoming-body.ts';
import { MAX_PAUSE, MIN_RATE } from '../../src/http/incoming-stream.ts';
import { MAX_HEADERS } from '../../src/http/malformed.ts';
import { MAX_LINE_LENGTH } from '../../src/import/lines.ts';
import { BASE_TIME, MAX_ACCOUNT_HELD, MAX_HELD, TIME_PER_BYTE } from '../../src/import/reading/cost.ts';
import { MAX_MAPPED } from '../../src/import/reading-options.ts';
import { MAX_ACCOUNT_IMPORTS, MAX_IMPORTS } from '../../src/limits/import-slots.ts';
import { MAX_REFUSED_BODY } from '../../src/mcp/exchange.ts';
import { MAX_ID_LENGTH, RPC_ERRORS, SUPPORTED_VERSIONS } from '../../src/mcp/protocol.ts';
import { MAX_RESULT_BYTES } from '../../src/mcp/result-size.ts';
import { MAX_CONNECTIONS } from '../../src/observe/admin/admin-server.ts';
import type { RequestCompleted } from '../../src/observe/events.ts';
import { eventLevels } from '../../src/observe/log.ts';
import { loggedFilter } from '../../src/observe/logged-filter.ts';
import { MAX_POSITION, MAX_SOURCE_NAME } from '../../src/plan/import.ts';
import { MAX_LIMIT } from '../../src/plan/page.ts';
import { MAX_ACCEPT_BYTES } from '../../src/request/accept.ts';
import { JSON_LIMITS, MAX_BODY_BYTES, MAX_QUERY_BYTES } from '../../src/request/body.ts';
import { MAX_KEY_LENGTH } from '../../src/request/idempotency-key.ts';
import { IMPORT_PARAMETERS } from '../../src/request/parameters.ts';
import { MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES } from '../../src/request/target.ts';
import { flagOf, settingNames, settings } from '../../src/settings/settings.ts';
import { storageSettings } from '../../src/settings/storage.ts';
import { auditActions } from '../../src/store/audit.ts';
import { checksOf } from '../../src/store/check/checks.ts';
import { IMPORT_RETENTION, IMPORT_SILENCE } from '../../src/store/imports.ts';
import { MAX_SKIPPED_ROWS } from '../../src/store/loading.ts';
import { postgresChecks } from '../../src/store/postgres/checks.ts';
import { MAX_FEW_BYTES, MAX_FEW_ROWS } from '../../src/store/sql/staging.ts';
import { sqliteChecks } from '../../src/store/sqlite/checks.ts';
import { writtenDocuments } from '../../tools/docs/documents.ts';
import { anchorOf } from '../../tools/guides/markdown.ts';
import { documents, fencesOf, inCode, readDocument, tableBelow } from './markdown.ts';

const api = readDocument('docs/api.md');
const cli = readDocument('docs/cli.md');

test('npm run docs has been run', () => {
  for (const { before, text } of writtenDocuments()) expect(before).toBe(text);
});

test('the checks are described alike for both engines', () => {
  const described = (checks: typeof sqliteChecks) =>
    checksOf({ checks }).map(({ name, verifies, repairs }) => [name, verifies, repairs]);
  expect(described(postgresChecks)).toEqual(described(sqliteChecks));
});

describe('docs/api.md', () => {
  test('states the limits that the code enforces', () => {
    const kib = (bytes: number) => `${bytes / 1024} KiB`;
    expect(Object.fromEntries(tableBelow(api, '## Limits').map(([what = '', limit]) => [what, limit]))).toMatchObject({
      '`limit`': `${MAX_LIMIT.toLocaleString('en-US')} records`,
      'filter text': `${kib(MAX_FILTER_BYTES)} of UTF-8`,
      'conditions in a filter': String(MAX_CONDITIONS),
      'depth of groups': String(MAX_DEPTH),
      'values in a list': MAX_LIST_ITEMS.toLocaleString('en-US'),
      'request line': kib(MAX_REQUEST_LINE_BYTES),
      'request line and headers': kib(MAX_HEAD_BYTES),
      headers: MAX_HEADERS.toLocaleString('en-US'),
      '`Accept` header of a list': kib(MAX_ACCEPT_BYTES),
      body: kib(MAX_BODY_BYTES),
      '`Idempotency-Key`': `${MAX_KEY_LENGTH} characters`,
    });
  });
});

const stockbook = await program();

test('docs/writing.md names all options of imports that are called differently, and no others', () => {
  const camelCase = (name: string) => name.replaceAll(/[-_](.)/g, (_, letter: string) => letter.toUpperCase());
  const flags = (stockbook.commands.find((each) => each.name() === 'import')?.options ?? []).map(({ long }) =>
    String(long).slice('--'.length),
  );
  const options = Object.keys(IMPORT_OPTIONS);
  const different = tableBelow(readDocument('docs/writing.md'), '### Options by other names');
  const named = { parameters: [''], flags: [''], options: [''] };
  for (const [request = '', command = '', client = ''] of different) {
    named.parameters.push(/^`(\w+)=/.exec(request)?.[1] ?? '');
    named.flags.push(/^`--([\w-]+)/.exec(command)?.[1] ?? '');
    named.options.push(/^`(\w+):/.exec(client)?.[1] ?? '');
  }
  expect(options).toEqual(expect.arrayContaining(named.options.slice(1)));
  expect(flags).toEqual(expect.arrayContaining(named.flags.slice(1)));
  const same = IMPORT_PARAMETERS.filter((name) => !named.parameters.includes(name)).map(camelCase);
  const ofPrograms = ['source', 'position', 'expect'];
  expect(options).toEqual(expect.arrayContaining(same));
  expect(flags.map(camelCase)).toEqual(expect.arrayContaining(same.filter((name) => !ofPrograms.includes(name))));
  const ofCommand = ['mapping', 'save', 'preview', 'database', ...storageSettings];
  const others = flags.filter((flag) => !ofCommand.includes(flag) && !named.flags.includes(flag)).map(camelCase);
  expect(same).toEqual(expect.arrayContaining(others));
});

describe('docs/cli.md', () => {
  const runnable = (command: Command, words: readonly string[]): { path: string; command: Command }[] => [
    // A group that has flags of its own can be run as well.
    ...(command.commands.length === 0 || command.options.length > 0 ? [{ path: words.join(' '), command }] : []),
    ...command.commands
      .filter((part) => part.name() !== 'help')
      .flatMap((part) => runnable(part, [...words, part.name()])),
  ];
  const commands = runnable(stockbook, ['stockbook']);

  test.each(commands)('documents $path with all its flags', ({ path, command }) => {
    expect(cli.text).toContain(path);
    for (const { long } of command.options) expect(cli.text).toContain(`${long}`);
  });

  test('is right that stockbook serve takes every setting', () => {
    const serve = commands.find(({ path }) => path === 'stockbook serve')?.command;
    expect(serve?.options.map(({ long }) => long)).toEqual(settingNames.map(flagOf));
  });

  test('mentions no command or flag that does not exist', () => {
    const flags = new Set(commands.flatMap(({ command }) => command.options.map(({ long }) => long)));
    for (const [flag] of cli.text.matchAll(/--[a-z][a-z-]*/g))
      expect([...flags, '--help', '--version']).toContain(flag);
    const named = Array.from(cli.text.matchAll(/`(stockbook (?:[a-z]+ ?)+)/g), ([, words = '']) => words.trim());
    expect(named.filter((words) => !commands.some(({ path }) => path.startsWith(words)))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  const operations = readDocument('docs/operations.md');

  test('lists exactly the log events, with their levels', () => {
    const documented = tableBelow(operations, '### Events').map(([event = '', level]) => [inCode(event), level]);
    expect(documented).toEqual(Object.entries(eventLevels));
  });

  test('lists exactly the facts in the line of a request', () => {
    const documented = tableBelow(operations, '### Requests').flatMap(([facts = '']) => facts.split(', ').map(inCode));
    const unique: Record<keyof RequestCompleted | 'share', true> = {
      kind: true,
      requestId: true,
      method: true,
      route: true,
      status: true,
      problem: true,
      milliseconds: true,
      latency: true,
      address: true,
      account: true,
      key: true,
      bytes: true,
      rows: true,
      totalSource: true,
      traceId: true,
      parentId: true,
      filter: true,
      fullFilter: true,
      share: true,
    };
    // The event is in `msg`, `filter` is one of two, and `latency` is for the metrics.
    const logged = Object.keys(unique).filter((name) => !['kind', 'fullFilter', 'latency'].includes(name));
    expect(documented.toSorted()).toEqual(logged.toSorted());
  });

  test('shows filters as the log does', () => {
    const query = { resource: product, text: 'filter=list_price%3E10%26name*chair' };
    const filter = loggedFilter(query, undefined, false);
    expect(operations.text).toContain(`"filter":${JSON.stringify(filter)}`);
    expect([filter, settings['log-filters'].help]).toEqual(Array(2).fill(expect.stringMatching(/…$/)));
    const described = tableBelow(operations, '### Requests').find(([facts]) => facts === '`filter`');
    expect(described?.[1]).toContain('the filter with `…` for its values');
  });

  test('lists exactly the alerts', () => {
    const alerts = [...readDocument('ops/prometheus-alerts.yml').text.matchAll(/- alert: (\w+)/g)].map(
      ([, alert]) => alert,
    );
    expect(tableBelow(operations, '## Dashboard and alerts').map(([alert = '']) => inCode(alert))).toEqual(alerts);
  });

  test('states the limit on connections', () => {
    expect(operations.text).toContain(`at most ${MAX_CONNECTIONS} connections`);
    expect(readDocument('docs/limits.md').text).toContain(`connections | ${MAX_CONNECTIONS} |`);
  });
});

test('docs/limits.md and docs/writing.md state the limits of imports', () => {
  const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  const limits = readDocument('docs/limits.md').text;
  const writing = readDocument('docs/writing.md').text;
  const [line, skipped, position] = [MAX_LINE_LENGTH, MAX_SKIPPED_ROWS, MAX_POSITION].map((limit) =>
    limit.toLocaleString('en-US'),
  );
  const small = `has at most ${SMALL_BODY / 1024} KiB, and that do not ask for the rejected rows`;
  for (const row of [
    `| body of an import, compressed and decompressed | ${Number(settings['max-import-size'].fallback) / 1024} GiB | \`--max-import-size\` |`,
    `| a row of an import | ${line} characters |`,
    `| rows that an import skips because of other rows or of records | ${skipped} |`,
    `| \`map\` of an import | ${MAX_MAPPED} times |`,
    `if it has more than ${MAX_FEW_ROWS} rows, or more than ${MAX_FEW_BYTES / 1024} KiB of values`,
    `| name of a source | ${MAX_SOURCE_NAME} bytes |`,
    `| position of a source | ${position} bytes |`,
    `| pause of a client that sends the body of an import | ${MAX_PAUSE / 1_000} s |`,
    `once it has been waited for ${MAX_PAUSE / 1_000} s in all | ${MIN_RATE / 1024} KiB/s on average |`,
    `| a running import that reports nothing | ${IMPORT_SILENCE} s,`,
    `| imports in \`GET /api/v1/imports\` | ${IMPORT_RETENTION} days |`,
    `| imports under way, except those whose body is not compressed and ${small} | ${MAX_ACCOUNT_IMPORTS}, or 1 once ${MAX_IMPORTS / 2} of all`,
    `| imports under way, except those whose body is not compressed and ${small} | ${MAX_IMPORTS} |`,
    `| memory that its imports hold, such as the texts of workbooks | ${mebibytes(MAX_ACCOUNT_HELD)} |`,
    `| memory that imports hold in a thread, such as the texts of workbooks | ${mebibytes(MAX_HELD)} |`,
    `| processor time for reading an import | ${BASE_TIME / 1_000} s, and ${TIME_PER_BYTE * 1_000} ms more for each KB`,
  ])
    expect(limits).toContain(row);
  for (const words of [
    `| a row | ${line} characters |`,
    `An import of up to ${MAX_FEW_ROWS} rows, and ${MAX_FEW_BYTES / 1024} KiB of values,`,
    `${MAX_ACCOUNT_IMPORTS} of an account, or 1 while ${MAX_IMPORTS / 2} or more of all accounts are under way; ${MAX_IMPORTS} per process |`,
    `| ${MAX_SOURCE_NAME} and ${position} bytes |`,
    `| columns in \`map\` | ${MAX_MAPPED} |`,
    `| ${skipped} |`,
    small,
  ])
    expect(writing).toContain(words);
});

describe('docs/mcp.md', () => {
  const mcp = readDocument('docs/mcp.md');

  test('lists exactly the errors of the protocol', () => {
    const documented = tableBelow(mcp, '## Errors').map(([code, status = '']) => [
      Number(code),
      Number(status.slice(0, 3)),
    ]);
    const earlier = 'method not found in an earlier version';
    const known = Object.entries(RPC_ERRORS).flatMap(([kind, { code, status }]) =>
      kind === earlier ? [] : [[code, status]],
    );
    expect(documented.toSorted()).toEqual(known.toSorted());
  });

  test('states the versions and the limits', () => {
    for (const version of SUPPORTED_VERSIONS) expect(mcp.text).toContain(version);
    const [bytes, characters] = [MAX_RESULT_BYTES, MAX_ID_LENGTH].map((limit) => limit.toLocaleString('en-US'));
    expect(mcp.text).toContain(`more than ${bytes} bytes`);
    const limits = readDocument('docs/limits.md').text;
    expect(limits).toContain(`${bytes} bytes of the API's response`);
    expect(limits).toContain(`| ${characters} characters | | JSON-RPC`);
    expect(limits).toContain(`as a result | ${MAX_REFUSED_BODY / 1024} KiB |`);
    expect(mcp.text).toContain(`at most ${MAX_BODY_BYTES / 1024} KiB`);
    expect(limits).toContain(`| body | ${MAX_BODY_BYTES / 1024} KiB; ${MAX_QUERY_BYTES / 1024} KiB with \`QUERY\` |`);
    expect(limits).toContain(
      `| ${JSON_LIMITS.depth} levels deep, ${JSON_LIMITS.commas.toLocaleString('en-US')} commas |`,
    );
    expect(limits).toContain(
      `| ${MAX_CHUNKS.toLocaleString('en-US')}, and one more for every ${1 / MAX_CHUNKS_PER_BYTE} bytes |`,
    );
  });

  test('has configurations that can be pasted', () => {
    const configurations = fencesOf(mcp).filter(({ kind }) => kind === 'json');
    for (const { content } of configurations) expect(JSON.parse(content)).toBeInstanceOf(Object);
  });
});

describe('docs/audit.md', () => {
  const audit = readDocument('docs/audit.md');
  const detailsOf = (action = '') => Object.entries(auditActions).find(([name]) => name === action)?.[1].details;

  test('has examples with the details that entries have', () => {
    const fences = fencesOf(audit);
    const [, ...lines] = fences.find(({ kind }) => kind === 'text')?.content.split('\n') ?? [];
    for (const line of lines) {
      const [, , , action, , details = ''] = line.split(/ {2,}/);
      expect([...details.matchAll(/(\w+)=/g)].map(([, name]) => name)).toEqual(detailsOf(action));
    }
    const entry = JSON.parse(fences.find(({ kind }) => kind === 'json')?.content ?? '');
    expect(Object.keys(entry)).toEqual(['id', 'at', 'actor', 'origin', 'action', 'account', 'details']);
    expect(Object.keys(entry.details)).toEqual(detailsOf(entry.action));
  });
});

test('every relative link leads to an existing file and heading', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  for (const { path, text } of documents) {
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [file = '', fragment] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(root + target), `${path} links to ${link}`).toBe(true);
      if (fragment === undefined) continue;
      const headings = [...readDocument(target).text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        anchorOf(heading),
      );
      expect(headings, `${path} links to ${link}`).toContain(fragment);
    }
  }
});
