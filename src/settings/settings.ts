/** The settings: one row each. `--help`, `stockbook config`, the docs and the check at start read this table. */

import { availableParallelism } from 'node:os';
import { LOCAL_DOMAIN } from '../access/host.ts';
import { LOG_LEVELS, type LogLevel } from '../events.ts';
import { type Database, readDatabase, showDatabase } from '../store/database.ts';

export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly workers: number;
  readonly database: Database;
  readonly 'pool-size': number;
  readonly 'statement-timeout': number;
  readonly 'cache-size': number;
  readonly domain: string;
  readonly 'rate-limit': number;
  readonly demo: boolean;
  readonly 'log-level': LogLevel;
}

export type SettingName = keyof Settings;

export interface Setting<Value> {
  /** What stands for the value in `--help`; a setting without it is a switch. */
  readonly placeholder?: string;
  readonly help: string;
  /** What it is where nothing is given, as one would write it. */
  readonly fallback: string;
  /** Gives nothing where the text is no value of the setting. */
  readonly read: (text: string) => Value | undefined;
  /** Completes the sentence "… is not". */
  readonly expected: string;
  /** What was written, as it may be shown; as it is where nothing is said. */
  readonly show?: (text: string) => string;
}

export const settings: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  port: {
    placeholder: 'PORT',
    help: 'port to listen on; 0 takes a free one',
    fallback: '8080',
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
    expected: 'a port: a whole number from 0 to 65535',
  },
  host: {
    placeholder: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 for every network',
    fallback: '127.0.0.1',
    read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
    expected: 'an IP address or a host name',
  },
  workers: {
    placeholder: 'NUMBER',
    help: 'processes that serve, on the same port; 0 for one on each core',
    fallback: '0',
    read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) || availableParallelism() : undefined),
    expected: 'a whole number from 0 to 999',
  },
  database: {
    placeholder: 'URL',
    help: 'where the data is: the path of a SQLite file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME',
    fallback: 'data/stockbook.db',
    read: readDatabase,
    expected:
      'the path of a file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with sslmode, sslrootcert or connect_timeout',
    show: showDatabase,
  },
  'pool-size': {
    placeholder: 'NUMBER',
    help: 'connections to PostgreSQL that a process reads with: one for quick reads, the others for slow ones; beside them are a few that write, and one for each export',
    fallback: '10',
    read: (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number from 1 to 9999',
  },
  'statement-timeout': {
    placeholder: 'SECONDS',
    help: 'how long PostgreSQL may work on a request; 0 for as long as it takes',
    fallback: '30',
    read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of seconds',
  },
  'cache-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for answers that may be given again while nothing is written, in each process; 0 keeps none',
    fallback: '64',
    read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of megabytes',
  },
  domain: {
    placeholder: 'NAME',
    help: 'domain under which each account has its host, ACCOUNT.NAME',
    fallback: LOCAL_DOMAIN,
    read: (text) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text) ? text.toLowerCase() : undefined),
    expected: 'a domain name such as stock.example.com',
  },
  'rate-limit': {
    placeholder: 'NUMBER',
    help: 'requests that a key may make in a second, counted in each process; 0 for as many as it likes',
    fallback: '0',
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number from 0 on',
  },
  demo: {
    help: 'make an account "demo" with sample data where there is none, and print a key for it',
    fallback: 'false',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
    expected: 'true or false',
  },
  'log-level': {
    placeholder: 'LEVEL',
    help: `how much to log: ${LOG_LEVELS.join(', ')}; debug logs every request`,
    fallback: 'info',
    read: (text) => LOG_LEVELS.find((level) => level === text),
    expected: `one of ${LOG_LEVELS.join(', ')}`,
  },
};

export const settingNames = Object.keys(settings).filter((name): name is SettingName => Object.hasOwn(settings, name));

export function flagOf(name: SettingName): string {
  return `--${name}`;
}

export function variableOf(name: SettingName): string {
  return `STOCKBOOK_${name.toUpperCase().replaceAll('-', '_')}`;
}
