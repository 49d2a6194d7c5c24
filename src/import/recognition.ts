/**
 * What the first rows of a file say about all of them: which column is which field, whether Odoo has written it, which decimal sign and which order
 * of day and month it uses. Nothing is guessed: what has two meanings is a question.
 */

import type { Field } from '../catalog/resource.ts';
import { isNumeric } from '../catalog/value-types.ts';
import { truncated } from '../problem/quoted.ts';
import { ColumnMatcher, type ColumnRules, type Columns, REMOVED } from './columns.ts';
import { type DatePattern, patternsOf, readDate } from './dates.ts';
import { type Decisions, type Question, type Recognised, Undecided } from './decisions.ts';
import type { FileFacts, Format, RawRow } from './format.ts';
import { type DecimalSign, signsOf } from './numbers.ts';
import { isOdooExport } from './odoo.ts';
import { MAX_COLUMNS } from './row-reader.ts';
import { datesQuestion, decimalQuestion, TextCells } from './text-cells.ts';

/** How many rows it looks at, at most, and how much text they may have, in characters. */
export const SAMPLE_ROWS = 1_000;
export const SAMPLE_LENGTH = 256 * 1024;

/** How many cells of a column are shown. */
const EXAMPLES = 3;

export interface Recognition {
  readonly columns: ColumnMatcher;
  readonly texts: TextCells;
  /** Whether there was anything to recognise. */
  readonly isNoteworthy: boolean;
  /** Once all rows were read, it says what they had. `notes` are about these. */
  readonly recognised: (notes: readonly string[]) => Recognised;
}

interface Sampled {
  readonly column: string;
  readonly field: Field;
  readonly text: string;
}

export function recognise<Cell>(
  format: Format<Cell>,
  rules: Omit<ColumnRules, 'columns' | 'ignoresUnknown'>,
  decisions: Decisions,
  facts: FileFacts,
  rows: readonly RawRow<Cell>[],
): Recognition {
  const header = format.hasHeader ? rows.find(({ kind }) => kind === 'header') : undefined;
  // More are an error of the header.
  const names = header !== undefined && header.kind !== 'error' && isReadable(header.columns) ? header.columns : [];
  const examples = examplesOf(format, names, rows);
  const isOdoo = format.isOdoo?.(rows, rules.resource) ?? isOdooExport(names, examples);
  const columns = new ColumnMatcher({ ...rules, ...decisions }, isOdoo && format.hasHeader ? examples : undefined);
  const matched = columns.match(names);
  const sampled = [...sampledTexts(format, rows, columns)];
  const questions: Question[] = [];
  const decimal = decisions.decimal ?? decimalSign(sampled, facts, questions);
  const dates = decisions.dates ?? dateOrder(sampled, questions);
  if (questions.length > 0) throw new Undecided(questions);
  const emptyText = decisions.emptyText ?? (facts.isQuoted ? 'null' : 'keep');
  const texts = new TextCells({ ...decisions, decimal, dates, emptyText }, isOdoo);
  const hasTimes = matched.targets.some(({ field }) => field !== REMOVED && field?.type === 'timestamp');
  return {
    columns,
    texts,
    isNoteworthy: format.hasHeader || isOdoo,
    recognised: (notes) => ({
      format: format.name,
      ...(facts.encoding !== undefined && { encoding: facts.encoding }),
      ...(facts.delimiter !== undefined && { delimiter: facts.delimiter === '\t' ? 'tab' : facts.delimiter }),
      ...(facts.sheet !== undefined && { sheet: facts.sheet }),
      ...(texts.decimal !== undefined && sampled.some(isSeparated) && { decimal: texts.decimal }),
      ...(texts.dates !== undefined && { dates: texts.dates.text }),
      ...(decisions.timezone !== undefined && hasTimes && { timezone: decisions.timezone }),
      ...(isOdoo && { origin: 'odoo' as const }),
      columns: recognisedColumns(matched, examples),
      notes: [
        ...(isOdoo && format.hasHeader && hasTimes && decisions.timezone === undefined
          ? ['Odoo writes times in the time zone of the user who exports them. They were read as UTC.']
          : []),
        ...notes,
      ],
    }),
  };
}

function isReadable({ length }: readonly string[]): boolean {
  return length <= MAX_COLUMNS;
}

