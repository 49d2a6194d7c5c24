/** A connection of a test to PostgreSQL. */

import pg from 'pg';

export interface TestConnection {
  /** The rows of the last of the statements. Only a single one can have values. */
  query(text: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
  end(): Promise<void>;
}

type PostgresRow = Readonly<Record<string, unknown>>;

/** It is opened by its first query. */
export function connectTo(url: string): TestConnection {
  const client = new pg.Client({ connectionString: url });
  // If the connection is lost, the next query says so.
  client.on('error', () => undefined);
  let connected: Promise<unknown> | undefined;
  return {
    async query(text, values) {
      connected ??= client.connect();
      await connected;
      // Of several statements, there are several results.
      const results = [await client.query<Record<string, unknown>>(text, values && [...values])].flat();
      return results.at(-1)?.rows ?? [];
    },
    async end() {
      if (connected !== undefined) await client.end();
    },
  };
}

/** On a connection of its own. */
export async function queryOnce(url: string, text: string): Promise<readonly PostgresRow[]> {
  const connection = connectTo(url);
  try {
    return await connection.query(text);
  } finally {
    await connection.end();
  }
}

/** The processes of the server that work for the program. */
export async function backendsOf(url: string): Promise<readonly number[]> {
  const backends = await queryOnce(
    url,
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'stockbook' AND datname = current_database()`,
  );
  return backends.map(({ pid }) => Number(pid));
}
