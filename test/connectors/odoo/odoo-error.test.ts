/** Errors of Odoo, in words that say what to do. */

import { expect, test } from 'vitest';
import { errorNamed, type OdooErrorKind } from '../../../src/connectors/odoo/odoo-error.ts';

test.each<[name: string, message: string, kind: OdooErrorKind, says: RegExp]>([
  ['odoo.exceptions.AccessDenied', 'Access Denied', 'wrong key', /^Odoo does not accept the key\./],
  [
    'odoo.exceptions.AccessError',
    'No.\nTraceback',
    'no rights',
    /does not let the user of the key read res\.partner: No\. Give/,
  ],
  ['builtins.MemoryError', '', 'unavailable', /^Odoo has no memory left\.$/],
  [
    'psycopg2.OperationalError',
    'database "erp" does not exist',
    'wrong database',
    /^Odoo has no database for this request: database "erp" does not exist Check --odoo-db/,
  ],
  [
    'psycopg2.OperationalError',
    'server closed the connection\nTraceback',
    'unavailable',
    /^Odoo could not read from its database: server closed the connection$/,
  ],
  ['werkzeug.exceptions.NotFound', "the model 'x' does not exist", 'no such model', /^Odoo has no model res\.partner/],
  ['builtins.KeyError', "Object x doesn't exist", 'no such model', /^Odoo has no model res\.partner/],
  ['builtins.ValueError', "Invalid field 'x'", 'no such field', /^Odoo says: Invalid field 'x'$/],
  ['builtins.ValueError', 'Something else\nTraceback', 'refused', /^Odoo says about res\.partner: Something else$/],
  ['builtins.ValueError', 'x'.repeat(301), 'refused', /: x{300}…$/],
])('%s: %s', (name, message, kind, says) => {
  const error = errorNamed(name, message, 'res.partner');
  expect({ kind: error.kind, message: error.message }).toEqual({ kind, message: expect.stringMatching(says) });
});
