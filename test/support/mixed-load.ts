/** Clients that create, list and read changes at the same time until they are told to stop, and remember what was acknowledged. */

import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { createPartner, PARTNERS } from './rows.ts';
import { bearer, send, type TestReply, type TestRequest } from './service.ts';

/** Of each kind. */
const CLIENTS = 3;

/** How long a client waits after an error, in milliseconds. */
const RETRY_DELAY = 20;

/** Statuses after which it is worthwhile to try again. */
const TEMPORARY = new Set([409, 503]);

interface LoadOptions {
  /** Where the service listens now. */
  readonly port: () => number;
  readonly key: string;
}

export class MixedLoad {
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[] = [];
  #isStopping = false;
  #created = 0;
  /** By name, the ids that clients were told. */
  readonly acknowledged = new Map<string, number>();
  /** The names of creates without an idempotency key whose response was lost. */
  readonly uncertain = new Set<string>();
  /** How often there was which status, or error of a connection. */
  readonly outcomes = new Map<string, number>();

  constructor(options: LoadOptions) {
    this.#options = options;
    const repeat = (work: (client: Agent) => Promise<void>) => {
      for (let n = 0; n < CLIENTS; n += 1) this.#clients.push(this.#repeat(work));
    };
    repeat(() => this.#create());
    repeat((client) => this.#createWithKey(client));
    repeat(async (client) => void (await this.#send({ path: `${PARTNERS}?filter=name!*zzz&sort=-id` }, client)));
    repeat(async (client) => void (await this.#send({ path: `${PARTNERS}/changes?limit=1000` }, client)));
  }

  /** Resolves once this many more creates have been acknowledged. */
  async progress(count: number): Promise<void> {
    const target = this.acknowledged.size + count;
    await expect.poll(() => this.acknowledged.size).toBeGreaterThanOrEqual(target);
  }

  /** Resolves once another request was a 503. */
  async unavailable(): Promise<void> {
    const before = this.outcomes.get('503') ?? 0;
    await expect.poll(() => this.outcomes.get('503') ?? 0).toBeGreaterThan(before);
  }

  /** Resolves once the clients have ended. Creates with an idempotency key are retried until they are certain. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#clients);
  }

  /**
   * Every create that was acknowledged exists once, under its id. Those whose response was lost exist at most once, or, if
   * no request may be lost, not at all.
   */
  async check({ mayLose }: { readonly mayLose: boolean }): Promise<void> {
    const stored = await this.#stored();
    const ids = new Map<string, number[]>();
    for (const { id, name } of stored) ids.set(name, [...(ids.get(name) ?? []), id]);
    const expected = new Map([...this.acknowledged].map(([name, id]) => [name, [id]]));
    for (const name of mayLose ? this.uncertain : []) {
      const found = ids.get(name);
      if (found?.length === 1) expected.set(name, found);
    }
    expect(ids).toEqual(expected);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  }

  async #stored(): Promise<readonly { readonly id: number; readonly name: string }[]> {
    const records: { readonly id: number; readonly name: string }[] = [];
    for (let page = 1; ; page += 1) {
      const path = `${PARTNERS}?fields=id,name&limit=1000&page=${page}`;
      const { json } = await send(this.#options.port(), { path, headers: bearer(this.#options.key) });
      const { data, meta, pagination } = Object(json);
      records.push(...data);
      if (pagination.nextPage !== null) continue;
      expect(records).toHaveLength(meta.total);
      return records;
    }
  }

  async #repeat(work: (client: Agent) => Promise<void>): Promise<void> {
    const client = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isStopping) await work(client);
    client.destroy();
  }

  /** On a connection of its own: one that is reset after it was used before would be retried. */
  async #create(): Promise<void> {
    this.#created += 1;
    const name = `plain-${this.#created}`;
    const reply = await this.#send(createPartner(name), false);
    if (reply?.status === 201) this.acknowledged.set(name, Object(reply.json).data.id);
    else this.uncertain.add(name);
  }

  async #createWithKey(client: Agent): Promise<void> {
    this.#created += 1;
    const name = `keyed-${this.#created}`;
    for (;;) {
      const reply = await this.#send(createPartner(name, { 'idempotency-key': name }), client);
      if (reply?.status !== 201) continue;
      this.acknowledged.set(name, Object(reply.json).data.id);
      return;
    }
  }

  /** Undefined if the connection failed. */
  async #send({ headers, ...request }: TestRequest, client: Agent | false): Promise<TestReply | undefined> {
    const { port, key } = this.#options;
    const outcome = await send(port(), { ...request, headers: { ...bearer(key), ...headers } }, client).catch(
      connectionError,
    );
    const name = outcome instanceof Error ? outcome.message : String(outcome.status);
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
    if (!(outcome instanceof Error) && outcome.status < 400) return outcome;
    await setTimeout(RETRY_DELAY);
    if (outcome instanceof Error) return undefined;
    if (!TEMPORARY.has(outcome.status)) throw new Error(`unexpected response: ${outcome.status} ${outcome.text}`);
    return outcome;
  }
}

/** The error, if it is one of the connection. */
function connectionError(error: unknown): Error {
  if (error instanceof Error && /ECONNREFUSED|ECONNRESET|EPIPE|socket hang up/.test(error.message)) return error;
  throw error;
}
