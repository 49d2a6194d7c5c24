/**
 * The matcher for responses. If it fails, it says which request got which response:
 *
 *     expect(reply).toRespond(401);
 *     expect(reply).toRespond(400, { code: 'unknown_field', parameter: 'filter' });
 */

import { expect } from 'vitest';
import type { TestReply } from './service.ts';

declare module 'vitest' {
  interface Matchers<R, T> {
    /** The status, and a part of the body as in `toMatchObject`. */
    readonly toRespond: IsReply<T> extends true ? (status: number, body?: object) => R : never;
  }
}

/** Nothing but a reply can be asked, unless nobody knows what it is. */
type IsReply<T> = unknown extends T ? true : [T] extends [TestReply] ? true : false;

/** How much of a body is shown, in bytes. */
const MAX_SHOWN = 500;

expect.extend({
  toRespond(reply: TestReply, status: number, body?: object) {
    const hasStatus = reply.status === status;
    const { equals, isNot, utils } = this;
    const hasBody = body === undefined || equals(reply.json, body, [utils.iterableEquality, utils.subsetEquality]);
    const difference = hasStatus && !hasBody ? utils.diff(body, partOf(reply.json, body)) : undefined;
    return {
      pass: hasStatus && hasBody,
      message: () =>
        [
          `${nameOf(reply)} responded with ${resultOf(reply)}, and ${isNot ? 'another one' : status} was expected.`,
          ...(difference === undefined ? [] : [difference]),
          shown(reply),
        ].join('\n\n'),
    };
  },
});

function nameOf({ request }: TestReply): string {
  return request === undefined ? 'A request' : `${request.method} ${request.path}`;
}

/** `400 unknown_field (…)` */
function resultOf({ status, json }: TestReply): string {
  const { code, detail } = Object(json);
  return code === undefined ? String(status) : `${status} ${code} (${detail})`;
}

function shown({ text }: TestReply): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_SHOWN) return text === '' ? 'It has no body.' : text;
  return `${bytes.subarray(0, MAX_SHOWN).toString()}… (${bytes.length} bytes)`;
}

/** The members that are expected, as they are. */
function partOf(actual: unknown, expected: unknown): unknown {
  if (!isObject(actual) || !isObject(expected)) return actual;
  if (Array.isArray(actual)) return actual.map((element, index) => partOf(element, Object(expected)[index]));
  return Object.fromEntries(
    Object.entries(expected).flatMap(([name, part]) =>
      Object.hasOwn(actual, name) ? [[name, partOf(Object(actual)[name], part)]] : [],
    ),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('asymmetricMatch' in value);
}
