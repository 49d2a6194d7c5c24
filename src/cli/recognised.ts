/** What an import has recognised in a file, for people: lines about what they might want to check, questions, and the first records. */

import { createInterface } from 'node:readline/promises';
import type { Resource } from '../catalog/resource.ts';
import type { Decisions, Question, QuestionOption, Recognised } from '../import/decisions.ts';
import type { Found } from '../import/import-plan.ts';
import { SIGN_NAMES } from '../import/numbers.ts';
import { COMMAND_WORDS } from '../import/words.ts';
import { CommandError } from './command-error.ts';
import { fittedTable } from './fitted-table.ts';
import { printNote, printResult } from './output.ts';

const DELIMITER_NAMES: Readonly<Record<string, string>> = { ';': 'semicolons', tab: 'tabs', '|': 'vertical bars' };

/** Nothing about columns that were given, and about a file that is as documented: UTF-8, commas, decimal points, columns named after fields. */
export function recognisedLines({ columns, notes, ...file }: Recognised, given: Decisions): readonly string[] {
  const { origin, encoding, delimiter = ',', sheet, decimal, dates, timezone } = file;
  const facts = [
    ...(origin === 'odoo' ? ['an export of Odoo'] : []),
    ...(encoding === undefined || encoding === 'utf-8' ? [] : [encoding]),
    ...(sheet === undefined ? [] : [`the sheet ${sheet}`]),
    ...(DELIMITER_NAMES[delimiter] === undefined ? [] : [DELIMITER_NAMES[delimiter]]),
    ...(decimal === ',' ? [`decimal ${SIGN_NAMES[decimal]}`] : []),
    ...(dates === undefined ? [] : [`dates as ${dates}`]),
    ...(timezone === undefined ? [] : [`times in ${timezone}`]),
  ];
  const others = columns.filter(({ column, field }) => column !== '' && field !== column && !given.columns.has(column));
  const renamed = others.filter(({ field }) => field !== null);
  const ignored = others.filter(({ field }) => field === null);
  return [
    ...(facts.length === 0 ? [] : [`Recognised: ${facts.join(', ')}.`]),
    ...(renamed.length === 0
      ? []
      : [`Columns: ${renamed.map(({ column, field }) => `${column} is ${field}`).join(', ')}.`]),
    ...(ignored.length === 0
      ? []
      : [`Ignored: ${ignored.map(({ column, reason = '' }) => `${column} (${reason})`).join(', ')}.`]),
    ...notes,
  ];
}

/** The first records as they would be stored, as wide as the terminal. */
export function printPreview({ fields }: Resource, preview: Found['preview']): void {
  const shown = fields.filter(({ name }) => preview.some((record) => name in record));
  const columns = shown.map(({ name, type }, index) => ({
    title: name,
    align: type === 'number' || type === 'integer' ? ('right' as const) : ('left' as const),
    ...(type === 'text' && { least: 12 }),
    ...(index > 1 && { rank: shown.length - index }),
  }));
  const rows = preview.map((record) => shown.map(({ name }) => String(record[name] ?? '')));
  if (rows.length > 0) printResult(...fittedTable(columns, rows, process.stdout.columns ?? 120), '');
}

/** Asks on the terminal. Returns the options that answer the questions. */
export async function ask(questions: readonly Question[]): Promise<Partial<Record<QuestionOption, string>>> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answers: Partial<Record<QuestionOption, string>> = {};
  try {
    for (const { option, question, choices } of questions) {
      printNote(question, ...choices.map(({ meaning }, index) => `  ${index + 1}  ${meaning}`));
      const number = Number(await terminal.question(`1 to ${choices.length}: `));
      const chosen = choices[number - 1];
      if (chosen === undefined) throw new CommandError('Nothing was chosen, and nothing was changed.');
      answers[option] = chosen.value;
      printNote(`Next time, ${COMMAND_WORDS.answer(option, chosen.value)} answers this.`);
    }
  } finally {
    terminal.close();
  }
  return answers;
}
