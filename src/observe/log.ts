/** The log: one JSON line per event, on stderr. */

import { type Level, type Logger, pino } from 'pino';
import type { Listener, LogLevel, ServiceEvent } from './events.ts';

export const eventLevels: Record<ServiceEvent['kind'], Exclude<Level, 'trace' | 'fatal'>> = {
  listening: 'info',
  'database upgraded': 'info',
  'database file replaced': 'error',
  stopping: 'info',
  stopped: 'info',
  'worker exited': 'error',
  'request completed': 'debug',
  'authentication failed': 'warn',
  'request failed': 'error',
  'store unavailable': 'warn',
  'stream aborted': 'error',
  'response aborted': 'warn',
  'connection refused': 'warn',
  'key use not stored': 'warn',
  'changes not pruned': 'warn',
  'settings not recorded': 'warn',
  'index built': 'debug',
  'index dropped': 'debug',
  'index not built': 'warn',
};

export function logTo(level: LogLevel): Listener {
  const logger: Logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  const listener = ({ kind, ...facts }: ServiceEvent) => {
    logger[eventLevels[kind]](
      'error' in facts ? { ...facts, error: pino.stdSerializers.err(asError(facts.error)) } : facts,
      kind,
    );
  };
  return Object.assign(listener, {
    ignores: (kind: ServiceEvent['kind']) => !logger.isLevelEnabled(eventLevels[kind]),
  });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
