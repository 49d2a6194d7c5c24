/** What the service has recognised in a file, and what it has to ask. */

/** Rows that have to be fixed alike. */
export interface ErrorGroup {
  readonly column?: string;
  readonly reason: string;
  readonly suggestion?: string;
  readonly rows: number;
  /** The first of their lines. */
  readonly lines: readonly number[];
}

/** What the service has recognised in a file. What does not apply is absent. */
export interface RecognisedFile {
  readonly format: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly sheet?: string;
  /** In which row of the sheet the names of the columns are. */
  readonly headerRow?: number;
  readonly decimal?: '.' | ',';
  readonly dates?: string;
  readonly timezone?: string;
  /** If every cell is in quotes, and empty ones are null. */
  readonly emptyText?: 'null';
  readonly origin?: 'odoo';
  readonly columns: readonly RecognisedColumn[];
  readonly notes: readonly string[];
}

export interface RecognisedColumn {
  readonly column: string;
  /** Null if it is ignored. */
  readonly field: string | null;
  /** Why it is ignored. */
  readonly reason?: string;
  /** Of a dry run: some of its cells. */
  readonly examples?: readonly string[];
}

/** What somebody has to decide before a file can be read. The option has the name of the parameter. */
export interface ImportQuestion {
  /** The option that answers it; of an import that was sent without this client, the parameter. */
  readonly parameter: 'encoding' | 'charset' | 'sheet' | 'decimal' | 'dates' | 'headerRow' | 'header_row' | 'add';
  readonly column?: string;
  readonly question: string;
  readonly choices: readonly ImportChoice[];
}

export interface ImportChoice {
  /** The option that it is for, if that is not the one of the question. */
  readonly parameter?: 'key';
  readonly value: string;
  readonly meaning: string;
}

/** Fields of a record, as they would be stored. */
export type PreviewedRecord = Readonly<Record<string, string | number | boolean | null>>;
