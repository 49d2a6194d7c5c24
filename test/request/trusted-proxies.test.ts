/** The client's address: who may say what it is, and what hostile headers do. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrustedProxies } from '../../src/request/trusted-proxies.ts';
import { rounds } from '../support/rounds.ts';

const proxiesOf = (text: string): TrustedProxies => {
  const proxies = TrustedProxies.read(text);
  if (proxies === undefined) throw new Error(`${text} is not valid`);
  return proxies;
};

describe('the setting', () => {
  test.each([
    ['', '127.0.0.1', false],
    [' 127.0.0.1 , ::1 ', '127.0.0.1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['192.0.2.77/31', '192.0.2.76', true],
    ['0.0.0.0/0', '203.0.113.7', true],
    ['2001:db8::/32', '2001:DB8:FFFF::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::1', '::1', true],
    ['::1', '127.0.0.1', false],
    ['10.0.0.0/8', '', false],
    ['10.0.0.0/8', 'localhost', false],
  ])('%j, and %s', (text, address, isTrusted) => {
    expect(proxiesOf(text).has(address)).toBe(isTrusted);
  });

  test.each([
    ...['localhost', '10.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.1,', ',', '*'],
    ...['::1/129', 'fe80::1%eth0', '[::1]', '10.0.0.1 10.0.0.2', '10.0.0.1:80', '0x0a000001', '10.0.0.0/8.0'],
  ])('%j is not valid', (text) => {
    expect(TrustedProxies.read(text)).toBeUndefined();
  });
});

describe('the scheme', () => {
  const proxies = proxiesOf('127.0.0.1');

  test.each<[Parameters<TrustedProxies['schemeOf']>[1], string | undefined]>([
    [{}, undefined],
    [{ 'x-forwarded-proto': 'https' }, 'https'],
    [{ 'x-forwarded-proto': 'HTTP' }, 'http'],
    [{ 'x-forwarded-proto': 'http, https' }, 'https'],
    [{ 'x-forwarded-proto': ['https', 'http'] }, 'http'],
    [{ 'x-forwarded-proto': 'ftp' }, undefined],
    [{ 'x-forwarded-proto': '' }, undefined],
    [{ forwarded: 'for=203.0.113.7;proto=https' }, 'https'],
    [{ forwarded: 'for=203.0.113.7;Proto="http"' }, 'http'],
    [{ forwarded: 'proto=https, for=203.0.113.7' }, undefined],
    [{ forwarded: 'proto=https;proto=http' }, undefined],
    [{ forwarded: 'proto=https', 'x-forwarded-proto': 'https' }, 'https'],
    [{ forwarded: 'proto=https', 'x-forwarded-proto': 'http' }, undefined],
    [{ forwarded: 'for=203.0.113.7', 'x-forwarded-proto': 'https' }, 'https'],
  ])('of %j is %s', (headers, scheme) => {
    expect(proxies.schemeOf('127.0.0.1', headers)).toBe(scheme);
    expect(proxies.schemeOf('127.0.0.2', headers)).toBeUndefined();
  });
});

describe('behind proxies that are trusted', () => {
  const proxies = proxiesOf('127.0.0.1, 10.0.0.0/8, 2001:db8:aa::/48');

  test.each([
    ['no header', {}, '127.0.0.1'],
    ['one address', { 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    ['the last untrusted address', { 'x-forwarded-for': '198.51.100.1, 203.0.113.7, 10.0.0.2' }, '203.0.113.7'],
    ['only trusted addresses', { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['a port', { 'x-forwarded-for': '203.0.113.7:4711' }, '203.0.113.7'],
    ['IPv6', { 'x-forwarded-for': '2001:DB8:0:0::7' }, '2001:db8::7'],
    ['IPv6 with a port', { 'x-forwarded-for': '[2001:db8::7]:4711' }, '2001:db8::7'],
    ['IPv4 in IPv6', { 'x-forwarded-for': '::ffff:203.0.113.7' }, '203.0.113.7'],
    ['a trusted IPv6 address', { 'x-forwarded-for': '203.0.113.7, 2001:db8:aa::1' }, '203.0.113.7'],
    ['no address', { 'x-forwarded-for': 'unknown' }, '127.0.0.1'],
    ['no address behind a proxy', { 'x-forwarded-for': '203.0.113.7, unknown, 10.0.0.2' }, '10.0.0.2'],
    ['an empty header', { 'x-forwarded-for': '' }, '127.0.0.1'],
    ['an empty place', { 'x-forwarded-for': '203.0.113.7,' }, '127.0.0.1'],
    ['a host name', { 'x-forwarded-for': 'evil.example.com' }, '127.0.0.1'],
    ['a zone', { 'x-forwarded-for': 'fe80::1%eth0' }, '127.0.0.1'],
    ['a quote that is never closed', { 'x-forwarded-for': '"198.51.100.1, 203.0.113.7' }, '203.0.113.7'],
    ['for', { forwarded: 'for=203.0.113.7' }, '203.0.113.7'],
    ['several members', { forwarded: 'proto=https; For="203.0.113.7:4711" ;by=10.0.0.2' }, '203.0.113.7'],
    ['for with IPv6', { forwarded: 'for="[2001:db8::7]:4711"' }, '2001:db8::7'],
    ['several proxies', { forwarded: 'for=198.51.100.1, for=203.0.113.7;host=a, for=10.0.0.2' }, '203.0.113.7'],
    ['a hidden address', { forwarded: 'for=_hidden' }, '127.0.0.1'],
    ['no for', { forwarded: 'for=198.51.100.1, proto=https' }, '127.0.0.1'],
    ['for twice', { forwarded: 'for=198.51.100.1;for=203.0.113.7' }, '127.0.0.1'],
    ['for in a quoted host', { forwarded: 'host="a;for=198.51.100.1";for=203.0.113.7' }, '203.0.113.7'],
    ['a quote that is opened on the left', { forwarded: 'for="198.51.100.1, for=203.0.113.7' }, '203.0.113.7'],
    ['both headers that agree', { forwarded: 'for=203.0.113.7', 'x-forwarded-for': '203.0.113.7' }, '203.0.113.7'],
    ['both that do not', { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '203.0.113.7' }, '127.0.0.1'],
  ])('the client is found: %s', (_, headers, client) => {
    expect(proxies.clientOf('127.0.0.1', headers)).toBe(client);
    expect(proxies.clientOf('192.0.2.1', headers)).toBe('192.0.2.1');
  });

  test('a long row of proxies ends', () => {
    const row = Array.from({ length: 30_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`).toReversed();
    expect(proxies.clientOf('127.0.0.1', { 'x-forwarded-for': row.join(',') })).toBe('10.0.0.19');
  });
});

describe('whatever the headers are', () => {
  const proxies = proxiesOf('10.0.0.0/8');
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  const piece = fc.oneof(
    address,
    fc.constantFrom(',', ';', '"', '\\', 'for=', '[', ']', ':80', ' ', '\t', 'unknown', '%', 'host=', '10.0.0.1'),
    fc.string(),
  );
  const header = fc.option(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    { nil: undefined },
  );
  const headers = fc.record({ forwarded: header, 'x-forwarded-for': header });

  test('a peer that is not trusted cannot change its address', () => {
    const peer = address.filter((text) => !proxies.has(text));
    fc.assert(
      fc.property(peer, headers, (from, sent) => proxies.clientOf(from, sent) === from),
      { numRuns: rounds(500, 20_000) },
    );
  });

  test('a client behind a trusted proxy, which appends its address, cannot change it', () => {
    const client = fc.ipV4().filter((text) => !proxies.has(text));
    fc.assert(
      fc.property(client, headers, (from, sent) => {
        const append = (list: string | undefined, element: string) =>
          list === undefined ? element : `${list}, ${element}`;
        const appended = append(sent['x-forwarded-for'], from);
        const { forwarded } = sent;
        expect(proxies.clientOf('10.0.0.1', { 'x-forwarded-for': appended })).toBe(from);
        expect(proxies.clientOf('10.0.0.1', { forwarded: append(forwarded, `for=${from};proto=https`) })).toBe(from);
        // The proxy does not know the other header, and passes it on.
        expect([from, '10.0.0.1']).toContain(proxies.clientOf('10.0.0.1', { forwarded, 'x-forwarded-for': appended }));
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });
});
