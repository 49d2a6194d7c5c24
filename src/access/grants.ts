/**
 * Grants that were given before, so that a key need not be looked up and hashed for every request. Each is held against the
 * account's stamp first, or recalled for a statement that does so itself: a key that was revoked, here or on another node,
 * is refused with the next request.
 */

import { LRUCache } from 'lru-cache';
import { Problem } from '../problem/problem.ts';
import type { Stamp, Store } from '../store/store.ts';
import { type Credentials, type Grant, grantAccess, keyNotAccepted } from './grant.ts';

/** What all of it may take, in bytes, about. */
const MAX_BYTES = 8 * 1024 * 1024;
const BYTES_OF_GRANT = 1_000;

/** A grant, and the account as it stands at this request. */
export interface Admission extends Grant {
  readonly stamp: Stamp;
}

/** A grant that was given before, and may have been taken back since. */
export interface Recalled extends Grant {
  readonly epoch: number;
}

export class Grants {
  readonly #store: Pick<Store, 'keys' | 'stamp'>;
  readonly #domain: string;
  readonly #known = new LRUCache<string, Admission>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, name) => BYTES_OF_GRANT + name.length * 2,
  });

  constructor(store: Pick<Store, 'keys' | 'stamp'>, domain: string) {
    this.#store = store;
    this.#domain = domain;
  }

  recall(credentials: Credentials, now: number): Recalled | undefined {
    const known = this.#known.get(nameOf(credentials));
    return known !== undefined && now < known.until ? { ...known, epoch: known.stamp.epoch } : undefined;
  }

  async admit(credentials: Credentials, now: number): Promise<Admission | Problem> {
    const name = nameOf(credentials);
    const known = this.#known.get(name);
    if (known !== undefined && now < known.until) {
      const stamp = await this.#store.stamp(known.account.id);
      if (stamp?.access === known.access && stamp.epoch === known.stamp.epoch) return { ...known, stamp };
    }
    const grant = await grantAccess(credentials, this.#store.keys, this.#domain, new Date(now).toISOString());
    if (grant instanceof Problem) {
      this.#known.delete(name);
      return grant;
    }
    const stamp = await this.#store.stamp(grant.account.id);
    // The account was removed in between.
    if (stamp === undefined) return keyNotAccepted();
    const admission = { ...grant, stamp };
    this.#known.set(name, admission);
    return admission;
  }
}

function nameOf({ host, authorization }: Credentials): string {
  return `${host}\n${authorization}`;
}
