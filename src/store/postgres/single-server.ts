/** All data is on the server itself. */

import { postgresDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import { beginGeneration, beginGenerationIfNew } from './generation.ts';
import type { Topology } from './topology.ts';

export const SINGLE_SERVER: Topology = {
  dialect: postgresDialect,
  sharedConnections: 1,
  begin: { texts: ['BEGIN'], isAlwaysNeeded: false },
  sessionSettings: () => ({}),
  maxSilence: () => undefined,
  requireData: async () => {},
  isDataLost: () => false,
  translateError,
  beginGenerationIfNew,
  beginGeneration,
  async createStaging(connection, table, definitions) {
    await connection.query(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')})`);
    return undefined;
  },
  migration: {
    isComplete: async () => true,
    async begin(connection) {
      await connection.query('BEGIN');
    },
    complete: async () => {},
  },
};
