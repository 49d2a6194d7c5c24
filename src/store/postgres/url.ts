/**
 * The URL of a PostgreSQL database.
 *
 *     postgres://stockbook:secret@db1:5432,db2:5432/stockbook?sslmode=verify-full
 *
 * With several hosts, the one that accepts writes is used.
 */

export interface PostgresUrl {
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The path of the file with the certificates to trust. */
  readonly sslRootCert: string | undefined;
  /** In seconds. */
  readonly connectTimeout: number;
}

export interface Host {
  readonly host: string;
  readonly port: number;
}

export function addressOf({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

const FORM =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?@]*)(?:\/(?<database>[^/?@]*))?(?:\?(?<query>.*))?$/i;
const HOST = /^(?:\[(?<v6>[0-9a-fA-F:]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/;

const DEFAULT_CONNECT_TIMEOUT = 5;

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/** Undefined if the text is not such a URL, or has a parameter that is not supported. */
export function readPostgresUrl(text: string): PostgresUrl | undefined {
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const hosts = (parts['hosts'] || 'localhost').split(',').map(readHost);
  const known = hosts.filter((host) => host !== undefined);
  const user = decoded(parts['user'] || 'postgres');
  const password = decoded(parts['password'] ?? '');
  const database = decoded(parts['database'] || parts['user'] || 'postgres');
  const query = readParameters(parts['query'] ?? '');
  if (
    known.length < hosts.length ||
    user === undefined ||
    password === undefined ||
    database === undefined ||
    query === undefined
  ) {
    return undefined;
  }
  return { hosts: known, user, password, database, ...query };
}

/** A valid URL without its password. */
export function withoutPassword(text: string): string {
  return text.replace(/^(postgres(?:ql)?:\/\/[^:@/?]*):[^@/?]*@/i, '$1:***@');
}

function readHost(text: string): Host | undefined {
  const { v6, name, port = '5432' } = HOST.exec(text)?.groups ?? {};
  const host = v6 ?? name;
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

function readParameters(query: string): Pick<PostgresUrl, 'sslMode' | 'sslRootCert' | 'connectTimeout'> | undefined {
  const parameters = new URLSearchParams(query);
  const names = ['sslmode', 'sslrootcert', 'connect_timeout'];
  if ([...parameters.keys()].some((name) => !names.includes(name))) return undefined;
  const timeout = parameters.get('connect_timeout') ?? String(DEFAULT_CONNECT_TIMEOUT);
  const sslRootCert = parameters.get('sslrootcert') ?? undefined;
  const sslMode = readSslMode(parameters.get('sslmode') ?? 'disable', sslRootCert);
  if (sslMode === undefined || !/^[1-9]\d{0,3}$/.test(timeout)) return undefined;
  return { sslMode, sslRootCert, connectTimeout: Number(timeout) };
}

/** Naming certificates means they are to be verified: `require` then means `verify-ca`, and any weaker mode is a mistake. */
function readSslMode(name: string, sslRootCert: string | undefined): SslMode | undefined {
  const mode = SSL_MODES.find((known) => known === name);
  if (sslRootCert === undefined || mode === undefined || mode.startsWith('verify')) return mode;
  return mode === 'require' ? 'verify-ca' : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
