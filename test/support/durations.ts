/** What tests say about durations that they measured, in milliseconds. */

export interface Durations {
  readonly median: number;
  readonly maximum: number;
}

export function durationsOf(measured: readonly number[]): Durations {
  const sorted = measured.map(Math.round).toSorted((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, maximum: sorted.at(-1) ?? 0 };
}

/** `25 restarts: median 812 ms, maximum 1240 ms` */
export function printDurations(what: string, measured: readonly number[]): string {
  const { median, maximum } = durationsOf(measured);
  return `${measured.length} ${what}: median ${median} ms, maximum ${maximum} ms`;
}
