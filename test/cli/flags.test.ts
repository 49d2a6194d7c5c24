/** Every flag of every command is passed by a test. Those that are settings are in `test/program/settings.test.ts`. */

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { program } from '../../src/cli/main.ts';
import { flagOf, settingNames } from '../../src/settings/settings.ts';

function flagsOf({ options, commands }: Command): readonly string[] {
  return [...options.flatMap(({ long }) => (long ? [long] : [])), ...commands.flatMap(flagsOf)];
}

test('every flag is passed by a test', async () => {
  const files = globSync('**/*.ts', { cwd: fileURLToPath(new URL('../', import.meta.url)) });
  const passed = new Set(
    files.flatMap((file) =>
      Array.from(
        readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').matchAll(/['" `](--[a-z-]+)/g),
        ([, flag]) => flag,
      ),
    ),
  );
  for (const setting of settingNames) passed.add(flagOf(setting));
  expect(flagsOf(await program()).filter((flag) => !passed.has(flag))).toEqual([]);
});
