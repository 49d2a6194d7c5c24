/**
 * Reads the groups of fields. Each chart requests its own; requests of the same task for the same records are sent as one, so
 * that the service scans them once.
 */

import { type Connection, StockbookError } from '@stockbook/client';
import { recordsOf } from '../data/records.ts';
import { type Facet, type FacetRequest, inRequests, MAX_GROUPS, readFacet } from './facet.ts';

interface Waiting {
  readonly facet: string;
  readonly signal: AbortSignal;
  readonly resolve: (facet: Facet) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch extends Pick<FacetRequest, 'resource' | 'q' | 'filter'> {
  readonly waiting: Waiting[];
}

export class FacetLoader {
  readonly #connection: Connection;
  readonly #batches = new Map<string, Batch>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  load({ resource, q, filter, facet }: FacetRequest, signal: AbortSignal): Promise<Facet> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([resource.name, q, filter]);
      const batch = this.#batches.get(key) ?? { resource, q, filter, waiting: [] };
      batch.waiting.push({ facet, signal, resolve, reject });
      if (batch.waiting.length > 1) return;
      this.#batches.set(key, batch);
      // The charts of a page ask one after the other, in the same task.
      queueMicrotask(() => {
        this.#batches.delete(key);
        this.#send(batch);
      });
    });
  }

  #send(batch: Batch): void {
    const { waiting } = batch;
    for (const facets of inRequests([...new Set(waiting.map(({ facet }) => facet))])) {
      const asked = waiting.filter(({ facet }) => facets.includes(facet));
      void this.#request(batch, asked).catch((error: unknown) => {
        // Perhaps only one of them is rejected.
        const isRepeated = facets.length > 1 && isRefused(error);
        for (const one of asked)
          if (isRepeated) this.#request(batch, [one]).catch(one.reject);
          else one.reject(error);
      });
    }
  }

  async #request({ resource, q, filter }: Omit<Batch, 'waiting'>, waiting: readonly Waiting[]): Promise<void> {
    const received = await recordsOf(this.#connection, resource).aggregate({
      q: q === '' ? undefined : q,
      filter: filter === '' ? undefined : filter,
      facets: [...new Set(waiting.map(({ facet }) => facet))],
      limit: MAX_GROUPS,
      signal: allAborted(waiting.map(({ signal }) => signal)),
    });
    for (const { facet, resolve, reject } of waiting) {
      const found = received.facets[facet];
      if (found === undefined) reject(new Error(`the response has no facet ${facet}`));
      else resolve(readFacet(found));
    }
  }
}

/** Whether the service rejected the request itself, such as a facet with too many conditions. */
export function isRefused(error: unknown): error is StockbookError {
  return error instanceof StockbookError && error.status === 400;
}

/** Aborts when all callers have. */
function allAborted(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const check = () => {
    if (signals.every(({ aborted }) => aborted)) controller.abort(signals[0]?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', check);
  check();
  return controller.signal;
}
