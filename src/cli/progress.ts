/** How far a long command is: a bar on a terminal, a line now and then where there is none. All of it goes to stderr. */

import { grouped, printNote } from './output.ts';

export interface Step {
  readonly rows: number;
  /** How much is done, from 0 to 1; nothing where it cannot be known. */
  readonly share: number | undefined;
  /** What is being done. */
  readonly doing: string;
}

/** Between two lines, and between two pictures of the bar, in milliseconds. */
const LINE_INTERVAL = 10_000;
const BAR_INTERVAL = 100;

const BAR_WIDTH = 24;

export class ProgressReport {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #started = performance.now();
  #shownAt = performance.now();
  #isShown = false;

  show(step: Step): void {
    const now = performance.now();
    if (now - this.#shownAt < (this.#isTerminal ? BAR_INTERVAL : LINE_INTERVAL)) return;
    this.#shownAt = now;
    const words = progressWords(step, (now - this.#started) / 1_000);
    if (!this.#isTerminal) {
      printNote(words);
      return;
    }
    const line = `${step.share === undefined ? '' : `${bar(step.share)} `}${words}`;
    process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns - 1)}`);
    this.#isShown = true;
  }

  /** Takes the bar away, for what is printed next. */
  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K');
    this.#isShown = false;
  }
}

/** `Reading: 430,000 rows, 43 %, 120,000 rows/s, 0:05 left` */
export function progressWords({ rows, share, doing }: Step, seconds: number): string {
  const parts = [`${grouped(rows)} rows`];
  if (share !== undefined) parts.push(`${Math.floor(share * 100)} %`);
  if (seconds > 0) parts.push(`${grouped(Math.round(rows / seconds))} rows/s`);
  if (share !== undefined && share > 0) parts.push(`${clock((seconds * (1 - share)) / share)} left`);
  return `${doing}: ${parts.join(', ')}`;
}

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`;
}

/** `1:05`, `1:00:00` */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const end = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}
