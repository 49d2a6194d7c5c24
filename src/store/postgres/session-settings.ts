/** The settings with which a connection starts. */

import { type ConnectionProfile, PROFILES } from './connection-profiles.ts';

/** What sessions have to know of a topology. */
export interface SessionTopology {
  /** Settings besides those that all connections have. */
  sessionSettings(profile: ConnectionProfile): Readonly<Record<string, string | number>>;
  /** How long a response may take before the connection counts as lost, in milliseconds. Undefined if that follows from the timeouts. */
  maxSilence(profile: ConnectionProfile): number | undefined;
}

export interface SessionOptions {
  /** How long a statement may run, in seconds; 0 means unlimited. */
  readonly statementTimeout: number;
  readonly topology: SessionTopology;
}

export function settingsOf(
  profile: ConnectionProfile,
  { statementTimeout, topology }: SessionOptions,
): Readonly<Record<string, string>> {
  const settings = {
    TimeZone: 'UTC',
    // Compiling a statement would take longer than running it.
    jit: 'off',
    // As many digits as are needed to distinguish a double from every other.
    extra_float_digits: 1,
    statement_timeout: statementTimeout * 1_000,
    ...PROFILES[profile],
    ...topology.sessionSettings(profile),
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