function recognisedColumns(
  { names, targets }: Columns,
  examples: readonly (readonly string[])[],
): Recognised['columns'] {
  return names.map((column, index) => {
    const { field, reason } = targets[index] ?? {};
    const name = field === REMOVED ? REMOVED : (field?.name ?? null);
    return {
      column: truncated(column),
      field: name,
      ...(reason !== undefined && { reason }),
      examples: examples[index] ?? [],
    };
  });
}

/** The first cells of each column that are not empty. */
function examplesOf<Cell>(
  format: Format<Cell>,
  names: readonly string[],
  rows: readonly RawRow<Cell>[],
): readonly (readonly string[])[] {
  const examples = names.map((): string[] => []);
  for (const row of rows) {
    if (row.kind !== 'row') continue;
    examples.forEach((found, index) => {
      const cell = row.cells[index];
      if (cell === undefined || found.length >= EXAMPLES || format.isEmpty(cell)) return;
      const text = format.text(cell);
      if (!found.includes(text)) found.push(text);
    });
  }
  return examples;
}

/** The cells of numbers and times that are text. */
function* sampledTexts<Cell>(
  format: Format<Cell>,
  rows: readonly RawRow<Cell>[],
  columns: ColumnMatcher,
): Iterable<Sampled> {
  if (!format.hasHeader) return;
  for (const row of rows) {
    if (row.kind !== 'row' || !isReadable(row.columns)) continue;
    const { names, targets } = columns.match(row.columns);
    for (const [index, { field }] of targets.entries()) {
      if (field === undefined || field === REMOVED || !(isNumeric(field) || field.type === 'timestamp')) continue;
      const cell = row.cells[index];
      const text = cell === undefined ? undefined : format.words(cell);
      if (text !== undefined && text.trim() !== '') yield { column: names[index] ?? '', field, text };
    }
  }
}

/** Whether the decimal sign matters for it. */
function isSeparated({ field, text }: Sampled): boolean {
  return isNumeric(field) && /[.,]/.test(text);
}

/**
 * Undefined if no number says so. Whoever separates cells by commas writes decimal points, unless a number shows otherwise; with other delimiters,
 * `1.299` alone can mean both.
 */
function decimalSign(
  sampled: readonly Sampled[],
  { delimiter }: FileFacts,
  questions: Question[],
): DecimalSign | undefined {
  const numbers = sampled.filter(isSeparated).map((one) => ({ ...one, signs: signsOf(one.text) }));
  const onlyWith = (sign: DecimalSign) => numbers.find(({ signs }) => signs.length === 1 && signs[0] === sign);
  const [point, comma] = [onlyWith('.'), onlyWith(',')];
  if (point !== undefined && comma !== undefined) {
    questions.push({
      option: 'decimal',
      column: comma.column,
      question: `${comma.column} has ${comma.text}, with a decimal comma, and ${point.column} has ${point.text}, with a decimal point. Which one is right?`,
      choices: [
        { value: ',', meaning: `a comma; ${point.text} will be an error` },
        { value: '.', meaning: `a point; ${comma.text} will be an error` },
      ],
    });
    return undefined;
  }
  if (comma !== undefined) return ',';
  const ambiguous = numbers.filter(
    ({ signs, text }) => signs.length === 2 && !(delimiter === ',' && text.includes('.')),
  );
  const [first, ...others] = ambiguous;
  if (point === undefined && first !== undefined)
    questions.push(decimalQuestion(first.column, first.text, textsOf(others, first)));
  return point !== undefined || delimiter === ',' ? '.' : undefined;
}

/** Of the same column. */
function textsOf(sampled: readonly Sampled[], { column }: Sampled): readonly string[] {
  return sampled.filter((other) => other.column === column).map(({ text }) => text);
}

/** Undefined if all dates are ISO 8601, or cannot be read at all. */
function dateOrder(sampled: readonly Sampled[], questions: Question[]): DatePattern | undefined {
  const others = sampled.filter(
    ({ field, text }) => field.type === 'timestamp' && readDate(text, undefined, undefined) === undefined,
  );
  const [first] = others;
  if (first === undefined) return undefined;
  const patterns = patternsOf(first.text).filter((pattern) =>
    others.every(({ text }) => patternsOf(text).length === 0 || readDate(text, pattern, undefined) !== undefined),
  );
  if (patterns.length > 1) questions.push(datesQuestion(first.column, first.text, patterns, textsOf(others, first)));
  return patterns.length === 1 ? patterns[0] : undefined;
}
