/** What tests say about durations that they measured, in milliseconds. */

/** `25 restarts: median 812 ms, maximum 1240 ms` */
export function printDurations(what: string, measured: readonly number[]): string {
  const sorted = measured.map(Math.round).toSorted((a, b) => a - b);
  const [median = 0, maximum = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return `${measured.length} ${what}: median ${median} ms, maximum ${maximum} ms`;
}
