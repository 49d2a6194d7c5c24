/** The settings, one row each. `--help`, `stockbook config`, the docs and the check at startup read this table. */

import { availableParallelism } from 'node:os';
import type { AllowedOrigins } from '../access/cross-origin.ts';
import { LOCAL_DOMAIN } from '../access/host.ts';
import { type AccessLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../observe/events.ts';
import { TrustedProxies } from '../request/trusted-proxies.ts';
import { type Database, databaseFlaw, readDatabase, showDatabase } from '../store/database.ts';

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
    read: readPort,
    expected: 'a whole number from 0 to 65535',
  },
  host: {
    placeholder: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 for all interfaces',
    fallback: '127.0.0.1',
    read: readHost,
    expected: 'an IP address or a host name',
  },
  'admin-port': {
    placeholder: 'PORT',
    help: 'port for metrics and health checks; 0 chooses a free one',
    fallback: '8081',
    read: readPort,
    expected: 'a whole number from 0 to 65535',
  },
  'admin-host': {
    placeholder: 'ADDRESS',
    help: 'address for metrics and health checks, which need no key',
    fallback: '127.0.0.1',
    read: readHost,
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
    flaw: databaseFlaw,
    expected:
      'the path of a file, sqlite:PATH, or postgres://USER:PASSWORD@HOST:PORT/NAME with the parameters sslmode, sslrootcert and connect_timeout; special characters in USER and PASSWORD must be percent-encoded',
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
    help: 'PostgreSQL: how long a statement may run; 0, or unlimited, for no limit',
    fallback: '30',
    read: (text) => readLimit(text, /^\d{1,6}$/),
    expected: 'a whole number of seconds, or unlimited',
  },
  'request-timeout': {
    placeholder: 'SECONDS',
    help: 'how long a request may take, including the time it is queued and the time to send its response',
    fallback: '30',
    read: (text) => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of seconds from 1 to 99999',
  },
  'stream-timeout': {
    placeholder: 'SECONDS',
    help: 'how long a stream may take from its first byte to its last',
    fallback: '3600',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of seconds from 1 to 999999',
  },
  'max-import-size': {
    placeholder: 'MEGABYTES',
    help: 'maximum size of the body of an import over HTTP, compressed and decompressed',
    fallback: '1024',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of megabytes from 1 to 999999',
  },
  'max-connections': {
    placeholder: 'NUMBER',
    help: 'connections that may be open at the same time, per process',
    fallback: '4096',
    read: (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number from 1 to 999999',
  },
  'max-connections-per-address': {
    placeholder: 'NUMBER',
    help: 'connections that may be open from one client address, per process, except from trusted proxies; 0, or unlimited, for no limit',
    fallback: '1024',
    read: (text) => readLimit(text, /^\d{1,6}$/),
    expected: 'a whole number from 0 to 999999, or unlimited',
  },
  'max-delay': {
    placeholder: 'MILLISECONDS',
    help: 'how long requests may wait for the serving thread; if they wait longer for a while, those of the accounts that send most get a 503; 0, or unlimited, for no limit',
    fallback: '20',
    read: (text) => readLimit(text, /^\d{1,5}$/),
    expected: 'a whole number of milliseconds from 0 to 99999, or unlimited',
  },
  'cache-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for all caches, per process; 0 disables caching',
    fallback: '64',
    read: (text) => (/^\d{1,6}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of megabytes',
  },
  'index-size': {
    placeholder: 'MEGABYTES',
    help: 'memory for indexes that find any filter in large lists, per node; about 160 bytes for each product; 0 disables them',
    fallback: '256',
    read: (text) => (/^\d{1,4}$/.test(text) && Number(text) <= 3_000 ? Number(text) : undefined),
    expected: 'a whole number of megabytes up to 3000',
  },
  'max-records': {
    placeholder: 'NUMBER',
    help: 'records that an account may have, unless it has a limit of its own; 0, or unlimited, for no limit',
    fallback: '0',
    read: (text) => readLimit(text, /^\d{1,12}$/),
    expected: 'a whole number of at least 0, or unlimited',
  },
  'max-storage': {
    placeholder: 'MEGABYTES',
    help: 'the size of all values that an account may store, unless it has a limit of its own; 0, or unlimited, for no limit',
    fallback: '10240',
    read: (text) => readLimit(text, /^\d{1,9}$/),
    expected: 'a whole number of megabytes, or unlimited',
  },
  'min-free-disk': {
    placeholder: 'MEGABYTES',
    help: 'SQLite: if less of the disk is free, creates and imports are refused, and removals and revocations still work; if less of the disk of temporary files is, large imports are; 0 disables the reserve',
    fallback: '256',
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of megabytes',
  },
  domain: {
    placeholder: 'NAME',
    help: 'parent domain of the account hosts, ACCOUNT.NAME',
    fallback: LOCAL_DOMAIN,
    read: (text) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text) ? text.toLowerCase() : undefined),
    expected: 'a domain name such as stock.example.com',
  },
  'cors-origins': {
    placeholder: 'ORIGINS',
    help: 'web pages that may use the service from a browser: comma-separated origins, or * for any',
    fallback: '',
    read: readOrigins,
    expected: '*, or origins separated by commas, such as https://shop.example.com',
  },
  'trusted-proxies': {
    placeholder: 'ADDRESSES',
    help: 'reverse proxies that say who the client is, in Forwarded or X-Forwarded-For: comma-separated addresses and CIDR ranges',
    fallback: '',
    read: (text) => TrustedProxies.read(text),
    expected: 'addresses or ranges separated by commas, such as 127.0.0.1,10.0.0.0/8,2001:db8::/32',
  },
  'rate-limit': {
    placeholder: 'NUMBER',
    help: 'requests per second for each key that has no limit of its own; 0, or unlimited, for no limit',
    fallback: '0',
    read: (text) => readLimit(text, /^\d{1,9}$/),
    expected: 'a whole number of at least 0, or unlimited',
  },
  'failed-auth-limit': {
    placeholder: 'NUMBER',
    help: 'requests per second with a wrong key from each client address, with bursts of ten times as many; 0, or unlimited, for no limit',
    fallback: '10',
    read: (text) => readLimit(text, /^\d{1,9}$/),
    expected: 'a whole number of at least 0, or unlimited',
  },
  'change-retention': {
    placeholder: 'DAYS',
    help: 'how long removed records are part of the change feed; a copy that is older has to start over',
    fallback: '30',
    read: (text) => (/^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined),
    expected: 'a whole number of days from 1 to 99999',
  },
  'server-timing': {
    help: 'send the header Server-Timing, which says how long each stage of a request took',
    fallback: 'false',
    read: readSwitch,
    expected: 'true or false',
  },
  demo: {
    help: 'add an account "demo" with sample data if it does not exist, and print a key for it',
    fallback: 'false',
    read: readSwitch,
    expected: 'true or false',
  },
  'log-level': {
    placeholder: 'LEVEL',
    help: `how much to log: ${LOG_LEVELS.join(', ')}; requests are logged at info`,
    fallback: 'info',
    read: (text) => LOG_LEVELS.find((level) => level === text),
    expected: `one of ${LOG_LEVELS.join(', ')}`,
  },
  'log-format': {
    placeholder: 'FORMAT',
    help: `the form of lines in the log: ${LOG_FORMATS.join(', ')}; auto is text on a terminal and JSON otherwise`,
    fallback: 'auto',
    read: (text) => LOG_FORMATS.find((format) => format === text),
    expected: `one of ${LOG_FORMATS.join(', ')}`,
  },
  'access-log': {
    placeholder: 'REQUESTS',
    help: 'requests that are logged: all, errors, or errors and a share of the others, such as 0.1',
    fallback: 'all',
    read: readAccessLog,
    expected: 'all, errors, or a number between 0 and 1 such as 0.1',
  },
  'log-filters': {
    help: 'log the values in filters, which may be confidential; without it they are logged as …',
    fallback: 'false',
    read: readSwitch,
    expected: 'true or false',
  },
};

/** 0 is unlimited. */
function readLimit(text: string, number: RegExp): number | undefined {
  if (text === 'unlimited') return 0;
  return number.test(text) ? Number(text) : undefined;
}

function readPort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

function readHost(text: string): string | undefined {
  return /^[\w.:-]+$/.test(text) ? text : undefined;
}

function readOrigins(text: string): AllowedOrigins | undefined {
  if (text === '*') return '*';
  const origins = text.split(',').map((origin) => origin.trim().toLowerCase());
  if (text.trim() === '') return [];
  return origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? origins : undefined;
}

function readAccessLog(text: string): AccessLog | undefined {
  if (text === 'all' || text === 'errors') return text;
  const share = /^0?\.\d{1,6}$/.test(text) ? Number(text) : 0;
  return share > 0 ? share : undefined;
}

function readSwitch(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

export const settingNames = Object.keys(settings).filter((name): name is SettingName => Object.hasOwn(settings, name));

export function flagOf(name: SettingName): string {
  return `--${name}`;
}

export function variableOf(name: SettingName): string {
  return `STOCKBOOK_${name.toUpperCase().replaceAll('-', '_')}`;
}
