/**
 * An event as a line of the log: JSON for programs, or text for people at a terminal.
 *
 *     {"time":"2026-01-31T12:00:00.000Z","level":"warn","pid":7,"msg":"authentication failed","address":"203.0.113.7"}
 *     12:00:00.000 warn  authentication failed  address=203.0.113.7
 */

import { styleText } from 'node:util';
import { visibleText } from '../problem/visible-text.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import type { LogLevel } from './events.ts';

export type Facts = Readonly<Record<string, unknown>>;

/** An error as the log shows it. */
export interface PrintedError {
  readonly type: string;
  readonly message: string;
  /** Undefined if the error is expected. */
  readonly stack: string | undefined;
}

export type PrintLine = (level: EventLevel, message: string, facts: Facts, error?: PrintedError) => string;

/** Linux does not mix writes of several processes to the same pipe if none has more bytes (`PIPE_BUF`). */
export const MAX_LINE = 4_096;

export type EventLevel = Exclude<LogLevel, 'silent'>;

export function jsonLines(clock: Pick<Clock, 'wall'> = systemClock): PrintLine {
  const time = memoizedTime();
  const { pid } = process;
  return fitting((level, message, facts, error) => {
    const details = JSON.stringify(error === undefined ? facts : { ...facts, error });
    const start = `{"time":"${time(clock.wall())}","level":"${level}","pid":${pid},"msg":"${message}"`;
    return `${visibleText(`${start}${details === '{}' ? '' : ','}${details.slice(1)}`)}\n`;
  });
}

const ELLIPSIS = '…';

/** Not worth cutting, in characters. */
const SHORTEST = 10;

/**
 * Errors can make a line too long, and so can names, such as the path of a database. The end of the stack matters least, then
 * that of the message, then that of the longest fact.
 */
function fitting(print: PrintLine): PrintLine {
  return (level, message, facts, error) => {
    let shown = error && {
      ...error,
      message: cut(error.message, MAX_LINE),
      stack: error.stack && cut(error.stack, MAX_LINE),
    };
    let shownFacts = facts;
    for (;;) {
      const line = print(level, message, shownFacts, shown);
      // A character takes at most three bytes, so that most lines need not be measured.
      const excess = line.length * 3 <= MAX_LINE ? 0 : Buffer.byteLength(line) - MAX_LINE;
      if (excess <= 0) return line;
      if (shown?.stack !== undefined) {
        const { stack } = shown;
        shown = { ...shown, stack: stack.length <= SHORTEST ? undefined : shorten(stack, excess) };
      } else if (shown !== undefined && shown.message.length > SHORTEST) {
        shown = { ...shown, message: shorten(shown.message, excess) };
      } else {
        const [name, text] = longestOf(shownFacts);
        if (text.length <= SHORTEST) return line;
        shownFacts = { ...shownFacts, [name]: shorten(text, excess) };
      }
    }
  };
}

/** The name and the text of the longest fact that is a text. */
function longestOf(facts: Facts): readonly [name: string, text: string] {
  return Object.entries(facts).reduce<readonly [string, string]>(
    (longest, [name, value]) =>
      typeof value === 'string' && value.length > longest[1].length ? [name, value] : longest,
    ['', ''],
  );
}

/** By at most half of it: a character may take several bytes. */
function shorten(text: string, excess: number): string {
  return cut(text, Math.max(text.length - excess - Buffer.byteLength(ELLIPSIS), Math.floor(text.length / 2)));
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}${ELLIPSIS}` : text;
}

/** Many requests complete in the same millisecond. */
function memoizedTime(): (now: number) => string {
  let [last, text] = [Number.NaN, ''];
  return (now) => {
    if (now !== last) [last, text] = [now, new Date(now).toISOString()];
    return text;
  };
}

/** Wide enough for all levels. */
const LEVEL_WIDTH = 5;

const COLOURS = { error: 'red', warn: 'yellow', info: 'green', debug: 'gray' } as const;

export function textLines(hasColours: boolean, clock: Pick<Clock, 'wall'> = systemClock): PrintLine {
  const styled = (style: Parameters<typeof styleText>[0], text: string) =>
    hasColours ? styleText(style, text, { validateStream: false }) : text;
  return fitting((level, message, facts, error) => {
    const parts = [
      styled('dim', localTime(clock.wall())),
      styled(COLOURS[level], level.padEnd(LEVEL_WIDTH)),
      message,
      ...Object.entries(error === undefined ? facts : { ...facts, error: error.message })
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${styled('dim', `${name}=`)}${printValue(value)}`),
    ];
    const stack = error?.stack?.split('\n').map((line) => `\n    ${visibleText(line.trim())}`) ?? [];
    return `${parts.join(' ')}${stack.join('')}\n`;
  });
}

function localTime(now: number): string {
  const date = new Date(now);
  return `${date.toTimeString().slice(0, 'hh:mm:ss'.length)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** What has spaces or quotes is quoted, so that a value cannot look like another fact. */
function printValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"\\]+$/.test(text) ? visibleText(text) : visibleText(JSON.stringify(text));
}
