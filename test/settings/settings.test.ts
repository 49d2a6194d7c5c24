/** Every setting: which texts it accepts, what they mean, what is said about the others, and where it comes from. */

import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { InvalidSetting, readSetting } from '../../src/settings/read.ts';
import { flagOf, type SettingName, settingNames, settings, variableOf } from '../../src/settings/settings.ts';
import { commands } from '../support/commands.ts';
import { run } from '../support/program.ts';
import { sharedFolder } from '../support/shared.ts';

const read = (name: SettingName, text: string) => readSetting(name, { source: 'flag', text });

describe.each(settingNames)('--%s', (name) => {
  const { accepts, rejects, fallback, expected } = settings[name];

  test.each([...new Set([fallback, ...accepts])])('accepts %j', (text) => {
    expect(read(name, text)).not.toBeInstanceOf(InvalidSetting);
  });

  test.each(rejects)('rejects %j', (text) => {
    const message = expect.stringContaining(`must be ${expected}`);
    expect(read(name, text)).toEqual(new InvalidSetting(message));
  });
});

const numbers = settingNames.filter((name) => typeof read(name, settings[name].fallback) === 'number');

test.each(numbers)('--%s takes a number as it is', (name) => {
  const written = settings[name].accepts.filter((text) => /[1-9]/.test(text));
  expect(written.map((text) => read(name, text))).toEqual(written.map(Number));
});

test.each(settingNames.filter((name) => settings[name].help.includes('unlimited')))('--%s may be unlimited', (name) => {
  expect(read(name, 'unlimited')).toBe(0);
});

test.each<[SettingName, string, unknown]>([
  ['workers', '0', availableParallelism()],
  ['database', 'sqlite:/srv/stockbook.db', { kind: 'sqlite', path: '/srv/stockbook.db' }],
  ['domain', 'Stock.Example.COM', 'stock.example.com'],
  ['cors-origins', '', []],
  ['cors-origins', '*', '*'],
  ['cors-origins', 'https://A.test , http://b.test:81', ['https://a.test', 'http://b.test:81']],
  ['demo', 'true', true],
  ['demo', 'false', false],
  ['log-format', 'json', 'json'],
  ['access-log', 'errors', 'errors'],
  ['access-log', '.25', 0.25],
])('--%s takes %j as %j', (name, text, value) => {
  expect(read(name, text)).toEqual(value);
});

describe('stockbook config', () => {
  const folder = sharedFolder();
  /** A value of each setting that is not its default. */
  const others = settingNames.map((name) => {
    const { accepts, fallback } = settings[name];
    return { name, text: accepts.find((text) => text !== fallback && text !== '') ?? '' };
  });
  /** The lines about settings. */
  const shown = ({ stdout }: { readonly stdout: string }) =>
    stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/));
  const line = (name: SettingName, text: string, source: string) => [name, text, source, variableOf(name)];

  test('shows every setting that is given as a flag', async () => {
    const flags = others.flatMap(({ name, text }) =>
      settings[name].placeholder === undefined ? [flagOf(name)] : [flagOf(name), text],
    );
    const finished = await commands.run(['config', ...flags], { folder: folder.path });
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(shown(finished)).toEqual(others.map(({ name, text }) => line(name, text, 'flag')));
  });

  test('shows every setting that is given as a variable, unless that is empty or there is a flag as well', async () => {
    const env = Object.fromEntries(others.map(({ name, text }) => [variableOf(name), text]));
    const finished = await run(['config', '--port', '9000'], {
      folder: folder.path,
      env: { ...env, [variableOf('host')]: '' },
    });
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(shown(finished)).toEqual(
      others.map(({ name, text }) => {
        if (name === 'port') return line(name, '9000', 'flag');
        if (name === 'host') return line(name, settings.host.fallback, 'default');
        return line(name, text, 'environment');
      }),
    );
  });

  test('ends with a variable that is not valid, and says what is', async () => {
    expect(await run(['config'], { folder: folder.path, env: { STOCKBOOK_POOL_SIZE: '0' } })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'stockbook: STOCKBOOK_POOL_SIZE must be a whole number from 1 to 9999, not "0".\n',
    });
  });
});
