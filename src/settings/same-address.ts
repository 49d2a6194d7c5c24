/** Whether clients and operators would get the same address. */

import { InvalidSetting } from './read.ts';
import type { SettingValues } from './settings.ts';

/** Undefined if the two addresses differ. */
export function sameAddress(settings: SettingValues): InvalidSetting | undefined {
  const [port, host, adminHost] = [settings.get('port'), settings.get('host'), settings.get('admin-host')];
  if (port === 0 || port !== settings.get('admin-port') || !overlap(host, adminHost)) return undefined;
  const other = port === 8081 ? 8082 : 8081;
  return new InvalidSetting(
    `--port and --admin-port are both ${port}. Metrics and health checks need a port of their own: choose another with --admin-port ${other}.`,
  );
}

/** All interfaces of one kind are 0.0.0.0, and those of both are :: */
function overlap(host: string, other: string): boolean {
  return host === other || includes(host, other) || includes(other, host);
}

function includes(host: string, other: string): boolean {
  return host === '::' || (host === '0.0.0.0' && !other.includes(':'));
}
