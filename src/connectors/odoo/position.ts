/** How far Odoo has been read, as it is saved together with the rows. */

/** The latest write that was seen of each model, on Odoo's clock; null if there was none. */
export type Cursors = Readonly<Record<string, string | null>>;

export interface Position {
  /** Which Odoo it is about. */
  readonly odoo: string;
  readonly seen: Cursors;
  /** When everything was compared last; null if that has never been completed. */
  readonly comparedAt: string | null;
  /** A comparison that is under way: everything up to this id is equal, and `seen` is from before it began. */
  readonly comparedUpTo?: number;
}

export class ForeignPosition extends Error {
  override readonly name = 'ForeignPosition';
}

export function readPosition(text: string | null, odoo: string): Position | undefined {
  if (text === null) return undefined;
  let parsed: Partial<Position>;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ForeignPosition(
      'The account has a position of this source that no mirror has saved. Use another --source.',
    );
  }
  if (parsed.odoo !== odoo || parsed.seen === undefined)
    throw new ForeignPosition(
      `The account mirrors ${parsed.odoo ?? 'something else'}, not ${odoo}. Use another account, or another --source if the records of both are to be mixed.`,
    );
  const { seen, comparedAt = null, comparedUpTo } = parsed;
  return { odoo, seen, comparedAt, ...(comparedUpTo !== undefined && { comparedUpTo }) };
}

/** The later of two times; both are on Odoo's clock. */
export function later(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

/** A time on Odoo's clock, so many seconds earlier. */
export function secondsBefore(time: string, seconds: number): string {
  const date = new Date(`${time.replace(' ', 'T')}Z`);
  return new Date(date.getTime() - seconds * 1_000)
    .toISOString()
    .replace('T', ' ')
    .slice(0, 'YYYY-MM-DD HH:MM:SS'.length);
}
