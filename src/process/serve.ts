/** Composes the parts of the service, and runs it in one process or several until it is told to stop. */

import cluster from 'node:cluster';
import { demoAccount } from '../demo/demo.ts';
import { AdminApp } from '../observe/admin/admin-app.ts';
import { type AdminServer, startAdminServer } from '../observe/admin/admin-server.ts';
import { ownProcess, processReadiness } from '../observe/admin/processes.ts';
import { type Emit, Events } from '../observe/events.ts';
import { eventNames, logTo } from '../observe/log.ts';
import { maxDescriptors } from '../observe/metrics/descriptors.ts';
import { ProcessReporter } from '../observe/metrics/process-report.ts';
import { systemClock, timestamp } from '../schedule/clock.ts';
import type { SettingValues } from '../settings/settings.ts';
import { MEGABYTE, storageOptions } from '../settings/storage.ts';
import type { BuiltIndex, IndexSize } from '../store/column-index/column-indexes.ts';
import { openStore, PATIENT_LOCK_TIMEOUT } from '../store/open.ts';
import { OwnAgreement } from '../store/server-agreement.ts';
import { CacheBudget } from '../store/state/cache.ts';
import type { Store } from '../store/store.ts';
import { removeLeftovers } from '../store/temporary-file.ts';
import { type AssemblyParts, assemble } from './assembly.ts';
import { channelToPrimary } from './channel.ts';
import { connectionBudget, neededDescriptors } from './connection-budget.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { ADMIN, PUBLIC, rethrowListenError } from './listen-error.ts';
import { startMaintenance } from './maintenance.ts';
import { checkAddress, listen } from './port.ts';
import { primaryAgreement, shareAgreement } from './shared-agreement.ts';
import { primaryBuckets, shareBuckets } from './shared-buckets.ts';
import { primaryIndexes, shareIndexes } from './shared-indexes.ts';
import { exitInTime, runUntilStopped, type Stop } from './shutdown.ts';
import { StartupError } from './startup-error.ts';
import { WorkerProcesses } from './worker-processes.ts';
import { Workers } from './workers.ts';

/** Called once, when the service accepts connections. */
export type OnListening = (addresses: Addresses, store: Store, emit: Emit) => Promise<void>;

export interface Addresses {
  readonly address: string;
  readonly adminAddress: string;
}

export async function serve(settings: SettingValues, stop: Stop, onListening: OnListening): Promise<void> {
  const descriptors = maxDescriptors();
  const wanted = { total: settings.get('max-connections'), perAddress: settings.get('max-connections-per-address') };
  const connections = connectionBudget(wanted, neededDescriptors(settings), descriptors);
  const log = logTo({
    level: settings.get('log-level'),
    format: settings.get('log-format'),
    access: settings.get('access-log'),
    filterValues: settings.get('log-filters'),
  });
  const reporter = new ProcessReporter({ events: eventNames, withValues: settings.get('log-filters') });
  const events = new Events(log, reporter.listener);
  exitInTime(stop, events.emit);
  const budget = new CacheBudget(settings.get('cache-size') * 1024 * 1024);
  const agreement = cluster.isWorker ? primaryAgreement(channelToPrimary()) : new OwnAgreement();
  if (cluster.isPrimary) shareAgreement(agreement);
  const options = {
    create: true,
    serves: true,
    agreement,
    poolSize: settings.get('pool-size'),
    statementTimeout: settings.get('statement-timeout'),
    ...storageOptions(settings),
    lockTimeout: PATIENT_LOCK_TIMEOUT,
    maxDelay: settings.get('max-delay'),
    columnIndexes: cluster.isWorker
      ? primaryIndexes(channelToPrimary())
      : {
          maxBytes: settings.get('index-size') * 1024 * 1024,
          onBuilt: ({ milliseconds, ...built }: BuiltIndex) =>
            events.emit({ kind: 'index built', ...sizeOf(built), milliseconds: Math.round(milliseconds) }),
          onDropped: (dropped: IndexSize) => events.emit({ kind: 'index dropped', ...sizeOf(dropped) }),
          onFailed: (error: unknown) => events.emit({ kind: 'index not built', error }),
        },
    onWorkerNode: () => events.emit({ kind: 'connected to a worker node' }),
    onIndirect: (address: string, reason: string) =>
      events.emit({ kind: 'worker node not connected', address, reason }),
    onUpgrade: (upgrade: { from: number; to: number }) => events.emit({ kind: 'database upgraded', ...upgrade }),
    onLongLog: ({ bytes, reads }: { bytes: number; reads: number }) =>
      events.emit({ kind: 'write-ahead log too long', megabytes: Math.round(bytes / MEGABYTE), reads }),
    onFileReplaced: (error: Error) => events.emit({ kind: 'database file replaced', error }),
  };
  // The same for all processes, so one of them says it.
  if (descriptors !== undefined && connections.total < wanted.total && cluster.isPrimary)
    events.emit({ kind: 'too few descriptors', descriptors, maxConnections: connections.total });
  if (cluster.isPrimary) removeLeftovers();
  const store = await openStore(settings.get('database'), options, budget);
  reporter.use(store);
  const workers = settings.get('workers') > 1 && cluster.isPrimary ? new Workers(events.emit, stop) : undefined;
  const endWatch = watchDescriptors(events.emit);
  const endMaintenance = cluster.isPrimary
    ? startMaintenance(store, settings.get('change-retention'), events.emit)
    : () => {};
  let admin: Admin | undefined;
  const announce = async (address: string) => {
    if (admin !== undefined) await onListening({ address, adminAddress: admin.address }, store, events.emit);
  };
  try {
    if (cluster.isPrimary) {
      const processes = workers === undefined ? ownProcess(reporter, store) : new WorkerProcesses(reporter, workers);
      const engine = settings.get('database').kind;
      admin = await startAdmin(
        settings,
        new AdminApp({
          processes,
          accounts: store.accounts,
          imports: store.imports,
          audit: engine === 'sqlite' ? store.audit : undefined,
          engine,
          emit: events.emit,
        }),
      );
    }
    if (settings.get('demo') && cluster.isPrimary && !stop.isRequested)
      await demoAccount(store, timestamp(systemClock));
    if (workers === undefined)
      await runServer(settings, stop, { store, events, budget, reporter, connections }, announce);
    else await runWorkers(settings, stop, workers, store, announce);
  } finally {
    endWatch();
    endMaintenance();
    await admin?.close();
    reporter.close();
    await store.close();
  }
  events.emit({ kind: 'stopped', forced: false });
}

