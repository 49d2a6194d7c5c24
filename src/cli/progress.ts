/** The progress of a long command: a bar on a terminal, a line now and then otherwise. All of it goes to stderr. */

import { byteCount, count, printNote, withSeparators } from './output.ts';

export interface Progress {
  /** What is being done. Each activity has its own speed and remaining time. */
  readonly activity: string;
  /** The number of rows done so far. */
  readonly rows: number;
  /** The number of all rows, if it is known. */
  readonly total?: number;
  /** From 0 to 1; undefined if it cannot be known. */
  readonly fraction: number | undefined;
}

export interface ByteProgress {
  readonly activity: string;
  readonly bytes: number;
  readonly total: number;
}

/** How often a line is printed and the bar is redrawn, in milliseconds. */
const LINE_INTERVAL = 10_000;
const BAR_INTERVAL = 100;

const BAR_WIDTH = 24;

export class ProgressReport {
  readonly #isTerminal = process.stderr.isTTY === true;
  #started = performance.now();
  #activity: string | undefined;
  #shownAt = performance.now();
  #isShown = false;

  show(progress: Progress): void {
    if (progress.activity !== this.#activity) {
      if (this.#activity !== undefined) this.#started = performance.now();
      this.#activity = progress.activity;
    }
    this.#print(progress.fraction, (seconds) => progressText(progress, seconds));
  }

  /** The same for what is counted in bytes. */
  showBytes({ activity, bytes, total }: ByteProgress): void {
    const fraction = bytes / Math.max(total, 1);
    this.#print(fraction, (seconds) => {
      const parts = [`${byteCount(bytes)} of ${byteCount(total)}`, ...estimates(fraction, seconds)];
      return `${activity}: ${parts.join(', ')}`;
    });
  }

  #print(fraction: number | undefined, textAfter: (seconds: number) => string): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? BAR_INTERVAL : LINE_INTERVAL)) return;
    this.#shownAt = now;
    const text = textAfter((now - this.#started) / 1_000);
    if (!this.#isTerminal) {
      printNote(text);
      return;
    }
    const line = `${fraction === undefined ? '' : `${bar(fraction)} `}${text}`;
    process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns - 1)}`);
    this.#isShown = true;
  }

  /** Clears the bar to make room for what is printed next. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/**
 * `Reading: 430,000 rows, 43%, 120,000 rows/s, 0:05 left`, `Writing: 430,000 of 1,000,000 rows, 43%, …`, or, if there is nothing to count,
 * `Committing: 1,000,000 rows, for 0:05`
 */
export function progressText({ rows, total, fraction, activity }: Progress, seconds: number): string {
  if (total !== undefined && fraction === undefined)
    return `${activity}: ${count(total, 'row', 'rows')}, for ${clock(seconds)}`;
  const [percent, left] = fraction === undefined ? [] : estimates(fraction, seconds);
  const speed = seconds > 0 ? `${withSeparators(Math.round(rows / seconds))} rows/s` : undefined;
  const done =
    total === undefined ? count(rows, 'row', 'rows') : `${withSeparators(rows)} of ${count(total, 'row', 'rows')}`;
  const parts = [done, percent, speed, left].filter((part) => part !== undefined);
  return `${activity}: ${parts.join(', ')}`;
}

/** `43%` and `0:05 left` */
function estimates(fraction: number, seconds: number): readonly string[] {
  const percent = `${Math.floor(fraction * 100)}%`;
  return fraction > 0 ? [percent, `${clock((seconds * (1 - fraction)) / fraction)} left`] : [percent];
}

function bar(fraction: number): string {
  const full = Math.round(fraction * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`;
}

/** `1:05`, `1:00:00` */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const end = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}
