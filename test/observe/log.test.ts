/** The log: which events have a line, what it looks like, and what it never contains. */

import { describe, expect, test } from 'vitest';
import { LOG_LEVELS, type RequestCompleted, type ServiceEvent } from '../../src/observe/events.ts';
import { type LogOptions, log } from '../../src/observe/log.ts';
import { type EventLevel, jsonLines, MAX_LINE, textLines } from '../../src/observe/log-line.ts';
import { MAX_LOGGED_FILTER } from '../../src/observe/logged-filter.ts';
import { StoreUnavailable } from '../../src/store/store-error.ts';
import { TestClock } from '../support/test-clock.ts';

const NOON = new TestClock({ wall: Date.UTC(2026, 0, 31, 12, 0, 0, 7) });

const request: RequestCompleted = {
  kind: 'request completed',
  requestId: 'r-1',
  method: 'GET',
  route: '/api/v1/inventory/product',
  status: 200,
  problem: undefined,
  milliseconds: 1.5,
  latency: 1.2,
  address: '203.0.113.7',
  account: 'acme',
  key: '4fJ0aPq2LwZ8',
  bytes: 1_234,
  rows: 10,
  totalSource: 'counted',
  traceId: undefined,
  parentId: undefined,
  filter: 'name*…',
  fullFilter: 'name*chair',
};

/** What the log writes about these events. */
function linesOf(events: readonly ServiceEvent[], options: Partial<LogOptions> & { text?: boolean } = {}): string[] {
  const { text = false, ...rest } = options;
  const lines: string[] = [];
  const listener = log(text ? textLines(false, NOON) : jsonLines(NOON), (line) => void lines.push(line), {
    level: 'info',
    access: 'all',
    filterValues: false,
    ...rest,
  });
  for (const event of events) listener(event);
  return lines;
}

describe('a line in JSON', () => {
  test('has the facts about a request in a fixed order', () => {
    expect(linesOf([request])).toEqual([
      `{"time":"2026-01-31T12:00:00.007Z","level":"info","pid":${process.pid},"msg":"request completed","requestId":"r-1","method":"GET","route":"/api/v1/inventory/product","status":200,"milliseconds":1.5,"account":"acme","key":"4fJ0aPq2LwZ8","address":"203.0.113.7","bytes":1234,"rows":10,"totalSource":"counted","filter":"name*…"}\n`,
    ]);
  });

  test('has the values of the filter only if that is switched on', () => {
    expect(linesOf([request], { filterValues: true })[0]).toContain('"filter":"name*chair"');
  });

  test('of an event without facts is an object, too', () => {
    const print = jsonLines(NOON);
    expect(JSON.parse(print('info', 'nothing else', {}))).toMatchObject({ msg: 'nothing else' });
  });

  test('shows the stack of a bug, and where it comes from', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    const [line = ''] = linesOf([{ kind: 'request failed', requestId: 'r', error }]);
    const { error: printed } = JSON.parse(line);
    expect(printed).toMatchObject({ type: 'Error', message: 'outer: inner' });
    expect(printed.stack).toMatch(/Error: outer\n.*log\.test\.ts[\s\S]*\ncaused by: TypeError: inner\n/);
  });

  test('has no stack if the error is expected, and no properties of an error of the driver', () => {
    const cause = Object.assign(new Error('refused'), { detail: 'Key (name)=(secret) exists' });
    const error = new StoreUnavailable('unreachable', 'the connection was lost', { cause });
    const [line = ''] = linesOf([{ kind: 'stream aborted', requestId: 'r', error }]);
    expect(JSON.parse(line).error).toStrictEqual({
      type: 'StoreUnavailable',
      message: 'the connection was lost: refused',
    });
  });

  test('shows what was thrown, even if it is not an error', () => {
    const [line = ''] = linesOf([{ kind: 'request failed', requestId: 'r', error: 'a text' }]);
    expect(JSON.parse(line).error).toMatchObject({ message: 'a text' });
  });
});

