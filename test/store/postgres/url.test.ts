/** The URL of a PostgreSQL database. */

import { describe, expect, test } from 'vitest';
import { readDatabase, showDatabase } from '../../../src/store/database.ts';
import { readPostgresUrl } from '../../../src/store/postgres/url.ts';

describe('the URL', () => {
  test.each([
    [
      'postgres://u:p@db/stock',
      { hosts: [{ host: 'db', port: 5432 }], user: 'u', password: 'p', database: 'stock', sslMode: 'disable' },
    ],
    [
      'postgresql://u:p%40%2F@db:6432/st%20ock',
      { hosts: [{ host: 'db', port: 6432 }], password: 'p@/', database: 'st ock' },
    ],
    [
      'postgres://u@a:1,b:2,[::1]:3/x',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
          { host: '::1', port: 3 },
        ],
      },
    ],
    ['postgres://u@db', { database: 'u', password: '' }],
    [
      'postgres://db/x?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3',
      { sslMode: 'verify-full', sslRootCert: '/ca.pem', connectTimeout: 3 },
    ],
  ])('is read: %s', (text, parts) => {
    expect(readPostgresUrl(text)).toMatchObject(parts);
  });

  test.each([
    ...[
      'postgres://u@a:b/x',
      'postgres://u@a:99999/x',
      'postgres://u@a,/x',
      'postgres://u@h/x?sslmode=maybe',
      'postgres://u@h/x?application_name=y',
    ],
    ...['postgres://u@h/x?connect_timeout=0', 'postgres://u%zz@h/x', 'postgres:x'],
  ])('%s is invalid', (text) => {
    expect(readDatabase(text)).toBeUndefined();
  });

  test('is shown without its password', () => {
    expect(showDatabase('postgres://u:s3cret@db:1/x?sslmode=require')).toBe('postgres://u:***@db:1/x?sslmode=require');
    expect(showDatabase('postgres://u@db/x')).toBe('postgres://u@db/x');
    expect(showDatabase('POSTGRES://u:s3cret@db/x')).toBe('POSTGRES://u:***@db/x');
  });

  test.each([
    'postgres://u:s3/cret@h/x',
    'postgres://u:12/s3cret@localhost/x',
    'postgres://u:s3cret@ss@h/x',
    'postgres://h/x?user=u&password=s3cret',
    'postgres://h/x?sslrootcert=s3cret',
  ])('%s is invalid, and not shown', (text) => {
    expect(readDatabase(text)).toBeUndefined();
    expect(showDatabase(text)).toBe('***');
  });
});
