/** Compares the ratios of a run with those of earlier ones. Medians of earlier runs, so that one bad night changes nothing. */

import type { EngineName } from './cases.ts';
import { type CaseResult, median } from './report.ts';

export interface TrendRun {
  /** ISO 8601. */
  readonly began: string;
  readonly results: readonly Pick<CaseResult, 'engine' | 'rows' | 'name' | 'targets'>[];
}

export interface Worse {
  readonly engine: EngineName;
  readonly name: string;
  /** What the ratio compares, such as `≥ 0.6 × baseline`. */
  readonly goal: string;
  /** How good it is, relative to the median of the earlier runs. */
  readonly share: number;
}

/** How many of the latest runs count. */
const RUNS = 7;

/** A ratio that falls below this part of the median is worse. */
const TOLERATED = 0.9;

/** Only ratios between what was measured in one run: whatever else a machine does affects both sides. */
export function worseThan(earlier: readonly TrendRun[], run: TrendRun): readonly Worse[] {
  const latest = earlier.toSorted((a, b) => (a.began < b.began ? 1 : -1)).slice(0, RUNS);
  const before = latest.flatMap(ratiosOf);
  return ratiosOf(run).flatMap(({ key, margin, ...ratio }) => {
    const known = before.filter((other) => other.key === key).map((other) => other.margin);
    const share = margin / median(known);
    return known.length > 0 && share < TOLERATED ? [{ ...ratio, share }] : [];
  });
}

interface Ratio extends Omit<Worse, 'share'> {
  readonly key: string;
  readonly margin: number;
}

function ratiosOf({ results }: TrendRun): readonly Ratio[] {
  return results.flatMap(({ engine, rows, name, targets }) =>
    targets.flatMap(({ goal, subject, reference, margin }) =>
      margin === undefined || reference === undefined
        ? []
        : [{ key: [engine, rows, name, subject, goal].join(), engine, name, goal, margin }],
    ),
  );
}
