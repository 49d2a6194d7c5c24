/** Settings from where they are given: a flag wins over an environment variable, and that over the default. */

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

/** Where a setting was given, and what was written there. */
export interface GivenSetting {
  readonly source: 'flag' | 'environment' | 'default';
  readonly text: string;
}

/** A setting that cannot be used: which one, where it was given, and what it takes. */
export class InvalidSetting {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An empty variable counts as none. */
export function givenSetting(name: SettingName, flags: Flags, environment: Environment): GivenSetting {
  const flag = flags[name];
  if (flag !== undefined) return { source: 'flag', text: flag };
  const variable = environment[variableOf(name)];
  return variable ? { source: 'environment', text: variable } : { source: 'default', text: settings[name].fallback };
}

export function readSetting<Name extends SettingName>(
  name: Name,
  { source, text }: GivenSetting,
): Settings[Name] | InvalidSetting {
  const setting: Setting<Settings[Name]> = settings[name];
  const place = source === 'flag' ? flagOf(name) : variableOf(name);
  return (
    setting.read(text) ??
    new InvalidSetting(`${place} is "${showSetting(name, text)}", which is not ${setting.expected}.`)
  );
}

/** What was written, without what nobody should see. */
export function showSetting(name: SettingName, text: string): string {
  return settings[name].show?.(text) ?? text;
}

const PREFIX = 'STOCKBOOK_';

/** Variables that look like settings and are none, each told with the one that was probably meant. */
export function strayVariables(environment: Environment): readonly string[] {
  const known = settingNames.map((name) => variableOf(name).slice(PREFIX.length));
  return Object.keys(environment)
    .filter((variable) => variable.startsWith(PREFIX) && !variable.startsWith(`${PREFIX}TEST_`))
    .map((variable) => variable.slice(PREFIX.length))
    .filter((word) => !known.includes(word))
    .map((word) => {
      const meant = nearest(word, known);
      return `${PREFIX}${word} is no setting${meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`}`;
    });
}
