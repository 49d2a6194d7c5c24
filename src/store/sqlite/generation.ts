/**
 * Begins a generation. Every process that writes does so, because the file may be an older copy of itself, which nothing in the file reveals.
 */

import { systemClock, timestamp } from '../../schedule/clock.ts';
import type { Statement } from '../sql/statement.ts';
import type { Connection } from './connection.ts';

export const LATEST_GENERATION: Statement = {
  text: 'SELECT number, id FROM generation ORDER BY number DESC LIMIT 1',
  parameters: [],
};

export function beginGeneration(connection: Connection, id: number): void {
  connection.read({
    text: 'INSERT INTO generation (number, id, began_at) SELECT coalesce(max(number), 0) + 1, ?, ? FROM generation',
    parameters: [id, timestamp(systemClock)],
  });
}
