/** What commands that run until they are stopped print: one line per event, with the time. */

import { type Clock, systemClock, timestamp } from '../schedule/clock.ts';
import { printNote, printResult } from './output.ts';

/** How often what lasts is repeated, in milliseconds. */
const REPETITION = 60_000;

interface Reported {
  readonly text: string;
  readonly at: number;
}

export class EventLog {
  readonly #makeRoom: () => void;
  readonly #clock: Clock;
  /** What the command waits for to pass, by what it is about. */
  readonly #obstacles = new Map<string, Reported>();

  /** `makeRoom` is called before every line, and clears what is in its place. */
  constructor(makeRoom: () => void = () => {}, clock: Clock = systemClock) {
    this.#makeRoom = makeRoom;
    this.#clock = clock;
  }

  event(text: string): void {
    this.#makeRoom();
    printResult(this.#line(text));
  }

  warning(text: string): void {
    this.#makeRoom();
    printNote(this.#line(text));
  }

  /** Once a minute while it lasts. */
  obstacle(about: string, text: string): void {
    const now = this.#clock.monotonic();
    const last = this.#obstacles.get(about);
    if (last !== undefined && last.text === text && now - last.at < REPETITION) return;
    this.#obstacles.set(about, { text, at: now });
    this.warning(text);
  }

  /** Whether there was one. */
  clear(about: string): boolean {
    return this.#obstacles.delete(about);
  }

  #line(text: string): string {
    return `${timestamp(this.#clock)} ${text}`;
  }
}
