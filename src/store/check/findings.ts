/** What checks report. */

export interface CheckDescription {
  /** As `stockbook check` prints it. */
  readonly name: string;
  /** What must be true. */
  readonly verifies: string;
  /** What `--repair` does, or why it cannot do anything. */
  readonly repairs: string;
}

export interface Finding {
  /** The account's name; absent if it does not exist, or if the finding is not about an account. */
  readonly account?: string;
  readonly resource?: string;
  readonly id?: number;
  /** What is wrong, in words that follow what it is about. */
  readonly detail: string;
  /** Whether nothing that comes after it can be relied on: of the database, no further checks; of a ledger, no repairs. */
  readonly isFatal?: true;
}

/** The first findings, and how many there are. */
export interface Findings {
  readonly first: readonly Finding[];
  readonly count: number;
}

export const NOTHING_FOUND: Findings = { first: [], count: 0 };

/** How many findings of a check are reported one by one. */
export const MAX_REPORTED_FINDINGS = 20;

export function findings(all: readonly Finding[]): Findings {
  return { first: all.slice(0, MAX_REPORTED_FINDINGS), count: all.length };
}

export function merge(one: Findings, other: Findings): Findings {
  return { first: [...one.first, ...other.first].slice(0, MAX_REPORTED_FINDINGS), count: one.count + other.count };
}

export interface CheckOptions {
  readonly repair: boolean;
  /** Called periodically, with the number of records that were checked. */
  readonly onProgress?: (progress: { readonly checked: number; readonly total: number }) => void;
}

export interface CheckResult {
  readonly check: CheckDescription;
  readonly found: Findings;
  /** What is still wrong after the repair; what was found if there was none. */
  readonly remaining: Findings;
}
