/** What each of the programs reports: everything that it has read with its generated client. */

export interface Results {
  readonly list: {
    readonly total: number;
    readonly conditions: number | undefined;
    readonly pages: number;
    readonly name: string | undefined;
  };
  /** The name of the same product. */
  readonly record: string | undefined;
  readonly created: number | undefined;
  /** What an import would do. */
  readonly imported: { readonly created: number | undefined; readonly updated: number | undefined };
  /** The names of what was created. */
  readonly changes: readonly (string | undefined)[];
  readonly more: boolean;
  readonly aggregate: { readonly total: number; readonly sum: unknown };
  readonly groups: readonly (readonly unknown[])[] | undefined;
  readonly error: {
    readonly status: number | undefined;
    readonly code: string | undefined;
    readonly detail: string | undefined;
  };
  readonly missing: string | undefined;
  /** The first line. */
  readonly csv: string | undefined;
}

export const url = process.env['STOCKBOOK_URL'] ?? '';
export const key = process.env['STOCKBOOK_KEY'] ?? '';

export function report(results: Results): void {
  process.stdout.write(JSON.stringify(results));
}
