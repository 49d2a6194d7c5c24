/** The fields of all resources, for programs that adapt to them. */

import type { Connection } from './connection.ts';
import type { ValueTypes } from './generated/records.ts';
import { checkOptions, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

export interface ListedField {
  /** The name of the resource: `product`. */
  readonly resource: string;
  readonly name: string;
  /** What people call it. */
  readonly label: string;
  readonly type: keyof ValueTypes;
  readonly meaning: string;
  readonly nullable: boolean;
  /** What records have that were not given a value. Null if there is nothing. */
  readonly default: string | number | boolean | null;
  /** The only texts that it can hold. Null if it is any. */
  readonly choices: readonly string[] | null;
  /** Whether exact values are found fast. */
  readonly indexed: boolean;
  /** Whether parts of its text are found fast, and `q` looks at it. */
  readonly searched: boolean;
  /** Whether no two records have the same value. */
  readonly unique: boolean;
  /** False if an operator has added it. */
  readonly builtIn: boolean;
}

export async function readFields(connection: Connection, options: RequestOptions): Promise<readonly ListedField[]> {
  checkOptions('fields', options, REQUEST_OPTIONS);
  return connection.data({ ...options, path: 'fields' });
}
