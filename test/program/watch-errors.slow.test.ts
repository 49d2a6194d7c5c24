/** What `stockbook watch` refuses to start with. */

import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../support/engines.ts';
import { Watching } from '../support/watching.ts';

describe('into a database', () => {
  const { once, path } = new Watching({ way: 'database', engine: sqlite, isHttp: false });

  test.each([
    [['--settle', 'soon'], 2, '--settle must be a number of seconds up to 3600, not "soon".'],
    [['--settle', '3601'], 2, '--settle must be a number of seconds up to 3600, not "3601".'],
    [['--source', ' '], 2, '--source must be a name, and not longer than 255 bytes.'],
    [['--source', 'x'.repeat(250)], 2, '--source must be a name, and not longer than 255 bytes.'],
    [['--key-file', 'key'], 2, '--key-file is for --url, which is missing.'],
    [['--url', 'http://127.0.0.1:1', '--key-file', 'key'], 2, 'Use either --url or --database, not both.'],
  ])('%j: exit code %i', async (flags, code, message) => {
    expect(await once(...flags)).toEqual({ code, stdout: '', stderr: `stockbook: ${message}\n` });
  });

  test('rules that cannot be used', async () => {
    writeFileSync(path('in/watch.json'), '{"files":[{"pattern":"x*.csv","resource":"prodcut"}]}');
    expect(await once()).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: watch.json cannot be used: entry 1 of "files": "resource" must be one of product, partner, company, not "prodcut".\n',
    });
  });
});

describe('over HTTP', () => {
  const watching = new Watching({ way: 'HTTP', engine: sqlite, isHttp: true });
  const { once, path, service, put, list } = watching;

  test('a key of another account', async () => {
    writeFileSync(path('key'), await service.issue(service.acme, { scopes: ['edit'] }));
    expect(await once()).toMatchObject({
      code: 1,
      stderr: `stockbook: The key is one of the account acme, not of ${watching.account.name}.\n`,
    });
  });

  test('a key that is none, and one that is not there', async () => {
    writeFileSync(path('key'), 'secret');
    expect(await once()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stockbook: .+\n$/) });
    expect(await once('--key-file', path('no-key'))).toMatchObject({
      code: 1,
      stderr: `stockbook: ${path('no-key')} cannot be read: no such file or directory (ENOENT).\n`,
    });
  });

  test('an address that is none, and one where nobody listens', async () => {
    expect(await once('--url', 'acme')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--url must be an address'),
    });
    put('product.csv', 'name\nChair\n');
    expect(await once('--url', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^stockbook: There is no response: .*\n$/),
    });
    expect(list()).toEqual(['product.csv']);
  });

  test('a key that may not edit leaves the file where it is', async () => {
    writeFileSync(path('key'), await service.issue(watching.account, { scopes: ['read'] }));
    put('product.csv', 'name\nChair\n');
    const { code, stderr } = await once();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/product\.csv: .*scope.* It stays where it is, and is tried again\./),
    });
    expect(list()).toEqual(['product.csv']);
  });

  test('a folder that is none', async () => {
    expect(await watching.run('watch', watching.account.name, 'nowhere', '--once')).toMatchObject({
      code: 1,
      stderr: 'stockbook: nowhere is not a folder.\n',
    });
  });
});
