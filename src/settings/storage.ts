/** The settings about what may be stored, as a store takes them. Every program that writes records has them. */

import type { SettingName, SettingValues } from './settings.ts';

export const storageSettings = [
  'max-records',
  'max-storage',
  'min-free-disk',
] as const satisfies readonly SettingName[];

export const MEGABYTE = 1024 * 1024;

export function storageOptions(settings: SettingValues) {
  return {
    storageLimits: { records: settings.get('max-records'), bytes: settings.get('max-storage') * MEGABYTE },
    minFreeDisk: settings.get('min-free-disk') * MEGABYTE,
  };
}
