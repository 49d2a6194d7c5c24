/**
 * What the first rows of a file say about all of them: which column is which field, whether Odoo has written it, which decimal sign and which order
 * of day and month it uses. Nothing is guessed: what has two meanings is a question.
 */

import { type Field, id } from '../catalog/resource.ts';
import { isNumeric, isText } from '../catalog/value-types.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { ColumnMatcher, type ColumnRules, type Columns, REMOVED } from './columns.ts';
import { type DatePattern, patternsOf, readDate } from './dates.ts';
import { type Decisions, type Question, type Recognised, Undecided } from './decisions.ts';
import type { FileFacts, Format, RawRow } from './format.ts';
import { eased } from './lenient.ts';
import { type DecimalSign, SIGN_NAMES, signsOf } from './numbers.ts';
import { isOdooExport } from './odoo.ts';
import { MAX_COLUMNS } from './row-reader.ts';
import { datesQuestion, decimalQuestion, TextCells } from './text-cells.ts';

/** How many rows it looks at, at most, and how much text they may have, in characters. */
export const SAMPLE_ROWS = 1_000;
export const SAMPLE_LENGTH = 256 * 1024;

/** How many cells of a column decide. */
const SAMPLED_CELLS = 200;

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
  rules: Omit<ColumnRules, 'columns' | 'ignoreUnknown'>,
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
  const isReadableHeader = matched.errors.length === 0 && matched.unknown.length === 0;
  const sampled = isReadableHeader ? [...sampledTexts(format, rows, columns, decisions.lenient)] : [];
  const questions: Question[] = [];
  const decimals = decisions.decimal === undefined ? decimalSigns(sampled, facts, questions) : new Map();
  const dates = decisions.dates ?? dateOrder(sampled, questions);
  const decimal = decisions.decimal ?? usualSign(decimals, facts);
  const emptyText = decisions.emptyText ?? (facts.isQuoted ? 'null' : 'keep');
  const marked = markedFields(sampled);
  const texts = new TextCells({ ...decisions, decimal, dates, emptyText }, isOdoo, { decimals, marked });
  const fields = matched.targets.flatMap(({ field }) => (field === undefined || field === REMOVED ? [] : [field]));
  const hasTimes = fields.some(({ type }) => type === 'timestamp');
  const recognised = (notes: readonly string[]): Recognised => {
    const signs = new Set(texts.decimals.values());
    const [sign] = signs;
    return {
      format: format.name,
      ...(facts.encoding !== undefined && { encoding: facts.encoding }),
      ...(facts.delimiter !== undefined && { delimiter: facts.delimiter === '\t' ? 'tab' : facts.delimiter }),
      ...(facts.sheet !== undefined && { sheet: facts.sheet }),
      ...(facts.headerRow !== undefined && { headerRow: facts.headerRow }),
      ...(sign !== undefined && signs.size === 1 && { decimal: sign }),
      ...(texts.dates !== undefined && { dates: texts.dates.text }),
      ...(decisions.timezone !== undefined && hasTimes && { timezone: decisions.timezone }),
      ...(facts.isQuoted && emptyText === 'null' && { emptyText }),
      ...(isOdoo && { origin: 'odoo' as const }),
      columns: recognisedColumns(matched, examples),
      notes: [
        ...aboveNotes(facts, format.unit),
        ...(signs.size > 1 ? [...texts.decimals].map(signNote) : []),
        ...[...marked].map(({ name }) => `${name}: x is true, and an empty cell is false.`),
        ...(isOdoo && format.hasHeader
          ? odooNotes(fields, rules.key, hasTimes && decisions.timezone === undefined)
          : []),
        ...notes,
      ],
    };
  };
  const isNoteworthy = format.hasHeader || isOdoo;
  if (questions.length > 0) throw new Undecided(firstOfEach(questions), isNoteworthy ? recognised([]) : undefined);
  return { columns, texts, isNoteworthy, recognised };
}

function aboveNotes({ above }: FileFacts, unit: Format<unknown>['unit']): readonly string[] {
  const rows = above?.text(unit);
  if (rows === undefined) return [];
  return [`Above the names of the columns, ${rows} ${above?.isOne ? 'was' : 'were'} left out.`];
}

function signNote([{ name }, sign]: readonly [Field, DecimalSign]): string {
  return `${name}: numbers have a decimal ${SIGN_NAMES[sign]}.`;
}

