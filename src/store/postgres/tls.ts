/** TLS for connections to PostgreSQL, as `sslmode` and `sslrootcert` say. */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { UnusableDatabase } from '../store-error.ts';
import type { PostgresUrl } from './url.ts';

/** False if the connection is not encrypted. */
export function tlsOptions({ sslMode, sslRootCert }: PostgresUrl): ConnectionOptions | false {
  switch (sslMode) {
    case 'disable':
      return false;
    case 'prefer':
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      // Accepts a trusted certificate for any host name.
      return { ...trusted(sslRootCert), checkServerIdentity: () => undefined };
    case 'verify-full':
      return trusted(sslRootCert);
  }
}

function trusted(sslRootCert: string | undefined): ConnectionOptions {
  return { rejectUnauthorized: true, ...(sslRootCert !== undefined && { ca: readCertificates(sslRootCert) }) };
}

function readCertificates(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnusableDatabase(
      `The certificates in ${path} cannot be read (${reason}). Check sslrootcert in --database.`,
    );
  }
}
