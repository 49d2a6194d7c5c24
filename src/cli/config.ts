/** stockbook config */

import { Command } from 'commander';
import { showSetting } from '../settings/read.ts';
import { settingNames, variableOf } from '../settings/settings.ts';
import { printTable } from './output.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function configCommand(): Command {
  return addSettingFlags(new Command('config'), settingNames)
    .description('show every setting, its value and its source')
    .action((_options: unknown, command: Command) => {
      const settings = new CommandSettings(command);
      const rows = settingNames.map((name) => {
        const { text, source } = settings.raw(name);
        return [name, showSetting(name, text), source, variableOf(name)];
      });
      printTable(['SETTING', 'VALUE', 'SOURCE', 'VARIABLE'], rows);
    });
}
