/** What is on the admin address: metrics, health checks, and who uses the service. */

import { EXPOSITION_TYPE, print } from '../metrics/exposition.ts';
import { serviceNumbers } from '../metrics/service-numbers.ts';
import type { Accounts } from '../store/store.ts';
import type { Processes, Readiness, Reports } from './processes.ts';
import { statusOf } from './status.ts';

export interface AdminReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface AdminParts {
  readonly processes: Processes;
  readonly accounts: Pick<Accounts, 'revisions'>;
  /** The kind of database. */
  readonly engine: string;
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
  readonly #reports: () => Promise<Reports>;
  readonly #readiness: () => Promise<Readiness>;

  constructor(parts: AdminParts) {
    const { processes } = parts;
    this.#parts = parts;
    this.#reports = shared(() => processes.reports());
    this.#readiness = shared(() => processes.readiness());
  }

  async respond(path: string): Promise<AdminReply> {
    const known = Object.hasOwn(adminPaths, path) ? adminPaths[path] : undefined;
    if (known !== undefined) return known.page(this);
    return problem(404, 'Not found', `The paths of the admin address are ${Object.keys(adminPaths).join(', ')}.`);
  }

  async metrics(): Promise<AdminReply> {
    const { report, unresponsive } = await this.#reports();
    const numbers = serviceNumbers(report, { engine: this.#parts.engine, unresponsive });
    return { status: 200, type: EXPOSITION_TYPE, body: print(numbers) };
  }

  async ready(): Promise<AdminReply> {
    const readiness = await this.#readiness();
    const isReady = readiness.ready > 0;
    return json(isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...readiness });
  }

  async status(): Promise<AdminReply> {
    return json(200, await statusOf(await this.#reports(), this.#parts.accounts));
  }
}

/** Concurrent callers share the result, so that many probes and scrapes are no more work than one. */
function shared<Result>(call: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined;
  return () => {
    current ??= call().finally(() => {
      current = undefined;
    });
    return current;
  };
}

function json(status: number, body: object): AdminReply {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

export function problem(status: number, title: string, detail: string): AdminReply {
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  return { status, type: 'application/problem+json', body };
}
