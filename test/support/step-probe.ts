/**
 * Imported into the program with `--import`: it notes how much the serving thread handles at a time, and writes that to the file `STEP_PROBE` when it gets
 * SIGUSR2. Bytes that are passed on as they are do not count.
 */

import { writeFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { isMainThread, MessagePort, Worker } from 'node:worker_threads';

/** The largest of each. */
export interface Steps {
  /** A text that was parsed, or printed, as JSON, in UTF-16 units. */
  readonly parsed: number;
  readonly printed: number;
  /** A text that was decoded, in bytes. */
  readonly decoded: number;
  /** A message from or to another thread, in bytes, without those that it only passes on. */
  readonly message: number;
}

const largest = { parsed: 0, printed: 0, decoded: 0, message: 0 };

function note(kind: keyof Steps, size: number): void {
  largest[kind] = Math.max(largest[kind], size);
}

/** What is copied of a message. */
function contentOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(contentOf);
  if (value instanceof Map) return [...value].map(contentOf);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? null : value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? Object.values(value).map(contentOf) : null;
}

function noteMessage(message: unknown): void {
  note('message', serialize(contentOf(message)).byteLength);
}

if (isMainThread) {
  const file = process.env['STEP_PROBE'] ?? '';
  process.on('SIGUSR2', () => writeFileSync(file, JSON.stringify(largest)));
  const { parse, stringify } = JSON;
  JSON.parse = (text, reviver) => {
    note('parsed', text.length);
    return parse(text, reviver);
  };
  // Its overloads differ in their second parameter only.
  JSON.stringify = new Proxy(stringify, {
    apply(target, self, given) {
      const text: unknown = Reflect.apply(target, self, given);
      if (typeof text === 'string') note('printed', text.length);
      return text;
    },
  });
  const { decode } = TextDecoder.prototype;
  TextDecoder.prototype.decode = function noted(input, options) {
    note('decoded', input?.byteLength ?? 0);
    return decode.call(this, input, options);
  };
  for (const { prototype } of [MessagePort, Worker]) {
    const { on, postMessage } = prototype;
    prototype.on = new Proxy(on, {
      apply(target, self, [event, listener]) {
        const noted = (message: unknown) => {
          noteMessage(message);
          listener(message);
        };
        return Reflect.apply(target, self, [event, event === 'message' ? noted : listener]);
      },
    });
    prototype.postMessage = new Proxy(postMessage, {
      apply(target, self, given) {
        noteMessage(given[0]);
        return Reflect.apply(target, self, given);
      },
    });
  }
}
