/** The settings of a service in the audit trail: with which ones it was started, if they differ from the last time. */

import { hostname } from 'node:os';
import type { Emit } from '../observe/events.ts';
import { type RawSetting, showSetting } from '../settings/read.ts';
import { type SettingName, settingNames, settings } from '../settings/settings.ts';
import type { AuditTrail } from '../store/audit.ts';

/** By name, without secrets. */
type Changes = Readonly<Record<string, { readonly from: string; readonly to: string }>>;

interface RawSettings {
  raw(name: SettingName): RawSetting;
}

/** Every host has its own settings. Those that were never recorded had their defaults. */
export async function recordSettings(current: RawSettings, audit: AuditTrail, emit: Emit): Promise<void> {
  const host = hostname();
  try {
    const previous = await previousSettings(audit, host);
    const changes: Changes = Object.fromEntries(
      settingNames
        .map((name) => ({
          name,
          from: previous.get(name) ?? showSetting(name, settings[name].fallback),
          to: showSetting(name, current.raw(name).text),
        }))
        .filter(({ from, to }) => from !== to)
        .map(({ name, ...change }) => [name, change]),
    );
    if (Object.keys(changes).length === 0) return;
    await audit.append({ action: 'settings changed', account: null, details: { host, changes } });
  } catch (error) {
    // The service works without it, even if nothing can be written.
    emit({ kind: 'settings not recorded', error });
  }
}

async function previousSettings(audit: AuditTrail, host: string): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for await (const entries of audit.entries({ account: null, action: 'settings changed' })) {
    for (const { details } of entries) {
      const recorded: { readonly host: string; readonly changes: Changes } = JSON.parse(details);
      if (recorded.host !== host) continue;
      for (const [name, { to }] of Object.entries(recorded.changes)) values.set(name, to);
    }
  }
  return values;
}
