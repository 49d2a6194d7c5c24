/** The log: one JSON line an event, on stderr. */

import { type Level, type Logger, pino } from 'pino';
import type { Emit, LogLevel, ServiceEvent } from './events.ts';

const levels: Record<ServiceEvent['kind'], Exclude<Level, 'trace' | 'fatal'>> = {
  serving: 'info',
  'database upgraded': 'info',
  stopping: 'info',
  stopped: 'info',
  'worker ended': 'error',
  answered: 'debug',
  fault: 'error',
  'store unavailable': 'warn',
  'stream broken': 'error',
  'key use not noted': 'warn',
};

export function logTo(level: LogLevel): Emit {
  const logger: Logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
  const emit = ({ kind, ...facts }: ServiceEvent) => {
    logger[levels[kind]](
      'error' in facts ? { ...facts, error: pino.stdSerializers.err(asError(facts.error)) } : facts,
      kind,
    );
  };
  return Object.assign(emit, { ignores: (kind: ServiceEvent['kind']) => !logger.isLevelEnabled(levels[kind]) });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
