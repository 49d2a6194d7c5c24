/** Fields that operators add: what they are. Their columns are added with them. */

import type { Migration } from './migration.ts';

export const ownFields: Migration = {
  number: 6,
  name: 'own fields',
  sqlite: [
    `CREATE TABLE own_field (
      resource TEXT NOT NULL,
      name TEXT NOT NULL,
      position INTEGER NOT NULL,
      definition TEXT NOT NULL,
      PRIMARY KEY (resource, name)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO counter (name, value) VALUES ('fields', 0)`,
  ],
  postgres: [
    `CREATE TABLE own_field (
      resource text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      definition text COLLATE "C" NOT NULL,
      PRIMARY KEY (resource, name)
    )`,
    `INSERT INTO counter (name, value) VALUES ('fields', 0)`,
  ],
};
