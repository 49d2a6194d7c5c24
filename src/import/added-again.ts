/** What is asked before records are added that seem to be there already: whether the rows change them, or are added once more. */

import type { AddedAgain } from '../store/store.ts';
import type { Question } from './decisions.ts';
import type { ImportPlan } from './import-plan.ts';

export function addedAgainQuestion(
  { rows, codes, importedAt }: AddedAgain,
  { resource: { name, plural }, onRowError }: ImportPlan,
): Question {
  const known = codes.filter(({ taken }) => taken > 0);
  // Nobody has used the codes of rows that are only known as a whole.
  const keys = known.length > 0 ? known : codes.filter(({ given }) => given === rows).slice(0, 1);
  const reasons = known.map(({ field, taken }) =>
    taken === 1
      ? `1 of the ${rows} new rows has the ${field.name} of a ${name} that exists`
      : `${taken} of the ${rows} new rows have the ${field.name} of ${plural} that exist`,
  );
  const found = [...reasons, ...(importedAt === undefined ? [] : [`the same content was imported at ${importedAt}`])];
  const isUnique = onRowError === 'stop' && known.some(({ field }) => field.unique);
  const count = rows === 1 ? `1 ${name}` : `${rows} ${plural}`;
  const them = rows === 1 ? 'it' : 'them';
  return {
    option: 'add',
    question: `The import would add ${count}, but ${found.join(', and ')}.`,
    choices: [
      ...keys.map(({ field }) => ({
        option: 'key' as const,
        value: field.name,
        meaning: `changes the ${plural} with the same ${field.name}, and adds the others`,
      })),
      // No two records may have the same value.
      ...(isUnique ? [] : [{ value: 'true', meaning: `adds ${them} once more` }]),
    ],
  };
}
