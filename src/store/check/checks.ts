/** The table of checks, in the order in which they run: what others rely on comes first. */

import type { Check, CheckedEngine } from './check.ts';
import { foldedText } from './folded-text.ts';
import { generations } from './generations.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { ledgerBytes, ledgerLastIds, ledgerRevisions, ledgerRows, missingLedgers } from './ledger-row.ts';
import { orphans } from './orphans.ts';
import { tombstones } from './tombstones.ts';

export function checksOf({
  checks: { storage, schema, searchIndexes },
}: Pick<CheckedEngine, 'checks'>): readonly Check[] {
  return [
    storage,
    schema,
    orphans,
    missingLedgers,
    ledgerRevisions,
    generations,
    ledgerLastIds,
    ledgerRows,
    ledgerBytes,
    foldedText,
    searchIndexes,
    tombstones,
    idempotencyKeys,
  ];
}
