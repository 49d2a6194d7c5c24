/** What was sent and received for the list that is shown: the panel with the response reads it. */

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** From sending the request to having read the response. */
  readonly milliseconds: number;
}

type Listener = () => void;

/** The latest exchange by path. Others are sent with the same `fetch`, and are not of interest. */
export class Exchanges {
  readonly #latest = new Map<string, Exchange>();
  readonly #listeners = new Set<Listener>();

  /** A `fetch` that records pages of JSON. Streams pass through. */
  readonly fetch: typeof fetch = async (input, init) => {
    const started = performance.now();
    const response = await fetch(input, init);
    const request = new Request(input);
    if (isJson(response) && response.status !== 304) {
      const copy = response.clone();
      void copy.text().then((body) => {
        this.#latest.set(new URL(request.url).pathname, {
          method: init?.method ?? 'GET',
          url: request.url,
          status: copy.status,
          headers: [...copy.headers],
          body,
          milliseconds: performance.now() - started,
        });
        for (const listener of this.#listeners) listener();
      }, ignoreAbort);
    }
    return response;
  };

  latest(path: string): Exchange | undefined {
    return this.#latest.get(path);
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

function isJson(response: Response): boolean {
  return /[/+]json\b/.test(response.headers.get('content-type') ?? '');
}

/** Whoever sent the request hears of it. */
function ignoreAbort(): void {}