describe('a line of text', () => {
  const facts =
    /^\d\d:\d\d:\d\d\.007 info {2}request completed requestId=r-1 method=GET .* status=200 .* filter=name\*…\n$/;

  test('has the time, the level, the event and its facts', () => {
    expect(linesOf([request], { text: true })).toEqual([expect.stringMatching(facts)]);
  });

  test('is coloured if the terminal wants it', () => {
    const print = textLines(true, NOON);
    const line = print('warn', 'careful', { a: 1 });
    const end = ' \x1b[33mwarn \x1b[39m careful \x1b[2ma=\x1b[22m1\n';
    expect(line.slice(-end.length)).toBe(end);
  });

  test('has the stack of a bug on lines of its own', () => {
    const [line = ''] = linesOf([{ kind: 'request failed', requestId: 'r', error: new Error('oops\nfake line') }], {
      text: true,
    });
    const [first = '', ...others] = line.trimEnd().split('\n');
    expect(first).toMatch(/error {0,1} request failed requestId=r error="oops\\nfake line"$/);
    for (const other of others) expect(other).toMatch(/^ {4}\S/);
  });
});

test.each(LOG_LEVELS)('the level %s', (level) => {
  const isLogged = (eventLevel: EventLevel) =>
    level !== 'silent' && LOG_LEVELS.indexOf(eventLevel) <= LOG_LEVELS.indexOf(level);
  const { ignores } = log(jsonLines(), () => {}, { level, access: 'all', filterValues: false });
  expect(ignores?.('request completed')).toBe(!isLogged('warn'));
  expect(linesOf([{ ...request, status: 503 }], { level })).toHaveLength(isLogged('warn') ? 1 : 0);
  expect(linesOf([{ ...request, status: 499 }], { level })).toHaveLength(isLogged('info') ? 1 : 0);
  expect(ignores?.('request failed')).toBe(!isLogged('error'));
  expect(linesOf([request, { kind: 'request failed', requestId: 'r', error: 'x' }], { level })).toHaveLength(
    [isLogged('info'), isLogged('error')].filter(Boolean).length,
  );
});

describe('the access log', () => {
  const failed = { ...request, status: 404, problem: 'record_not_found' } as const;
  const failedTool = { ...request, problem: 'unknown_field' } as const;

  test('has all requests', () => {
    expect(linesOf([request, failed], { access: 'all' })).toHaveLength(2);
  });

  test('has only those that failed, for a client or for an agent', () => {
    const lines = linesOf([request, failed, failedTool], { access: 'errors' });
    expect(lines.map((line) => JSON.parse(line).problem)).toEqual(['record_not_found', 'unknown_field']);
  });

  test('has a share of the others, and says so in their lines', () => {
    const lines = linesOf([...Array<ServiceEvent>(2_000).fill(request), ...Array<ServiceEvent>(50).fill(failed)], {
      access: 0.25,
    }).map((line) => JSON.parse(line));
    const [sampled, whole] = [
      lines.filter(({ share }) => share === 0.25),
      lines.filter(({ share }) => share === undefined),
    ];
    expect(whole).toHaveLength(50);
    for (const { status } of whole) expect(status).toBe(404);
    // Six standard deviations.
    expect(Math.abs(sampled.length - 500)).toBeLessThan(6 * Math.sqrt(2_000 * 0.25 * 0.75));
  });
});

/** Ends a line, clears a terminal, hides or reorders text; C1 controls are commands for some terminals as well. */
const HOSTILE =
  'a\n{"level":"info"}\r\x1b[2J\x07\x7f\x9b31m\u2028\u2029\u202e\u2066\u200b\u200f\ufeff\u{e0001}\ud800 b="c"';

