/**
 * How many connections a process may have open, so that it never runs out of file descriptors: then it could not accept those of the admin address either,
 * and connections would be lost without an error anywhere.
 */

import { type ConnectionLimits, MAX_REFUSALS } from '../http/connections.ts';
import { MAX_CONNECTIONS as MAX_ADMIN_CONNECTIONS } from '../observe/admin/admin-server.ts';
import type { SettingValues } from '../settings/settings.ts';
import { LISTENERS } from './port.ts';
import { StartupError } from './startup-error.ts';

/** What a process has open before it serves anything, and files that are read for a moment. 37 were measured. */
const OWN = 64;

/** 32 slow reads and 16 exports have a connection each, and some are kept for later ones: two descriptors each, for the file and its write-ahead log. */
const SQLITE = 128;

/** Connections beside those for slow reads: shared ones, writes, 16 exports, and some that are being replaced. */
const POSTGRES = 32;

/** The share of the connections that may be in the course of being refused, if there are few. */
const REFUSED_SHARE = 0.1;

/** A service with fewer connections is useless. */
const MIN_CONNECTIONS = 16;

/** How many descriptors a process needs besides those of its connections. */
export function neededDescriptors(settings: SettingValues): number {
  const database = settings.get('database').kind === 'sqlite' ? SQLITE : POSTGRES + settings.get('pool-size');
  return OWN + LISTENERS + MAX_ADMIN_CONNECTIONS + database;
}

/** `max` is how many descriptors the process may have; undefined if that is unlimited, or unknown. */
export function connectionBudget(
  wanted: Pick<ConnectionLimits, 'total' | 'perAddress'>,
  needed: number,
  max: number = Number.POSITIVE_INFINITY,
): ConnectionLimits {
  const available = max - needed;
  const refusals = Math.max(0, Math.min(MAX_REFUSALS, Math.ceil(available * REFUSED_SHARE)));
  const total = Math.min(wanted.total, available - refusals);
  if (total >= Math.min(MIN_CONNECTIONS, wanted.total)) return { ...wanted, total, refusals };
  throw new StartupError(
    `A process may open only ${max} files, and needs ${needed} besides those for its connections. Raise the limit: ulimit -n in a shell, LimitNOFILE in a systemd unit, --ulimit nofile for a container.`,
  );
}
