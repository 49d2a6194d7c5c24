/** What is wrong with an Odoo, in words that say what to do. Its own errors carry tracebacks, which nobody is shown. */

export type OdooErrorKind =
  /** The key, or the user of it. */
  | 'wrong key'
  | 'no rights'
  | 'no such model'
  | 'no such field'
  | 'wrong database'
  /** The language or the companies. */
  | 'wrong choice'
  /** The certificate of the server. */
  | 'untrusted'
  /** Not an Odoo, or one that is too old. */
  | 'not Odoo'
  /** It is worth trying again: it restarts, its database is away, or the connection was lost. */
  | 'unavailable'
  | 'refused';

export class OdooError extends Error {
  override readonly name = 'OdooError';
  readonly kind: OdooErrorKind;
  /** In milliseconds, if Odoo or a proxy in front of it says so. */
  readonly retryAfter: number | undefined;

  constructor(kind: OdooErrorKind, message: string, options: { readonly retryAfter?: number | undefined } = {}) {
    super(message);
    this.kind = kind;
    this.retryAfter = options.retryAfter;
  }
}

/** The longest message of Odoo that is quoted, in characters. */
const MAX_QUOTED = 300;

/** An error that Odoo describes by the name of its Python class. */
export function errorNamed(name: string, message: string, model: string): OdooError {
  const [line = ''] = message.split('\n');
  const quoted = line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED)}…` : line;
  switch (name) {
    case 'odoo.exceptions.AccessDenied':
      return wrongKey();
    case 'odoo.exceptions.AccessError':
      return new OdooError(
        'no rights',
        `Odoo does not let the user of the key read ${model}: ${quoted} Give the user a group that may read it, or use the key of another user.`,
      );
    case 'builtins.MemoryError':
      return new OdooError('unavailable', 'Odoo has no memory left.');
  }
  if (name.startsWith('psycopg2.')) {
    if (/database .* does not exist/.test(message)) return wrongDatabase(quoted);
    return new OdooError('unavailable', `Odoo could not read from its database: ${quoted}`);
  }
  if (/(?:the model .* does not exist|Object .* doesn't exist)/.test(message)) return missingModel(model);
  if (/Invalid field/.test(message)) return new OdooError('no such field', `Odoo says: ${quoted}`);
  return new OdooError('refused', `Odoo says about ${model}: ${quoted}`);
}

export function wrongKey(login?: string): OdooError {
  const whose = login === undefined ? '' : ` for the user "${login}" (--odoo-user)`;
  return new OdooError(
    'wrong key',
    `Odoo does not accept the key${whose}. It may be mistyped, expired or revoked, or its user archived: make a new one in Odoo under Preferences, Account Security.`,
  );
}

export function wrongDatabase(detail: string): OdooError {
  return new OdooError(
    'wrong database',
    `Odoo has no database for this request: ${detail} Check --odoo-db; if it is right, the PostgreSQL server of Odoo may be down.`,
  );
}

export function untrusted(origin: string, reason: string): OdooError {
  return new OdooError(
    'untrusted',
    `The certificate of ${origin} is not signed by an authority that is trusted here (${reason}). If it is your own, give the certificate of the authority, or its own if it is self-signed, as a PEM file with --odoo-ca-file.`,
  );
}

export function missingModel(model: string): OdooError {
  return new OdooError(
    'no such model',
    `Odoo has no model ${model}: its module is not installed. Install it, or name other resources with --resource.`,
  );
}
