/** Columns in memory that are built as soon as a resource is read, however few records it has. */

import { expect } from 'vitest';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import { engines } from './engines.ts';

export interface TestColumns {
  readonly options: ColumnIndexOptions;
  /** Sends a request that has columns built, and waits until they are. */
  buildWith(request: () => Promise<unknown>): Promise<void>;
}

export function eagerColumns(options: Partial<ColumnIndexOptions> = {}): TestColumns {
  let built = 0;
  return {
    options: { maxBytes: 1e9, minRows: 0, minDemand: 1, onBuilt: () => (built += 1), ...options },
    async buildWith(request) {
      const before = built;
      await request();
      await expect.poll(() => built).toBe(before + 1);
    },
  };
}

/** Every engine, with records that are read from the database and with records in memory. */
export const enginesAndColumns = engines.flatMap((engine) =>
  (['the database', 'columns in memory'] as const).map((source) => ({
    engine,
    name: engine.name,
    source,
    columns: source === 'the database' ? undefined : eagerColumns(),
  })),
);
