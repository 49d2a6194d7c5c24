/**
 * How long the stages of a request took, as `Server-Timing` tells it:
 *
 *     access;dur=0.020, plan;dur=0.081, store;dur=0.512, total;desc="counted"
 */

type Stage = 'access' | 'plan' | 'store';

export class Stopwatch {
  #last = performance.now();
  /** In milliseconds; a request may come to a stage twice. */
  readonly #spent: Partial<Record<Stage, number>> = {};
  #source = '';

  /** The time since the stage before ended was spent on this one. */
  lap(stage: Stage): void {
    const now = performance.now();
    this.#spent[stage] = (this.#spent[stage] ?? 0) + now - this.#last;
    this.#last = now;
  }

  /** Where a total came from. */
  note(source: string): void {
    this.#source = source;
  }

  print(): string {
    let text = '';
    for (const [stage, time] of Object.entries(this.#spent))
      text += `${text === '' ? '' : ', '}${stage};dur=${time.toFixed(3)}`;
    return this.#source === '' ? text : `${text}, total;desc="${this.#source}"`;
  }
}
