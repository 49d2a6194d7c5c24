/** The settings, one row each. `--help`, `stockbook config`, the docs and the check at startup read this table. */

import type { AllowedOrigins } from '../access/cross-origin.ts';
import { LOCAL_DOMAIN } from '../access/host.ts';
import { type AccessLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../observe/events.ts';
import { TrustedProxies } from '../request/trusted-proxies.ts';
import { type Database, databaseFlaw, readDatabase, showDatabase } from '../store/database.ts';
import {
  accessLog,
  domainName,
  limit,
  listenAddress,
  oneOf,
  originList,
  port,
  processCount,
  type Reader,
  toggle,
  wholeNumber,
} from './readers.ts';

export interface Settings {
  readonly port: number;
  readonly host: string;
  readonly 'admin-port': number;
  readonly 'admin-host': string;
  readonly workers: number;
  readonly database: Database;
  readonly 'pool-size': number;
  readonly 'statement-timeout': number;
  readonly 'request-timeout': number;
  readonly 'stream-timeout': number;
  /** In megabytes. */
  readonly 'max-import-size': number;
  readonly 'max-connections': number;
  readonly 'max-connections-per-address': number;
  readonly 'max-delay': number;
  readonly 'cache-size': number;
  readonly 'index-size': number;
  readonly 'max-records': number;
  readonly 'max-storage': number;
  readonly 'min-free-disk': number;
  readonly domain: string;
  readonly 'cors-origins': AllowedOrigins;
  readonly 'trusted-proxies': TrustedProxies;
  readonly 'rate-limit': number;
  readonly 'failed-auth-limit': number;
  readonly 'change-retention': number;
  readonly 'server-timing': boolean;
  readonly demo: boolean;
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat;
  readonly 'access-log': AccessLog;
  readonly 'log-filters': boolean;
}

export type SettingName = keyof Settings;

/** Where the values of settings come from. */
export interface SettingValues {
  get<Name extends SettingName>(name: Name): Settings[Name];
}

export interface Setting<Value> extends Reader<Value> {
  /** Stands for the value in `--help`; a setting without it is a switch. */
  readonly placeholder?: string;
  readonly help: string;
  /** The default, as one would write it. */
  readonly fallback: string;
  /** What is wrong with a text that is not valid, in words that follow its name. For a text that must not be shown. */
  readonly flaw?: (text: string) => string | undefined;
  /** The text as it may be shown; unchanged by default. */
  readonly show?: (text: string) => string;
}

export const settings: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  port: {
    placeholder: 'PORT',
    help: 'port to listen on; 0 chooses a free one',
    fallback: '8080',
    ...port,
  },
  host: {
    placeholder: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 for all interfaces',
    fallback: '127.0.0.1',
    ...listenAddress,
  },
  'admin-port': {
    placeholder: 'PORT',
    help: 'port for metrics and health checks; 0 chooses a free one',
    fallback: '8081',
    ...port,
  },
  'admin-host': {
    placeholder: 'ADDRESS',
    help: 'address for metrics and health checks, which need no key',
    fallback: '127.0.0.1',
    ...listenAddress,
  },
  workers: {
    placeholder: 'NUMBER',
    help: 'processes that share the port; 0 for one per core',
    fallback: '0',
    ...processCount,
  },
  database: {
    placeholder: 'URL',
    help: 'the path of a SQLite file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME',
    fallback: 'data/stockbook.db',
    read: readDatabase,
    flaw: databaseFlaw,
    expected:
      'the path of a file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with the parameters sslmode, sslrootcert and connect_timeout; special characters in USER and PASSWORD must be percent-encoded',
    show: showDatabase,
    accepts: ['data/stockbook.db', 'sqlite:/srv/stockbook.db', 'postgres://user:p%40ss@db.example.com:5432/stockbook'],
    rejects: ['', 'sqlite:', ':memory:', 'mysql://localhost/stockbook', 'postgres://user:p@ss/w@localhost/stockbook'],
  },
  'pool-size': {
    placeholder: 'NUMBER',
    help: 'PostgreSQL: connections for slow reads, per process; fast reads, writes and exports have their own',
    fallback: '8',
    ...wholeNumber({ from: 1, to: 9_999 }),
  },
  'statement-timeout': {
    placeholder: 'SECONDS',
    help: 'PostgreSQL: how long a statement may run; 0, or unlimited, for no limit',
    fallback: '30',
    ...limit({ to: 999_999, of: 'seconds' }),
  },
  'request-timeout': {
    placeholder: 'SECONDS',
    help: 'how long a request may take, including the time it is queued and the time to send its response',
    fallback: '30',
    ...wholeNumber({ from: 1, to: 99_999, of: 'seconds' }),
  },
  'stream-timeout': {
    placeholder: 'SECONDS',
    help: 'how long a stream may take from its first byte to its last',
    fallback: '3600',
    ...wholeNumber({ from: 1, to: 999_999, of: 'seconds' }),
  },
  'max-import-size': {
    placeholder: 'MEGABYTES',
    help: 'maximum size of the body of an import over HTTP, compressed and decompressed',
    fallback: '1024',
    ...wholeNumber({ from: 1, to: 999_999, of: 'megabytes' }),
  },
  'max-connections': {
    placeholder: 'NUMBER',
    help: 'connections that may be open at the same time, per process',
    fallback: '4096',
    ...wholeNumber({ from: 1, to: 999_999 }),
  },
  'max-connections-per-address': {
    placeholder: 'NUMBER',
    help: 'connections that may be open from one client address, per process, except from trusted proxies; 0, or unlimited, for no limit',
    fallback: '1024',
    ...limit({ to: 999_999 }),
  },
  'max-delay': {
    placeholder: 'MILLISECONDS',
    help: 'how long requests may wait for the serving thread; if they wait longer for a while, those of the accounts that send most get a 503; 0, or unlimited, for no limit',
    fallback: '20',
    ...limit({ to: 99_999, of: 'milliseconds' }),
  },
  'cache-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for all caches, per process; 0 disables caching',
    fallback: '64',
    ...wholeNumber({ from: 0, to: 999_999, of: 'megabytes' }),
  },
  'index-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for indexes that find any filter in large lists, per node; about 160 bytes for each product; 0 disables them',
    fallback: '256',
    ...wholeNumber({ from: 0, to: 3_000, of: 'megabytes' }),
  },
  'max-records': {
    placeholder: 'NUMBER',
    help: 'records that an account may have, unless it has a limit of its own; 0, or unlimited, for no limit',
    fallback: '0',
    ...limit({ to: 999_999_999_999 }),
  },
  'max-storage': {
    placeholder: 'MEGABYTES',
    help: 'the size of all values that an account may store, unless it has a limit of its own; 0, or unlimited, for no limit',
    fallback: '10240',
    ...limit({ to: 999_999_999, of: 'megabytes' }),
  },
  'min-free-disk': {
    placeholder: 'MEGABYTES',
    help: 'SQLite: if less of the disk is free, creates and imports are refused, and removals and revocations still work; if less of the disk of temporary files is, large imports are; 0 disables the reserve',
    fallback: '256',
    ...wholeNumber({ from: 0, to: 999_999_999, of: 'megabytes' }),
  },
  domain: {
    placeholder: 'NAME',
    help: 'parent domain of the account hosts, ACCOUNT.NAME',
    fallback: LOCAL_DOMAIN,
    ...domainName,
  },
  'cors-origins': {
    placeholder: 'ORIGINS',
    help: 'web pages that may use the service from a browser: comma-separated origins, or * for any',
    fallback: '',
    ...originList,
  },
  'trusted-proxies': {
    placeholder: 'ADDRESSES',
    help: 'reverse proxies that say who the client is, in Forwarded or X-Forwarded-For: comma-separated addresses and CIDR ranges',
    fallback: '',
    read: (text) => TrustedProxies.read(text),
    expected: 'addresses or ranges separated by commas, such as 127.0.0.1,10.0.0.0/8,2001:db8::/32',
    accepts: ['', '127.0.0.1', '127.0.0.1, 10.0.0.0/8, 2001:db8::/32'],
    rejects: ['localhost', '10.0.0.0/33', '127.0.0.1,', '10.0.0.1 10.0.0.2', '10.0.0.1:80', '*'],
  },
  'rate-limit': {
    placeholder: 'NUMBER',
    help: 'requests per second for each key that has no limit of its own; 0, or unlimited, for no limit',
    fallback: '0',
    ...limit({ to: 999_999_999 }),
  },
  'failed-auth-limit': {
    placeholder: 'NUMBER',
    help: 'requests per second with a wrong key from each client address, with bursts of ten times as many; 0, or unlimited, for no limit',
    fallback: '10',
    ...limit({ to: 999_999_999 }),
  },
  'change-retention': {
    placeholder: 'DAYS',
    help: 'how long removed records are part of the change feed; a copy that is older has to start over',
    fallback: '30',
    ...wholeNumber({ from: 1, to: 99_999, of: 'days' }),
  },
  'server-timing': {
    help: 'send the header Server-Timing, which says how long each stage of a request took',
    fallback: 'false',
    ...toggle,
  },
  demo: {
    help: 'add an account "demo" with sample data if it does not exist, and print a key for it',
    fallback: 'false',
    ...toggle,
  },
  'log-level': {
    placeholder: 'LEVEL',
    help: `how much to log: ${LOG_LEVELS.join(', ')}; requests are logged at info`,
    fallback: 'info',
    ...oneOf(LOG_LEVELS),
  },
  'log-format': {
    placeholder: 'FORMAT',
    help: `the form of lines in the log: ${LOG_FORMATS.join(', ')}; auto is text on a terminal and JSON otherwise`,
    fallback: 'auto',
    ...oneOf(LOG_FORMATS),
  },
  'access-log': {
    placeholder: 'REQUESTS',
    help: 'requests that are logged: all, errors, or errors and a share of the others, such as 0.1',
    fallback: 'all',
    ...accessLog,
  },
  'log-filters': {
    help: 'log the values in filters, which may be confidential; without it they are logged as …',
    fallback: 'false',
    ...toggle,
  },
};

export const settingNames = Object.keys(settings).filter((name): name is SettingName => Object.hasOwn(settings, name));

export function flagOf(name: SettingName): string {
  return `--${name}`;
}

export function variableOf(name: SettingName): string {
  return `STOCKBOOK_${name.toUpperCase().replaceAll('-', '_')}`;
}
