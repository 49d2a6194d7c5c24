/** Settings as flags of a command. */

import type { Command } from 'commander';
import {
  type Flags,
  InvalidSetting,
  type RawSetting,
  rawSetting,
  readSetting,
  unknownVariables,
} from '../settings/read.ts';
import {
  flagOf,
  type SettingName,
  type Settings,
  type SettingValues,
  settingNames,
  settings,
  variableOf,
} from '../settings/settings.ts';
import { CommandError } from './command-error.ts';
import { printNote } from './output.ts';

export function addSettingFlags(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { placeholder, help, fallback } = settings[name];
    const flag = placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
    command.option(flag, `${help} (default: ${fallback}; ${variableOf(name)})`);
  }
  return command;
}

/** The settings of a command. An invalid one ends the command before it does anything. */
export class CommandSettings implements SettingValues {
  readonly #flags: Flags;

  constructor(command: Command) {
    this.#flags = flagsOf(command);
    for (const unknown of unknownVariables(process.env)) printNote(`stockbook: ${unknown}`);
    const flags = command.options.map((option) => option.name());
    for (const name of settingNames) if (flags.includes(name)) this.get(name);
  }

  raw(name: SettingName): RawSetting {
    return rawSetting(name, this.#flags, process.env);
  }

  get<Name extends SettingName>(name: Name): Settings[Name] {
    const value = readSetting(name, this.raw(name));
    if (value instanceof InvalidSetting) throw new CommandError(value.message, 2);
    return value;
  }
}

function flagsOf(command: Command): Flags {
  const values = command.opts<Record<string, unknown>>();
  return Object.fromEntries(
    command.options
      .filter((option) => values[option.attributeName()] !== undefined)
      .map((option) => [option.name(), String(values[option.attributeName()])]),
  );
}
