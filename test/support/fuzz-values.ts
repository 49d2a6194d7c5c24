/** Values that a fuzzer puts into requests: valid, nearly valid, and known to confuse parsers. */

export const OTHER_METHODS = ['HEAD', 'POST', 'QUERY', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'M-SEARCH'];
export const BAD_METHODS = ['get', 'G\0T', '', 'CONNECT', 'GETT', ' GET'];
export const OTHER_VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'http/1.1', ''];
export const AWKWARD_VALUES = [
  ...'0 1 -1 2 7 1000 1001 1e3 9007199254740991 9007199254740992 99999999999999999999 NaN null true TRUE'.split(' '),
  ...String.raw`% %zz %00 %ff %c3%28 %ed%a0%80 + .. ../.. %2e%2e \ " ' ; -- __proto__ constructor`.split(' '),
  ...'id name -id id,id name, count sum(list_price) avg(qty_available) max(name) categ_id active'.split(' '),
  ...['', 'list_price:20', 'create_date:month', 'create_date:99', "' OR 1=1 --", '); DROP TABLE product; --'],
];
export const HEADER_VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: [
    ...'*/* application/json application/x-ndjson text/csv text/event-stream text/html image/png'.split(' '),
    ...[';q=', 'a/b;q=2'],
  ],
  'Accept-Encoding': ['identity', 'gzip', 'br', 'zstd', 'gzip;q=0', '*;q=0', ',,,', 'gzip;q=9'],
  'If-None-Match': ['*', '"x"', 'W/"x"', '"0-0-0"', '"', ', ,', `"${'a'.repeat(500)}"`],
  Prefer: ['wait=0', 'wait=1', 'wait=-1', 'wait=1e9', 'wait', 'wait=x, wait=2'],
  'Idempotency-Key': ['a', '"a"', '', 'x'.repeat(300), '\u00e9', 'k1', 'k2', 'k3'],
  'Content-Type': [
    'application/json; charset=utf-8',
    ...'application/json text/plain application/x-www-form-urlencoded x /'.split(' '),
  ],
  'Last-Event-ID': ['0', 'x', '-', 'AAAA'],
  Origin: ['null', 'http://evil.example', 'http://localhost', 'x'],
  Range: ['bytes=0-1', 'bytes=-', 'records=1-2'],
  'X-Request-Id': ['find-me', 'x'.repeat(300), '<script>', '{"a":1}'],
  'X-Forwarded-For': ['127.0.0.1', '10.0.0.1, 10.0.0.2', 'x'],
  Forwarded: ['for=1.2.3.4;host=other'],
  'X-HTTP-Method-Override': ['DELETE'],
  traceparent: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '00-0-0-0', 'ff-'],
  'MCP-Protocol-Version': ['2026-07-28', '2025-06-18', '1', ''],
  'Mcp-Session-Id': ['x'],
  Cookie: ['a=b'],
};
/** After these, the connection may be closed. */
export const BREAKING_HEADERS = [
  ...['Expect: 100-continue', 'Expect: 200-ok', 'Upgrade: h2c', 'Content-Length: 3', ' folded'],
  ...['close', 'upgrade', 'close, keep-alive'].map((value) => `Connection: ${value}`),
  ...['Bad Header: x', ': x', 'X', 'X\0: y', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
];
