/** The address of a service, and a file with a key. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkedUrl, readKeyFile } from '../../src/cli/over-http.ts';
import { folderPerTest } from '../support/shared.ts';

describe('an address', () => {
  test.each(['https://acme.example.com', 'http://localhost:8080/', 'https://example.com/stock'])('%s', (url) => {
    expect(checkedUrl('--url', url)).toBe(url);
  });

  test.each([
    ['https://user@example.com', '--url must not have a user name or a password.'],
    ['https://:secret@example.com', '--url must not have a user name or a password.'],
    ['https://a.test/api/v1', '--url must be the address without /api/v1, not "https://a.test/api/v1".'],
    ['https://a.test/api/v1/', '--url must be the address without /api/v1, not "https://a.test/api/v1/".'],
    ['ftp://a.test', '--url must be an address such as https://acme.example.com, not "ftp://a.test".'],
    ['acme.example.com', '--url must be an address such as https://acme.example.com, not "acme.example.com".'],
    ['', '--url must be an address such as https://acme.example.com, not "".'],
  ])('not %s', (url, message) => {
    expect(() => checkedUrl('--url', url)).toThrow(message);
  });
});

describe('a file with a key', () => {
  const folder = folderPerTest();
  const read = (text: string) => {
    const path = join(folder.path, 'key');
    writeFileSync(path, text);
    return readKeyFile(path);
  };

  test('has it in a line', () => {
    expect(read(' sbk_abc\n')).toBe('sbk_abc');
  });

  test.each(['', '\n', 'a b', 'a\nb', 'é'])('%j is none, and is not shown', (text) => {
    expect(() => read(text)).toThrow(/key does not have a key in a single line\.$/);
  });
});
