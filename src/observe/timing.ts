/**
 * How long the stages of a request took, in the form of the `Server-Timing` header:
 *
 *     access;dur=0.020, plan;dur=0.081, store;dur=0.512, total;desc="counted"
 */

type Stage = 'access' | 'plan' | 'store';

export class Timing {
  #last = performance.now();
  /** In milliseconds. A request may enter a stage twice. */
  readonly #spent: Partial<Record<Stage, number>> = {};

  /** Attributes the time since the previous stage ended to this one. */
  end(stage: Stage): void {
    const now = performance.now();
    this.#spent[stage] = (this.#spent[stage] ?? 0) + now - this.#last;
    this.#last = now;
  }

  /** `totalSource` is where the total came from, if there is one. */
  print(totalSource: string | undefined): string {
    let text = '';
    for (const [stage, time] of Object.entries(this.#spent))
      text += `${text === '' ? '' : ', '}${stage};dur=${time.toFixed(3)}`;
    return totalSource === undefined ? text : `${text}, total;desc="${totalSource}"`;
  }
}
