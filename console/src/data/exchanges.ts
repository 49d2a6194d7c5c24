/** Records requests for lists and their responses, for the response panel. */

import { resources } from '../../../src/catalog/catalog.ts';
import { apiPath } from '../../../src/catalog/resource.ts';
import type { Exchange } from './exchange.ts';

type Listener = () => void;

/** What is read of a `PerformanceResourceTiming`. */
interface ResourceTiming {
  readonly name: string;
  readonly startTime: number;
  readonly transferSize: number;
}

/** How many are remembered. The largest have a thousand records. */
const MAX_EXCHANGES = 20;

/** The latest exchanges of lists. Other requests use the same `fetch`, and are ignored. */
export class Exchanges {
  /** By what was requested, the latest one last. */
  readonly #exchanges = new Map<string, Exchange>();
  readonly #listeners = new Set<Listener>();
  /** The latest timing of each URL. The browser may report it before or after the body has been read. */
  readonly #timings = new Map<string, ResourceTiming>();

  /** Learns the sizes of responses from the browser, until the function that it returns is called. */
  observe(): () => void {
    // The page's own buffer of entries fills up; an observer gets all of them.
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry instanceof PerformanceResourceTiming) this.#measure(entry);
    });
    observer.observe({ type: 'resource' });
    return () => observer.disconnect();
  }

  /** A `fetch` that records lists in JSON. Everything else passes through. */
  readonly fetch: typeof fetch = async (input, init) => {
    const startedAt = performance.now();
    const response = await fetch(input, init);
    const url = new URL(new Request(input).url);
    if (isList(url) && isJson(response)) {
      const query = new URLSearchParams(init?.body instanceof URLSearchParams ? init.body : url.search);
      const copy = response.clone();
      void copy.text().then((body) => {
        this.#record(nameOf(url.pathname, query), {
          method: init?.method ?? 'GET',
          url: url.href,
          query,
          status: copy.status,
          headers: [...copy.headers],
          body,
          startedAt,
          milliseconds: isLongPoll(init) ? undefined : performance.now() - startedAt,
          transferred: sizeSince(startedAt, this.#timings.get(url.href)),
        });
      }, ignoreAbort);
    }
    return response;
  };

  /** The latest exchange with these parameters. Undefined if there was none, or too many others since. */
  latest(path: string, query: URLSearchParams): Exchange | undefined {
    return this.#exchanges.get(nameOf(path, query));
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #record(name: string, exchange: Exchange): void {
    this.#exchanges.delete(name);
    this.#exchanges.set(name, exchange);
    const [oldest] = this.#exchanges.keys();
    if (this.#exchanges.size > MAX_EXCHANGES && oldest !== undefined) this.#exchanges.delete(oldest);
    for (const listener of this.#listeners) listener();
  }

  #measure(timing: ResourceTiming): void {
    if (!isList(new URL(timing.name))) return;
    if (this.#timings.size === MAX_EXCHANGES) this.#timings.clear();
    this.#timings.set(timing.name, timing);
    for (const [name, exchange] of this.#exchanges) {
      const transferred = exchange.url === timing.name ? sizeSince(exchange.startedAt, timing) : undefined;
      if (transferred !== undefined && exchange.transferred === undefined)
        this.#record(name, { ...exchange, transferred });
    }
  }
}

function sizeSince(startedAt: number, timing: ResourceTiming | undefined): number | undefined {
  return timing !== undefined && timing.startTime >= startedAt ? timing.transferSize : undefined;
}

function isList({ pathname }: URL): boolean {
  return resources.some((resource) => apiPath(resource) === pathname);
}

function isJson(response: Response): boolean {
  return response.status !== 304 && /[/+]json\b/.test(response.headers.get('content-type') ?? '');
}

/** A live view asks for the next change. How long nothing changed says nothing about the service. */
function isLongPoll(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).has('prefer');
}

function nameOf(path: string, query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return `${path}?${sorted}`;
}

/** The caller gets the error as well. */
function ignoreAbort(): void {}
