/** Whether a connection on which answers come in order still brings any. */

/** From when on nothing moves, in milliseconds. */
const HELD_UP = 25;

export class Headway {
  #waiting = 0;
  /** When an answer last came, or was first waited for. */
  #since = 0;

  get isHeldUp(): boolean {
    return this.#waiting > 0 && performance.now() - this.#since > HELD_UP;
  }

  async of<Result>(answer: Promise<Result>): Promise<Result> {
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
      this.#since = performance.now();
    }
  }
}
