/** What is asked before records are added that seem to be there already: whether the rows change them, or are added once more. */

import { id } from '../catalog/resource.ts';
import type { AddedAgain, AddedCode } from '../store/store.ts';
import type { Question, Recognised } from './decisions.ts';
import type { ImportPlan } from './import-plan.ts';

export function addedAgainQuestion(
  again: AddedAgain,
  { resource: { name, plural } }: ImportPlan,
  recognised?: Recognised,
): Question {
  const { rows, codes, importedAt } = again;
  const known = codes.filter(({ taken }) => taken > 0);
  const hasIds = again.identified > 0 || recognised?.columns.some(({ field }) => field === id.name);
  const flawOf = (code: AddedCode) => (hasIds ? 'rows have ids' : flawOfCode(code, rows, plural));
  // Nobody has used the codes of rows that are only known as a whole.
  const keys = known.length > 0 ? known : codes.filter((code) => flawOf(code) === undefined).slice(0, 1);
  const reasons = known.map(({ field, taken }) =>
    taken === 1
      ? `1 of the ${rows} new rows has the ${field.name} of a ${name} that exists`
      : `${taken} of the ${rows} new rows have the ${field.name} of ${plural} that exist`,
  );
  const found = [...reasons, ...(importedAt === undefined ? [] : [`the same content was imported at ${importedAt}`])];
  const flaws = keys.flatMap((code) => {
    const flaw = flawOf(code);
    return flaw === undefined ? [] : [` ${code.field.name} cannot be the key: ${flaw}.`];
  });
  const count = rows === 1 ? `1 ${name}` : `${rows} ${plural}`;
  const them = rows === 1 ? 'it' : 'them';
  return {
    option: 'add',
    question: `The import would add ${count}, but ${found.join(', and ')}.${flaws.join('')}`,
    choices: [
      ...keys
        .filter((code) => flawOf(code) === undefined)
        .map(({ field }) => ({
          option: 'key' as const,
          value: field.name,
          meaning: `changes the ${plural} with the same ${field.name}, and adds the others`,
        })),
      // No two records may have the same value.
      ...(known.some(({ field }) => field.unique) ? [] : [{ value: 'true', meaning: `adds ${them} once more` }]),
    ],
  };
}

/** Why it cannot be the key; undefined if it can. */
function flawOfCode({ field, given, repeated, shared }: AddedCode, rows: number, plural: string): string | undefined {
  const some = (count: number) => `${count} of the ${rows} new rows ${count === 1 ? 'has' : 'have'}`;
  if (given < rows) return `${some(rows - given)} no ${field.name}`;
  if (repeated > 0) return `${some(repeated)} a ${field.name} that another row has`;
  return shared > 0 ? `${some(shared)} a ${field.name} that several ${plural} have` : undefined;
}
