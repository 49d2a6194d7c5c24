/** The settings, one row each. `--help`, `stockbook config`, the docs and the check at startup read this table. */

import { availableParallelism } from 'node:os';
import { LOCAL_DOMAIN } from '../access/host.ts';
import { LOG_LEVELS, type LogLevel } from '../observe/events.ts';
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

/** Where the values of settings come from. */
export interface SettingValues {
  get<Name extends SettingName>(name: Name): Settings[Name];
}

export interface Setting<Value> {
  /** Stands for the value in `--help`; a setting without it is a switch. */
  readonly placeholder?: string;
  readonly help: string;
  /** The default, as one would write it. */
  readonly fallback: string;
  /** Undefined if the text is not valid. */
  readonly read: (text: string) => Value | undefined;
  /** Follows "must be". */
  readonly expected: string;
  /** The text as it may be shown; unchanged by default. */
  readonly show?: (text: string) => string;
}

export const settings: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  port: {
    placeholder: 'PORT',
    help: 'port to listen on; 0 chooses a free one',
    fallback: '8080',
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
    expected: 'a whole number from 0 to 65535',
  },
  host: {
    placeholder: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 for all interfaces',
    fallback: '127.0.0.1',
    read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
    expected: 'an IP address or a host name',
  },
  workers: {
    placeholder: 'NUMBER',
    help: 'processes that share the port; 0 for one per core',
    fallback: '0',
    read: (text) => (/^\d{1,3}$/.test(text) ? Number(text) || availableParallelism() : undefined),
    expected: 'a whole number from 0 to 999',
  },
  database: {
    placeholder: 'URL',
    help: 'the path of a SQLite file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME',
    fallback: 'data/stockbook.db',
    read: readDatabase,
    expected:
      'the path of a file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with the parameters sslmode, sslrootcert and connect_timeout',
    show: showDatabase,
  },
  'pool-size': {
    placeholder: 'NUMBER',
    help: 'PostgreSQL: connections for slow reads, per process; fast reads, writes and exports have their own',
    fallback: '8',
    read: (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number from 1 to 9999',
  },
  'statement-timeout': {
    placeholder: 'SECONDS',
    help: 'PostgreSQL: how long a statement may run; 0 means unlimited',
    fallback: '30',
    read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of seconds',
  },
  'cache-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for all caches, per process; 0 disables caching',
    fallback: '64',
    read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of megabytes',
  },
  domain: {
    placeholder: 'NAME',
    help: 'parent domain of the account hosts, ACCOUNT.NAME',
    fallback: LOCAL_DOMAIN,
    read: (text) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text) ? text.toLowerCase() : undefined),
    expected: 'a domain name such as stock.example.com',
  },
  'rate-limit': {
    placeholder: 'NUMBER',
    help: 'requests per second for each key, per process; 0 means unlimited',
    fallback: '0',
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of at least 0',
  },
  demo: {
    help: 'add an account "demo" with sample data if it does not exist, and print a key for it',
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
