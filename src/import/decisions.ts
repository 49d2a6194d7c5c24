/** What has to be known about a file before its rows can be read. Whatever is not given is recognised, or asked for. */

import type { Field } from '../catalog/resource.ts';
import type { DatePattern } from './dates.ts';
import type { DecimalSign } from './numbers.ts';

/** The field that a column of the file sets; undefined if the column is ignored. */
export type ColumnMap = ReadonlyMap<string, Field | undefined>;

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface Decisions {
  readonly columns: ColumnMap;
  /** Columns that are neither fields nor in the map are ignored. */
  readonly ignoreUnknown?: boolean | undefined;
  /** A name that the Encoding Standard knows. */
  readonly encoding?: string | undefined;
  readonly delimiter?: Delimiter | undefined;
  readonly sheet?: string | undefined;
  /** The row, or line, with the names of the columns. */
  readonly headerRow?: number | undefined;
  /** Cells may have a currency, a percent sign, or a word for nothing. */
  readonly lenient?: boolean | undefined;
  readonly decimal?: DecimalSign | undefined;
  readonly dates?: DatePattern | undefined;
  /** Of times that don't say: the name of a zone in the IANA database; UTC by default. */
  readonly timezone?: string | undefined;
  /** What an empty cell in quotes is, in a field of text that can be null. */
  readonly emptyText?: 'null' | 'keep' | undefined;
}

/** The same, and the field that identifies records, as they are given: flags of a command, parameters of a request, members of a mapping. */
export interface GivenOptions {
  readonly key?: string | undefined;
  /** Rows without an id are added, even if they seem to be there already. */
  readonly add?: boolean | undefined;
  /** `COLUMN=FIELD` or `COLUMN:FIELD`. */
  readonly map?: readonly string[] | undefined;
  readonly ignoreUnknown?: boolean | undefined;
  readonly lenient?: boolean | undefined;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly sheet?: string | undefined;
  readonly headerRow?: string | undefined;
  readonly decimal?: string | undefined;
  readonly dates?: string | undefined;
  readonly timezone?: string | undefined;
  readonly emptyText?: string | undefined;
}

/** What was recognised in a file, for people to check. Members that don't apply are absent. */
export interface Recognised {
  readonly format: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly sheet?: string;
  /** In which row the names of the columns are; always known of a sheet. */
  readonly headerRow?: number;
  /** If all numbers have the same. */
  readonly decimal?: DecimalSign;
  readonly dates?: string;
  readonly timezone?: string;
  /** If every cell is in quotes, and empty ones are null. */
  readonly emptyText?: 'null';
  readonly origin?: 'odoo';
  readonly columns: readonly RecognisedColumn[];
  /** Whole sentences. */
  readonly notes: readonly string[];
}

export interface RecognisedColumn {
  readonly column: string;
  /** Null if it is ignored, or unknown. */
  readonly field: string | null;
  /** Why it is ignored. */
  readonly reason?: string;
  /** Some of its cells, as text. */
  readonly examples: readonly string[];
}

/** Something that only a person can decide. */
export interface Question {
  /** The option that answers it. */
  readonly option: QuestionOption;
  readonly column?: string | undefined;
  readonly question: string;
  readonly choices: readonly Choice[];
}

export interface Choice {
  /** If it is not that of the question. */
  readonly option?: QuestionOption;
  readonly value: string;
  readonly meaning: string;
}

export type QuestionOption = 'encoding' | 'sheet' | 'decimal' | 'dates' | 'headerRow' | 'key' | 'add';

/** The file cannot be read before somebody has answered these. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
  readonly questions: readonly Question[];
  /** What was recognised in spite of them. */
  readonly recognised: Recognised | undefined;

  constructor(questions: readonly Question[], recognised?: Recognised) {
    super(questions.map(({ question }) => question).join(' '));
    this.questions = questions;
    this.recognised = recognised;
  }
}
