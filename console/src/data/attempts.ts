/** Attempts to write something. Those with the same content share an idempotency key, so that it is written once. */

/** How often the client retries with the same key before a failure is reported. */
export const RETRIES = 2;

export class Attempts {
  #content: string | undefined;
  #key = '';

  /** Whether or not the first attempt arrived. */
  keyFor(content: string): string {
    if (!this.isLatest(content)) {
      this.#content = content;
      this.#key = newKey();
    }
    return this.#key;
  }

  isLatest(content: string): boolean {
    return this.#content === content;
  }

  /** It was written. The same content again is something new. */
  end(): void {
    this.#content = undefined;
  }
}

/** Not `randomUUID`, which browsers have on secure pages only. */
export function newKey(): string {
  return `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
