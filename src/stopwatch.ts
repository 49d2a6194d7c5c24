/**
 * How long the stages of a request took, as `Server-Timing` tells it:
 *
 *     access;dur=0.020, plan;dur=0.081, store;dur=0.512, total;desc="counted"
 */

export class Stopwatch {
  #last = performance.now();
  #text = '';

  /** The time since the stage before ended was spent on this one. */
  lap(stage: 'access' | 'plan' | 'store'): void {
    const now = performance.now();
    this.#add(`${stage};dur=${(now - this.#last).toFixed(3)}`);
    this.#last = now;
  }

  /** Where a total came from. */
  note(source: string): void {
    this.#add(`total;desc="${source}"`);
  }

  print(): string {
    return this.#text;
  }

  #add(part: string): void {
    this.#text += this.#text === '' ? part : `, ${part}`;
  }
}
