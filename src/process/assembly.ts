/** The parts of the service that handle requests, on top of a store. */

import { CrossOrigin } from '../access/cross-origin.ts';
import { KeyUse } from '../access/key-use.ts';
import { Sessions } from '../access/sessions.ts';
import { App } from '../app.ts';
import type { ConnectionLimits } from '../http/connections.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { Admission } from '../limits/admission.ts';
import { FailedAttempts } from '../limits/failed-attempts.ts';
import { type LimitBuckets, ownBuckets } from '../limits/limit-buckets.ts';
import { RateLimiter } from '../limits/rate-limiter.ts';
import { UnsentBytes } from '../limits/unsent-bytes.ts';
import type { Events } from '../observe/events.ts';
import type { ProcessReporter } from '../observe/metrics/process-report.ts';
import { Outage } from '../observe/outage.ts';
import { responseCache } from '../reply/response-cache.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import type { SettingValues } from '../settings/settings.ts';
import { MEGABYTE } from '../settings/storage.ts';
import type { CacheBudget } from '../store/state/cache.ts';
import type { Store } from '../store/store.ts';

export interface AssemblyParts {
  readonly store: Store;
  readonly events: Events;
  readonly budget: CacheBudget;
  readonly reporter: ProcessReporter;
  readonly connections: ConnectionLimits;
  /** Those of this process alone by default. */
  readonly buckets?: LimitBuckets | undefined;
  /** How long requests have waited for the serving thread, in milliseconds. Measured by default. */
  readonly delay?: (() => number) | undefined;
  readonly clock?: Clock | undefined;
}

export interface Assembly {
  /** What the server calls. */
  readonly app: App;
  /** Its requests do not wait for changes any more once it stops. */
  readonly server: HttpServer;
  readonly unsent: UnsentBytes;
  /** Once the server has stopped. The store stays open. */
  close(): Promise<void>;
}

export function assemble(settings: SettingValues, parts: AssemblyParts): Assembly {
  const { store, events, budget, reporter, connections, clock = systemClock } = parts;
  const { buckets = ownBuckets(clock) } = parts;
  const { emit } = events;
  const { keys, accounts } = store;
  const domain = settings.get('domain');
  const keyUse = new KeyUse(keys, emit, clock);
  const outage = new Outage(() => store.checkReadiness(), emit, clock);
  const failedAttempts = new FailedAttempts(
    settings.get('failed-auth-limit'),
    buckets['failed attempts'],
    { keys, accounts, domain },
    emit,
    clock,
  );
  const unsent = new UnsentBytes();
  const app = new App({
    store,
    responses: responseCache(budget),
    sessions: new Sessions({ keys, domain, budget, failedAttempts, clock }),
    crossOrigin: new CrossOrigin(settings.get('cors-origins')),
    keyUse,
    limiter: new RateLimiter(settings.get('rate-limit'), buckets.requests),
    maxImportSize: settings.get('max-import-size') * MEGABYTE,
    admission: new Admission({ maxDelay: settings.get('max-delay'), delay: parts.delay, clock }),
    unsent,
    outage,
    emit,
    serverTiming: settings.get('server-timing'),
    clock,
  });
  const server = createHttpServer(app, events, {
    timeout: settings.get('request-timeout') * 1_000,
    streamTimeout: settings.get('stream-timeout') * 1_000,
    connections,
    unsent,
    proxies: settings.get('trusted-proxies'),
    clock,
  });
  return {
    app,
    server: {
      ...server,
      async listen(address) {
        const port = await server.listen(address);
        reporter.serve({ budget, service: app.service, server });
        return port;
      },
      async stop(gracePeriod) {
        app.service.stopWaiting();
        await server.stop(gracePeriod);
        // What was accepted is finished, unless it takes so long that the process is ended.
        await app.service.imports.idle();
      },
    },
    unsent,
    async close() {
      outage.close();
      await keyUse.close();
    },
  };
}
