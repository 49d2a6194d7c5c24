/** What an import has recognised in a file, for people: lines about what they might want to check, questions, and the first records. */

import { createInterface, type Interface } from 'node:readline/promises';
import type { Resource } from '../catalog/resource.ts';
import type { Choice, Decisions, GivenOptions, Question, Recognised } from '../import/decisions.ts';
import type { Found } from '../import/import-plan.ts';
import { SIGN_NAMES } from '../import/numbers.ts';
import { COMMAND_WORDS } from '../import/words.ts';
import { CommandError } from './command-error.ts';
import { fittedTable } from './fitted-table.ts';
import { printNote, printResult } from './output.ts';

const DELIMITER_NAMES: Readonly<Record<string, string>> = { ';': 'semicolons', tab: 'tabs', '|': 'vertical bars' };

/** Nothing about columns that were given, and about a file that is as documented: UTF-8, commas, decimal points, columns named after fields. */
export function recognisedLines({ columns, notes, ...file }: Recognised, given: Decisions): readonly string[] {
  const { origin, encoding, delimiter = ',', sheet, headerRow = 1, decimal, dates, timezone } = file;
  const facts = [
    ...(origin === 'odoo' ? ['an export of Odoo'] : []),
    ...(encoding === undefined || encoding === 'utf-8' ? [] : [encoding]),
    ...(sheet === undefined ? [] : [`the sheet ${sheet}`]),
    ...(headerRow === 1 ? [] : [`the names of columns in row ${headerRow}`]),
    ...(DELIMITER_NAMES[delimiter] === undefined ? [] : [DELIMITER_NAMES[delimiter]]),
    ...(decimal === ',' ? [`decimal ${SIGN_NAMES[decimal]}`] : []),
    ...(dates === undefined ? [] : [`dates as ${dates}`]),
    ...(timezone === undefined ? [] : [`times in ${timezone}`]),
  ];
  const others = columns.filter(({ column, field }) => column !== '' && field !== column && !given.columns.has(column));
  const renamed = others.filter(({ field }) => field !== null);
  // Unknown ones are in the error.
  const ignored = others.filter(({ field, reason }) => field === null && reason !== undefined);
  return [
    ...(facts.length === 0 ? [] : [`Recognised: ${facts.join(', ')}.`]),
    ...(renamed.length === 0
      ? []
      : [`Columns: ${renamed.map(({ column, field }) => `${column} is ${field}`).join(', ')}.`]),
    ...(ignored.length === 0
      ? []
      : [`Ignored: ${ignored.map(({ column, reason }) => `${column} (${reason})`).join(', ')}.`]),
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

/** Empty if there is none: Ctrl-C or Ctrl-D was typed. */
async function answerTo(prompt: string, terminal: Interface): Promise<string> {
  try {
    return await terminal.question(prompt);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return '';
    throw error;
  }
}

/** Asks on the terminal. Returns the options that answer the questions. */
export async function ask(questions: readonly Question[]): Promise<GivenOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  let answers: GivenOptions = {};
  try {
    for (const { option: asked, question, choices } of questions) {
      if (choices.length === 0) throw new CommandError(`${question} Nothing was changed.`);
      const words = ({ option = asked, value }: Choice) => COMMAND_WORDS.answer(option, value);
      const shown = (choice: Choice) => (asked === 'add' ? words(choice) : choice.value);
      printNote(question, ...choices.map((choice, index) => `  ${index + 1}  ${shown(choice)}: ${choice.meaning}`));
      const number = Number(await answerTo(`1 to ${choices.length}: `, terminal));
      const chosen = choices[number - 1];
      if (chosen === undefined) throw new CommandError('Nothing was chosen, and nothing was changed.');
      const { option = asked, value } = chosen;
      answers = { ...answers, ...(option === 'add' ? { add: true } : { [option]: value }) };
      printNote(`Next time, ${words(chosen)} answers this.`);
    }
  } finally {
    terminal.close();
  }
  return answers;
}
