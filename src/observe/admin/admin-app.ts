/** What is on the admin address: metrics, health checks, and who uses the service. */

import type { Accounts, SourceOfAccount, Store, StoredTotal } from '../../store/store.ts';
import type { Emit } from '../events.ts';
import { EXPOSITION_TYPE, print } from '../metrics/exposition.ts';
import { serviceSamples } from '../metrics/service-samples.ts';
import { LastKnown } from './last-known.ts';
import type { Processes, Readiness, Reports } from './processes.ts';
import { ReadinessEvents } from './readiness-events.ts';
import { statusOf } from './status.ts';

/** The maximum number of sources whose times are among the metrics. */
const MAX_SOURCES = { total: 1_000, perAccount: 20 };

export interface AdminReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface AdminParts {
  readonly processes: Processes;
  readonly accounts: Pick<Accounts, 'overview' | 'storedTotal'>;
  readonly imports: Pick<Store['imports'], 'latestSources'>;
  /** The kind of database. */
  readonly engine: string;
  readonly emit: Emit;
  /** Undefined if other tools make the backups. */
  readonly audit: Pick<Store['audit'], 'entries'> | undefined;
}

type Page = (app: AdminApp) => Promise<AdminReply>;

/** The paths, and what each is for. */
export const adminPaths: Readonly<Record<string, { readonly page: Page; readonly meaning: string }>> = {
  '/metrics': { page: (app) => app.metrics(), meaning: 'metrics in the text format of Prometheus' },
  '/health/live': { page: async () => json(200, { status: 'ok' }), meaning: 'a 200 while the service is running' },
  '/health/ready': {
    page: (app) => app.ready(),
    meaning:
      'a 200 if requests can be served, otherwise a 503: reads a few records, and responds within 4 seconds. With several workers, one that is ready is enough; `ready` says how many are',
  },
  '/status': { page: (app) => app.status(), meaning: 'who uses the service, as JSON for `stockbook top`' },
};

export class AdminApp {
  readonly #parts: AdminParts;
  readonly #reports: LastKnown<Reports>;
  readonly #readiness: LastKnown<Readiness>;
  readonly #lastBackup: LastKnown<number> | undefined;
  readonly #stored: LastKnown<StoredTotal>;
  readonly #sources: LastKnown<readonly SourceOfAccount[]>;

  constructor(parts: AdminParts) {
    const { processes, emit, audit } = parts;
    const readinessEvents = new ReadinessEvents(emit);
    this.#parts = parts;
    this.#reports = new LastKnown(() => processes.reports());
    this.#readiness = new LastKnown(
      () => processes.readiness(),
      (readiness) => readinessEvents.add(readiness),
    );
    this.#stored = new LastKnown(() => parts.accounts.storedTotal());
    this.#sources = new LastKnown(() => parts.imports.latestSources(MAX_SOURCES));
    this.#lastBackup = audit && new LastKnown(() => lastBackup(audit));
  }

  async respond(path: string): Promise<AdminReply> {
    const known = Object.hasOwn(adminPaths, path) ? adminPaths[path] : undefined;
    if (known !== undefined) return known.page(this);
    return problem(404, 'Not found', `The paths of the admin address are ${Object.keys(adminPaths).join(', ')}.`);
  }

  async metrics(): Promise<AdminReply> {
    const { engine } = this.#parts;
    const { report, unresponsive } = await this.#reports.get();
    // A check may take seconds, and a scrape must not.
    const readiness = this.#readiness.value;
    const isReady = readiness && readiness.ready > 0;
    const unreachable = readiness?.unreachable?.length ?? 0;
    const lastBackup = this.#lastBackup?.value;
    const stored = this.#stored.value;
    const sources = this.#sources.value;
    const facts = { engine, unresponsive, isReady, unreachable, lastBackup, stored, sources };
    const samples = serviceSamples(report, facts);
    return { status: 200, type: EXPOSITION_TYPE, body: print(samples) };
  }

  async ready(): Promise<AdminReply> {
    const readiness = await this.#readiness.get();
    const isReady = readiness.ready > 0;
    return json(isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...readiness });
  }

  async status(): Promise<AdminReply> {
    return json(200, await statusOf(await this.#reports.get(), this.#parts.accounts));
  }
}

/** In seconds since the epoch; 0 if there was none. Entries that are about no account are few, and have an index. */
async function lastBackup(audit: Pick<Store['audit'], 'entries'>): Promise<number> {
  for await (const [entry] of audit.entries({ account: null, action: 'backup written', limit: 1 }))
    if (entry !== undefined) return Date.parse(entry.at) / 1_000;
  return 0;
}

function json(status: number, body: object): AdminReply {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

export function problem(status: number, title: string, detail: string): AdminReply {
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  return { status, type: 'application/problem+json', body };
}
