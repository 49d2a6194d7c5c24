/** The progress of a long command: a bar on a terminal, a line now and then otherwise. All of it goes to stderr. */

import { count, printNote, withSeparators } from './output.ts';

export interface Progress {
  /** What is being done. */
  readonly activity: string;
  readonly rows: number;
  /** From 0 to 1; undefined if it cannot be known. */
  readonly fraction: number | undefined;
}

/** How often a line is printed and the bar is redrawn, in milliseconds. */
const LINE_INTERVAL = 10_000;
const BAR_INTERVAL = 100;

const BAR_WIDTH = 24;

export class ProgressReport {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #started = performance.now();
  #shownAt = performance.now();
  #isShown = false;

  show(progress: Progress): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? BAR_INTERVAL : LINE_INTERVAL)) return;
    this.#shownAt = now;
    const text = progressText(progress, (now - this.#started) / 1_000);
    if (!this.#isTerminal) {
      printNote(text);
      return;
    }
    const line = `${progress.fraction === undefined ? '' : `${bar(progress.fraction)} `}${text}`;
    process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns - 1)}`);
    this.#isShown = true;
  }

  /** Clears the bar to make room for what is printed next. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/** `Reading: 430,000 rows, 43%, 120,000 rows/s, 0:05 left` */
export function progressText({ rows, fraction, activity }: Progress, seconds: number): string {
  const parts = [count(rows, 'row', 'rows')];
  if (fraction !== undefined) parts.push(`${Math.floor(fraction * 100)}%`);
  if (seconds > 0) parts.push(`${withSeparators(Math.round(rows / seconds))} rows/s`);
  if (fraction !== undefined && fraction > 0) parts.push(`${clock((seconds * (1 - fraction)) / fraction)} left`);
  return `${activity}: ${parts.join(', ')}`;
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
