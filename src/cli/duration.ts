/** Durations as people write them: 30m, 12h, 90d, 2w, 1y. */

import { CommandError } from './command-error.ts';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000, y: 365 * 86_400_000 } as const;

const MAX_DURATION = 1_000 * UNITS.y;

/** In milliseconds; may be 0. */
export function readDuration(flag: string, text: string): number {
  const [, number, unit] = /^(\d{1,5})([mhdwy])$/.exec(text) ?? [];
  if (number === undefined || !isUnit(unit)) {
    throw new CommandError(`${flag} must be a duration such as 30m, 12h, 90d, 2w or 1y, not "${text}".`, 2);
  }
  const duration = Number(number) * UNITS[unit];
  if (duration > MAX_DURATION) throw new CommandError(`${flag} must be at most 1000y, not "${text}".`, 2);
  return duration;
}

/** In whole days, hours or minutes: `9 days`. */
export function printDuration(milliseconds: number): string {
  const [unit, length] =
    milliseconds >= UNITS.d
      ? (['day', UNITS.d] as const)
      : milliseconds >= UNITS.h
        ? (['hour', UNITS.h] as const)
        : (['minute', UNITS.m] as const);
  const count = Math.floor(milliseconds / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function isUnit(letter: string | undefined): letter is keyof typeof UNITS {
  return letter !== undefined && Object.hasOwn(UNITS, letter);
}
