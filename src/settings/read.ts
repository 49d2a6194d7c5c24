/** Where settings come from: a flag overrides an environment variable, which overrides the default. */

import { nearest } from '../problem/nearest.ts';
import {
  flagOf,
  type Setting,
  type SettingName,
  type Settings,
  settingNames,
  settings,
  variableOf,
} from './settings.ts';

export type Flags = Readonly<Partial<Record<SettingName, string>>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The source of a setting, and its text there. */
export interface RawSetting {
  readonly source: 'flag' | 'environment' | 'default';
  readonly text: string;
}

/** The message names the setting, its source, and what it must be. */
export class InvalidSetting {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An empty variable counts as unset. */
export function rawSetting(name: SettingName, flags: Flags, environment: Environment): RawSetting {
  const flag = flags[name];
  if (flag !== undefined) return { source: 'flag', text: flag };
  const variable = environment[variableOf(name)];
  return variable ? { source: 'environment', text: variable } : { source: 'default', text: settings[name].fallback };
}

export function readSetting<Name extends SettingName>(
  name: Name,
  { source, text }: RawSetting,
): Settings[Name] | InvalidSetting {
  const setting: Setting<Settings[Name]> = settings[name];
  const value = setting.read(text);
  if (value !== undefined) return value;
  const origin = source === 'flag' ? flagOf(name) : variableOf(name);
  const flaw = setting.flaw?.(text);
  return new InvalidSetting(
    flaw === undefined
      ? `${origin} must be ${setting.expected}, not "${text}".`
      : `${origin} ${flaw}. It must be ${setting.expected}.`,
  );
}

/** The text of a setting without secrets. */
export function showSetting(name: SettingName, text: string): string {
  return settings[name].show?.(text) ?? text;
}

const PREFIX = 'STOCKBOOK_';

/** A message for each variable that looks like a setting but isn't one. */
export function unknownVariables(environment: Environment): readonly string[] {
  const known = settingNames.map((name) => variableOf(name).slice(PREFIX.length));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !variable.startsWith(`${PREFIX}TEST_`))
    .map((variable) => variable.slice(PREFIX.length))
    .filter((word) => !known.includes(word))
    .map((word) => {
      const meant = nearest(word, known);
      return `${PREFIX}${word} is not a setting${meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`}`;
    });
}