describe.each([{ text: false }, { text: true }])('hostile text with %j', ({ text }) => {
  const hostile: readonly ServiceEvent[] = [
    { ...request, fullFilter: HOSTILE },
    { kind: 'request failed', requestId: 'r', error: new Error(HOSTILE) },
    { kind: 'connection refused', address: HOSTILE, detail: HOSTILE },
    { kind: 'stopping', signal: HOSTILE },
  ];

  test('is shown without any of its effects', () => {
    for (const event of hostile) {
      const [line = ''] = linesOf([event], { text, filterValues: true });
      const [shown, ...stack] = line.slice(0, -1).split('\n');
      if (!text || event.kind !== 'request failed') expect(stack).toEqual([]);
      for (const part of [shown, ...stack]) expect(part).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(line).toContain('\\u202e');
      expect(line).toContain('\\u001b');
    }
  });

  test('is not lost', () => {
    if (text) return;
    const [line = ''] = linesOf([{ kind: 'stopping', signal: HOSTILE }]);
    expect(JSON.parse(line).signal).toBe(HOSTILE);
  });
});

describe('a line is never longer than what a pipe takes as a whole', () => {
  const bytesOf = (lines: readonly string[]) => lines.map((line) => Buffer.byteLength(line));
  const longError = (message: string, frames: number) =>
    Object.assign(new Error(message), { stack: `Error: ${message}\n${'    at f (file.ts:1:1)\n'.repeat(frames)}` });

  test.each([
    ['a long stack', longError('short', 1_000)],
    ['a long message', longError('x'.repeat(100_000), 10)],
    ['a long message of characters that are escaped', longError('\u{1b}"\u{e0001}'.repeat(10_000), 10)],
    ['a long message without a stack', new StoreUnavailable('busy', 'ü'.repeat(10_000))],
    ['many causes', new Error('a'.repeat(1_000), { cause: longError('b'.repeat(1_000), 100) })],
  ])('%s', (_, error) => {
    const event: ServiceEvent = { kind: 'request failed', requestId: 'r-1', error };
    const json = linesOf([event]);
    const text = linesOf([event], { text: true });
    for (const bytes of bytesOf([...json, ...text])) {
      expect(bytes).toBeLessThanOrEqual(MAX_LINE);
      expect(bytes).toBeGreaterThan(MAX_LINE / 3);
    }
    expect(JSON.parse(json[0] ?? '')).toMatchObject({ msg: 'request failed', requestId: 'r-1' });
  });

  describe.each([{ text: false }, { text: true }])('the start of a service with a long path, with %j', ({ text }) => {
    const listening = (database: string): ServiceEvent => ({
      kind: 'listening',
      address: 'http://127.0.0.1:8080',
      adminAddress: 'http://127.0.0.1:8081',
      database,
      domain: 'localhost',
      version: '1.2.3',
      settings: 'workers=2',
    });
    const bytes = (database: string) => bytesOf(linesOf([listening(database)], { text }))[0] ?? 0;

    test('is cut only if the line would be too long', () => {
      const room = MAX_LINE - bytes('/') + 1;
      for (const [length, isWhole] of [
        [room, true],
        [room + 1, false],
        [4_096, false],
        [100_000, false],
      ] as const) {
        const path = '/'.padEnd(length, 'x');
        expect(bytes(path)).toBeLessThanOrEqual(MAX_LINE);
        expect(bytes(path)).toBeGreaterThan(MAX_LINE / 3);
        expect(linesOf([listening(path)], { text })[0]?.includes(path)).toBe(isWhole);
      }
      expect(bytes('\u{1b}"'.repeat(4_000))).toBeLessThanOrEqual(MAX_LINE);
    });
  });

  test.each(['\u{1b}', '"', '€', '\u{e0001}'])('a request with the longest facts of %j', (character) => {
    const longest: RequestCompleted = {
      ...request,
      requestId: 'r'.repeat(128),
      account: 'a'.repeat(63),
      address: 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
      traceId: 'f'.repeat(32),
      parentId: 'f'.repeat(16),
      fullFilter: `${character.repeat(MAX_LOGGED_FILTER / character.length)}…`,
    };
    const options = { filterValues: true };
    for (const bytes of bytesOf([...linesOf([longest], options), ...linesOf([longest], { ...options, text: true })]))
      expect(bytes).toBeLessThanOrEqual(MAX_LINE);
  });
});