function odooNotes(fields: readonly Field[], key: Field, hasUnknownTimes: boolean): readonly string[] {
  return [
    ...(key === id && !fields.includes(id)
      ? ['The file has no column .id, so its rows are added as new records. Export .id, or choose another key.']
      : []),
    ...(hasUnknownTimes
      ? ['Odoo writes times in the time zone of the user who exports them. They were read as UTC.']
      : []),
  ];
}

/** An option has one value. */
function firstOfEach(questions: readonly Question[]): readonly Question[] {
  return questions.filter(({ option }, index) => questions.findIndex((other) => other.option === option) === index);
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
      column,
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

/** The cells that are text, although the field is none. */
function* sampledTexts<Cell>(
  format: Format<Cell>,
  rows: readonly RawRow<Cell>[],
  columns: ColumnMatcher,
  isLenient = false,
): Iterable<Sampled> {
  if (!format.hasHeader) return;
  const counts = new Map<Field, number>();
  for (const row of rows) {
    if (row.kind !== 'row' || !isReadable(row.columns)) continue;
    const { names, targets } = columns.match(row.columns);
    for (const [index, { field }] of targets.entries()) {
      if (field === undefined || field === REMOVED || isText(field)) continue;
      const cell = row.cells[index];
      const words = cell === undefined ? undefined : format.words(cell);
      const text = words !== undefined && isLenient ? eased(field, words).text : words;
      if (text === undefined || text.trim() === '') continue;
      const count = counts.get(field) ?? 0;
      counts.set(field, count + 1);
      if (count < SAMPLED_CELLS) yield { column: names[index] ?? '', field, text };
    }
  }
}

/** Whether the decimal sign matters for it. */
function isSeparated({ field, text }: Sampled): boolean {
  return isNumeric(field) && /[.,]/.test(text);
}

/** That of each column whose numbers show one. A column that shows none has that of the others, if they agree. */
function decimalSigns(
  sampled: readonly Sampled[],
  facts: FileFacts,
  questions: Question[],
): ReadonlyMap<Field, DecimalSign> {
  const columns = Map.groupBy(sampled.filter(isSeparated), ({ field }) => field);
  const signs = new Map<Field, DecimalSign>();
  for (const [field, cells] of columns) {
    const onlyWith = (sign: DecimalSign) => cells.find(({ text }) => signsOf(text).join('') === sign);
    const [point, comma] = [onlyWith('.'), onlyWith(',')];
    if (point !== undefined && comma !== undefined) questions.push(mixedQuestion(comma, point));
    else if (point !== undefined || comma !== undefined) signs.set(field, comma === undefined ? '.' : ',');
  }
  const usual = usualSign(signs, facts);
  for (const [field, cells] of columns) {
    const [first, ...others] = signs.has(field) ? [] : cells.filter(({ text }) => signsOf(text).length === 2);
    // With commas between cells, a comma within one has to be in quotes, which says that it means something.
    const isUsual = usual !== undefined && !(signs.size === 0 && first?.text.includes(','));
    if (first !== undefined && !isUsual)
      questions.push(decimalQuestion(first.column, first.text, textsOf(others, first)));
  }
  return signs;
}

/** That of the columns that show one. If none does, programs that separate cells by commas write decimal points. */
function usualSign(signs: ReadonlyMap<Field, DecimalSign>, { delimiter }: FileFacts): DecimalSign | undefined {
  const shown = new Set(signs.values());
  const [sign] = shown;
  if (shown.size > 1) return undefined;
  return sign ?? (delimiter === ',' ? '.' : undefined);
}

function mixedQuestion(comma: Sampled, point: Sampled): Question {
  return {
    option: 'decimal',
    column: truncated(comma.column),
    question: `${truncated(comma.column)} has ${quoted(comma.text.trim())}, with a decimal comma, and ${quoted(point.text.trim())}, with a decimal point. Which one is right?`,
    choices: [
      { value: ',', meaning: `a comma; ${quoted(point.text.trim())} is an error` },
      { value: '.', meaning: `a point; ${quoted(comma.text.trim())} is an error` },
    ],
  };
}

/** The fields that are true or false, and have no other word than x. */
function markedFields(sampled: readonly Sampled[]): ReadonlySet<Field> {
  const columns = Map.groupBy(
    sampled.filter(({ field }) => field.type === 'boolean'),
    ({ field }) => field,
  );
  const marked = [...columns].filter(([, cells]) => cells.every(({ text }) => text.trim().toLowerCase() === 'x'));
  return new Set(marked.map(([field]) => field));
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
