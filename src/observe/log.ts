/** The log: a line on stderr for every event, and for every request as the access log says. */

import { isatty } from 'node:tty';
import { StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import {
  type AccessLog,
  type Listener,
  LOG_LEVELS,
  type LogFormat,
  type LogLevel,
  type RequestCompleted,
  type ServiceEvent,
} from './events.ts';
import { type EventLevel, type Facts, jsonLines, type PrintedError, type PrintLine, textLines } from './log-line.ts';
import { LogWriter } from './log-writer.ts';

/** The lines there are. The last one is about the log itself. */
export const eventLevels: Record<ServiceEvent['kind'] | 'log lines dropped', EventLevel> = {
  listening: 'info',
  'connected to a worker node': 'info',
  'worker node not connected': 'warn',
  'database upgraded': 'info',
  'database file replaced': 'error',
  'database unavailable': 'error',
  'database available again': 'info',
  'not ready': 'error',
  'ready again': 'info',
  'ledger damaged': 'error',
  stopping: 'info',
  stopped: 'info',
  'worker exited': 'error',
  'worker replaced': 'info',
  'request completed': 'info',
  'authentication failed': 'warn',
  'request failed': 'error',
  'import failed': 'error',
  'stream aborted': 'error',
  'response aborted': 'warn',
  'connection refused': 'warn',
  'too few descriptors': 'warn',
  'descriptors exhausted': 'error',
  'write-ahead log too long': 'warn',
  'key use not stored': 'warn',
  'maintenance failed': 'warn',
  'index built': 'debug',
  'index dropped': 'debug',
  'index not built': 'warn',
  'log lines dropped': 'warn',
};

/** Of the line of a request with a status of 500 or more: the service is the reason, not the client. */
const FAILED_REQUEST_LEVEL: EventLevel = 'warn';

/** The names of all events. */
export const eventNames = Object.keys(eventLevels).filter(
  (name): name is ServiceEvent['kind'] => Object.hasOwn(eventLevels, name) && name !== 'log lines dropped',
);

export interface LogOptions {
  readonly level: LogLevel;
  /** Which requests have a line. */
  readonly access: AccessLog;
  /** Whether lines of requests have the values in filters. */
  readonly filterValues: boolean;
}

/** On stderr. */
export function logTo(options: LogOptions & { readonly format: LogFormat }): Listener {
  const { format } = options;
  const isText = format === 'text' || (format === 'auto' && isatty(2));
  const print = isText ? textLines(isatty(2) && process.stderr.hasColors()) : jsonLines();
  const writer = new LogWriter(2, (count) => print(eventLevels['log lines dropped'], 'log lines dropped', { count }));
  process.on('exit', () => {
    writer.writeRest();
    // Otherwise the process would wait for the thread that writes, which waits for a reader that may be stuck.
    if (writer.isStuck) process.kill(process.pid, 'SIGKILL');
  });
  return log(print, (line, isUrgent) => writer.write(line, isUrgent), options);
}

/** `write` gets complete lines. One that is not urgent may be written later, together with others. */
export function log(
  print: PrintLine,
  write: (line: string, isUrgent: boolean) => void,
  { level, access, filterValues }: LogOptions,
): Listener {
  const most = level === 'silent' ? -1 : LOG_LEVELS.indexOf(level);
  const isLogged = (lineLevel: EventLevel) => LOG_LEVELS.indexOf(lineLevel) <= most;
  const ignores = (kind: ServiceEvent['kind']) =>
    !isLogged(kind === 'request completed' ? FAILED_REQUEST_LEVEL : eventLevels[kind]);
  const share = shareOf(access);
  const listener = (event: ServiceEvent) => {
    if (ignores(event.kind)) return;
    if (event.kind === 'request completed') {
      const lineLevel = event.status >= 500 ? FAILED_REQUEST_LEVEL : eventLevels[event.kind];
      if (!isLogged(lineLevel)) return;
      const isProblem = event.status >= 400 || event.problem !== undefined;
      if (!isProblem && share < 1 && Math.random() >= share) return;
      const facts = requestFacts(event, filterValues, isProblem ? 1 : share);
      write(print(lineLevel, event.kind, facts), false);
      return;
    }
    const { kind, ...facts } = event;
    if ('error' in facts) {
      const { error, ...others } = facts;
      write(print(eventLevels[kind], kind, others, printError(error)), true);
    } else write(print(eventLevels[kind], kind, facts), true);
  };
  return Object.assign(listener, { ignores });
}

function shareOf(access: AccessLog): number {
  if (typeof access === 'number') return access;
  return access === 'all' ? 1 : 0;
}

/** In the order in which people read them. */
function requestFacts(event: RequestCompleted, filterValues: boolean, share: number): Facts {
  return {
    requestId: event.requestId,
    method: event.method,
    route: event.route,
    status: event.status,
    problem: event.problem,
    milliseconds: event.milliseconds,
    account: event.account,
    key: event.key,
    address: event.address,
    bytes: event.bytes,
    rows: event.rows,
    totalSource: event.totalSource,
    filter: filterValues ? event.fullFilter : event.filter,
    traceId: event.traceId,
    parentId: event.parentId,
    share: share < 1 ? share : undefined,
  };
}

/** How many causes of an error are shown. */
const MAX_CAUSES = 5;

/** Only what is known to be harmless: the properties of a driver's error may have values of records. */
function printError(thrown: unknown): PrintedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const isExpected = error instanceof StoreUnavailable || error instanceof UnusableDatabase;
  const causes: Error[] = [error];
  for (let { cause } = error; cause instanceof Error && causes.length < MAX_CAUSES; { cause } = cause)
    causes.push(cause);
  return {
    type: error.name,
    message: causes.map(({ message }) => message).join(': '),
    stack: isExpected ? undefined : causes.map(({ stack, message }) => stack ?? message).join('\ncaused by: '),
  };
}
