/** What is wrong with something that was answered. */

export interface Wrong {
  readonly text: string;
  /** The records that it is about, if it is about some. */
  readonly ids?: readonly number[];
}

/** `expected` and `got` as JSON, with the same order of members. */
export function unequal(what: string, expected: unknown, got: unknown, ids?: readonly number[]): Wrong | undefined {
  const [a, b] = [JSON.stringify(expected), JSON.stringify(got)];
  return a === b ? undefined : { text: `${what} should be ${a}, but is ${b}`, ...(ids && { ids }) };
}

/** Of records in an order: those that are not where they should be. */
export function wrongOrder(what: string, expected: readonly number[], got: readonly number[]): Wrong | undefined {
  const length = Math.max(expected.length, got.length);
  const places = Array.from({ length }, (_, n) => [expected[n], got[n]] as const).filter(([a, b]) => a !== b);
  return unequal(
    what,
    expected,
    got,
    places.flat().filter((id) => id !== undefined),
  );
}
