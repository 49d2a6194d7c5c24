/** How far Odoo has been read, as it is saved together with the rows. */

import type { Clock } from '../../schedule/clock.ts';
import { isObject } from './odoo.ts';

/** The latest write that was seen of each model, on Odoo's clock; null if there was none. */
export type Cursors = Readonly<Record<string, string | null>>;

export interface Position {
  /** Which Odoo it is about. */
  readonly odoo: string;
  /** What was mirrored and how: with another setup, everything has to be compared. */
  readonly setup: string;
  readonly seen: Cursors;
  /** When everything was compared last; null if that has never been completed. */
  readonly comparedAt: string | null;
  readonly comparing?: Comparison | undefined;
}

/** A comparison that is under way. The `seen` of its position is from before it began. */
export interface Comparison {
  readonly began: string;
  /** Everything up to this id is equal. */
  readonly upTo: number;
}

/** The position is not one of this Odoo. */
export class ForeignPosition extends Error {
  override readonly name = 'ForeignPosition';
}

export function isPositionOf(odoo: string, text: string | null): boolean {
  return text !== null && parsed(text)?.odoo === odoo;
}

export interface Expected {
  readonly odoo: string;
  readonly setup: string;
  /** Whether the Odoo may have had another address before. */
  readonly mayHaveMoved: boolean;
}

/** Undefined if nothing has been read yet. */
export function readPosition(text: string | null, { odoo, setup, mayHaveMoved }: Expected): Position | undefined {
  if (text === null) return undefined;
  const position = parsed(text);
  if (position === undefined)
    throw new ForeignPosition(
      'The account has a position of this source that no mirror of Odoo has saved. Use another --source.',
    );
  if (position.odoo !== odoo && !mayHaveMoved)
    throw new ForeignPosition(
      `The account mirrors ${position.odoo}, not ${odoo}. Every Odoo needs an account of its own. If it is the same Odoo at another address, run the mirror with --once --odoo-moved, and then as before.`,
    );
  // With another setup or address, the old position stays until everything has been compared.
  const isSame = position.setup === setup && position.odoo === odoo;
  return isSame ? position : { ...position, comparedAt: null, comparing: undefined };
}

function parsed(text: string): Position | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isPosition(value) ? value : undefined;
}

function isPosition(value: unknown): value is Position {
  if (!isObject(value)) return false;
  const { odoo, setup, seen, comparedAt, comparing } = value;
  const isTimeOrNull = (time: unknown) => time === null || typeof time === 'string';
  return (
    typeof odoo === 'string' &&
    typeof setup === 'string' &&
    isObject(seen) &&
    Object.values(seen).every(isTimeOrNull) &&
    isTimeOrNull(comparedAt) &&
    (comparing === undefined ||
      (isObject(comparing) && typeof comparing['upTo'] === 'number' && typeof comparing['began'] === 'string'))
  );
}

/** The later of two times; both are on Odoo's clock. */
export function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/** A time on Odoo's clock, so many seconds earlier. */
export function secondsBefore(time: string, seconds: number): string {
  return odooTime(Date.parse(`${time.replace(' ', 'T')}Z`) - seconds * 1_000);
}

/**
 * Later times are not of writes that have happened: somebody has set them, or a clock was wrong. What was written until then would be missed, if they
 * counted as seen. If Odoo's clock is ahead of ours, its writes count as soon as ours is there, and are read again until then.
 */
export function latestPossible(clock: Clock): string {
  return odooTime(clock.wall());
}

function odooTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 'YYYY-MM-DD HH:MM:SS'.length);
}
