/** The whole terminal, redrawn in place until the user quits. What was there before comes back at the end. */

import { visibleText } from '../problem/visible-text.ts';
import type { ScreenSize } from './top-lines.ts';

export interface ScreenEvents {
  onKey(key: string): void;
  onResize(): void;
}

/** A line that is too long, for example with wide characters, is cut off by the terminal. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const [HOME, TO_END_OF_LINE, TO_END_OF_SCREEN] = ['\x1b[H', '\x1b[K', '\x1b[J'];

const CTRL_C = '\x03';

export class LiveScreen {
  readonly #events: ScreenEvents;
  readonly #end = new AbortController();

  constructor(events: ScreenEvents) {
    this.#events = events;
    process.stdout.write(ENTER);
    process.stdout.on('resize', this.#resize);
    process.on('SIGINT', this.#quit).on('SIGTERM', this.#quit).on('SIGHUP', this.#quit);
    if (process.stdin.isTTY) process.stdin.setRawMode(true).setEncoding('utf8').on('data', this.#type).resume();
  }

  /** Aborts when the user quits. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  draw(linesFor: (size: ScreenSize) => readonly string[]): void {
    if (this.ended.aborted) return;
    // Some terminals do not say how large they are.
    const [columns, rows] = [process.stdout.columns || 80, process.stdout.rows || 24];
    const lines = linesFor({ columns, rows })
      .slice(0, rows - 1)
      .map((line) => `${visibleText(line)}${TO_END_OF_LINE}\r\n`);
    process.stdout.write(HOME + lines.join('') + TO_END_OF_SCREEN);
  }

  close(): void {
    process.stdout.off('resize', this.#resize);
    process.off('SIGINT', this.#quit).off('SIGTERM', this.#quit).off('SIGHUP', this.#quit);
    if (process.stdin.isTTY) process.stdin.off('data', this.#type).setRawMode(false).pause();
    process.stdout.write(LEAVE);
  }

  readonly #resize = () => this.#events.onResize();

  readonly #quit = () => this.#end.abort();

  /** Keys may arrive together. */
  readonly #type = (text: string | Buffer) => {
    for (const key of String(text)) {
      if (key === 'q' || key === CTRL_C) this.#quit();
      else this.#events.onKey(key);
    }
  };
}
