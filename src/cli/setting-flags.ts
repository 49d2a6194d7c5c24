/** Settings as flags of a command. */

import type { Command } from 'commander';
import {
  type Flags,
  type GivenSetting,
  givenSetting,
  InvalidSetting,
  readSetting,
  strayVariables,
} from '../settings/read.ts';
import { flagOf, type SettingName, type Settings, settingNames, settings, variableOf } from '../settings/settings.ts';
import { CommandFailure } from './failure.ts';
import { printNote } from './output.ts';

export function addSettingFlags(command: Command, names: readonly SettingName[]): Command {
  for (const name of names) {
    const { placeholder, help, fallback } = settings[name];
    const flag = placeholder === undefined ? flagOf(name) : `${flagOf(name)} <${placeholder}>`;
    command.option(flag, `${help} (default: ${fallback}; ${variableOf(name)})`);
  }
  return command;
}

/** The settings as a command was given them. One that cannot be used ends the command before it does anything. */
export class CommandSettings {
  readonly #flags: Flags;

  constructor(command: Command) {
    this.#flags = flagsOf(command);
    for (const stray of strayVariables(process.env)) printNote(`stockbook: ${stray}`);
    const taken = command.options.map((option) => option.name());
    for (const name of settingNames) if (taken.includes(name)) this.get(name);
  }

  given(name: SettingName): GivenSetting {
    return givenSetting(name, this.#flags, process.env);
  }

  get<Name extends SettingName>(name: Name): Settings[Name] {
    const value = readSetting(name, this.given(name));
    if (value instanceof InvalidSetting) throw new CommandFailure(value.message, 2);
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
