/** The settings with which a connection starts. */

import { type ClusterNode, clusterSettings } from './cluster/node.ts';
import { type ConnectionProfile, PROFILES } from './connection-profiles.ts';

export interface SessionOptions {
  /** How long a statement may run, in seconds; 0 means unlimited. */
  readonly statementTimeout: number;
  /** Undefined if the server is the whole database. */
  readonly node?: ClusterNode | undefined;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

export function settingsOf(
  profile: ConnectionProfile,
  { statementTimeout, node, settings: further }: SessionOptions,
): Readonly<Record<string, string>> {
  const settings = {
    TimeZone: 'UTC',
    // Compiling a statement would take longer than running it.
    jit: 'off',
    // As many digits as are needed to distinguish a double from every other.
    extra_float_digits: 1,
    statement_timeout: statementTimeout * 1_000,
    ...PROFILES[profile],
    ...(node !== undefined && clusterSettings(profile)),
    ...further,
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