function sizeOf({ account, resource, bytes }: IndexSize) {
  return { account, resource: resource.name, megabytes: Math.round(bytes / 1024 / 1024) };
}

type Announce = (address: string) => Promise<void>;

async function runWorkers(
  settings: SettingValues,
  stop: Stop,
  workers: Workers,
  { indexes }: Store,
  announce: Announce,
): Promise<void> {
  if (stop.isRequested) return;
  shareBuckets();
  shareIndexes(indexes);
  const [host, port] = [settings.get('host'), settings.get('port')];
  // The first worker does it as well, but here, a mistake is reported at once and in one line.
  await checkAddress({ host, port }).catch(rethrowListenError(settings, PUBLIC));
  try {
    // The worker that failed has said why.
    if (!(await workers.start(settings.get('workers')))) throw new StartupError('The service could not start.');
    if (workers.port !== undefined && !stop.isRequested) await announce(addressOf(host, workers.port));
    await workers.runUntilStopped();
  } finally {
    await workers.stop();
  }
}

type Parts = Omit<AssemblyParts, 'buckets'>;

async function runServer(settings: SettingValues, stop: Stop, parts: Parts, announce: Announce): Promise<void> {
  if (stop.isRequested) return;
  const [host, port] = [settings.get('host'), settings.get('port')];
  const primary = cluster.isWorker ? channelToPrimary() : undefined;
  const { server, close } = assemble(settings, { ...parts, buckets: primary && primaryBuckets(primary) });
  try {
    primary?.handle('report', () => parts.reporter.report());
    primary?.handle('readiness', () => processReadiness(parts.reporter, parts.store));
    const stopped = runUntilStopped(server, stop, parts.events.emit);
    // If the primary process is gone, this one is told to stop.
    const joined = primary === undefined ? null : await primary.request('join', null).catch(() => stopped);
    if (joined === undefined) return;
    const listening = listen(server, { host, port }, joined);
    // It may be stopped before it listens. Without sockets of its own, a worker listens through the primary process, which may be gone.
    const bound = await Promise.race([listening.catch(rethrowListenError(settings, PUBLIC)), stopped]);
    if (bound === undefined) return;
    await primary?.request('listening', bound).catch(() => undefined);
    await announce(addressOf(host, bound));
    await stopped;
  } finally {
    await close();
  }
}

interface Admin extends Pick<AdminServer, 'close'> {
  readonly address: string;
}

async function startAdmin(settings: SettingValues, app: AdminApp): Promise<Admin> {
  const [port, host] = [settings.get('admin-port'), settings.get('admin-host')];
  const server = await startAdminServer(app, { host, port }).catch(rethrowListenError(settings, ADMIN));
  return { address: addressOf(host, server.port), close: () => server.close() };
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
