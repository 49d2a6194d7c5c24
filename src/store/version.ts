/** Versions: what changes with every write. Whatever was computed at a version holds while it is current. */

export interface AccountVersion {
  /** Changes with the account's keys. */
  readonly access: number;
  /** By the resource's name. */
  readonly ledger: ReadonlyMap<string, LedgerVersion>;
}

export interface LedgerVersion {
  /** The generation of the database in which the ledger was last written. */
  readonly generation: number;
  readonly revision: number;
  /** How many records there are. */
  readonly rows: number;
}

/** When a record was last written. */
export type RecordVersion = Pick<LedgerVersion, 'generation' | 'revision'>;

export function isSameVersion(a: RecordVersion, b: RecordVersion): boolean {
  return a.revision === b.revision && a.generation === b.generation;
}

/** Whether a version precedes another. Generations have no order. */
export function isEarlier(version: RecordVersion, other: RecordVersion): boolean {
  return version.generation === other.generation && version.revision < other.revision;
}
