/** Counts durations by size. */

/** The upper bounds of the buckets, in seconds. Durations beyond the last have a bucket of their own. */
export const BUCKET_BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

export interface HistogramStats {
  /** For each bucket, how many durations are in it and in no smaller one. */
  readonly counts: readonly number[];
  /** In seconds. */
  readonly sum: number;
  /** The longest duration, in seconds; 0 if there are none. */
  readonly max: number;
}

export class Histogram implements HistogramStats {
  readonly counts: number[] = Array.from({ length: BUCKET_BOUNDS.length + 1 }, () => 0);
  sum = 0;
  max = 0;

  add(milliseconds: number): void {
    const seconds = milliseconds / 1_000;
    let bucket = 0;
    while (bucket < BUCKET_BOUNDS.length && seconds > (BUCKET_BOUNDS[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
    this.max = Math.max(this.max, seconds);
  }

  addAll({ counts, sum, max }: HistogramStats, weight = 1): void {
    for (let bucket = 0; bucket < counts.length; bucket += 1)
      this.counts[bucket] = (this.counts[bucket] ?? 0) + (counts[bucket] ?? 0) * weight;
    this.sum += sum * weight;
    if (weight > 0) this.max = Math.max(this.max, max);
  }

  /** As they are now. */
  get stats(): HistogramStats {
    return { counts: [...this.counts], sum: this.sum, max: this.max };
  }
}

export function sumOf(histograms: readonly HistogramStats[]): HistogramStats {
  const total = new Histogram();
  for (const histogram of histograms) total.addAll(histogram);
  return total.stats;
}

/**
 * The duration, in seconds, that this share of all durations does not exceed. 0 if there are none. Within a bucket it is an
 * estimate, which never exceeds the longest duration.
 */
export function quantile({ counts, max }: HistogramStats, share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= total * share) {
      const from = BUCKET_BOUNDS[bucket - 1] ?? 0;
      const to = Math.min(BUCKET_BOUNDS[bucket] ?? max, max);
      return from + (Math.max(0, to - from) * (total * share - below)) / count;
    }
    below += count;
  }
  return 0;
}
