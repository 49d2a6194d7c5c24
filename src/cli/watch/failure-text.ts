/** The text beside a file in `failed/`: why it was not loaded, and what to do. */

import { RULES_FILE } from '../../import/words.ts';
import { visibleText } from '../../problem/visible-text.ts';
import { type Clock, timestamp } from '../../schedule/clock.ts';
import { errorLines } from '../file-format.ts';
import type { LoadableFile, Refusal } from './destination.ts';

interface FailurePlace {
  readonly account: string;
  /** Of the file in `failed/`. */
  readonly name: string;
  /** The name of the file with the rejected rows. */
  readonly rejects: string | undefined;
}

export function failureText(
  { resource, format }: LoadableFile,
  { code, detail, suggestion, errors }: Refusal,
  { account, name, rejects }: FailurePlace,
  clock: Clock,
): string {
  const what = errors === undefined ? [detail] : errorLines(errors, format);
  const where = rejects === undefined ? [] : ['', `The rows that cannot be imported are in ${rejects}, unchanged.`];
  const lines = [
    `${name} was not imported as ${resource.plural} of ${account}: ${code}. Nothing was changed.`,
    `(${timestamp(clock)})`,
    '',
    ...what,
    ...where,
    '',
    'What to do:',
    ...(errors === undefined ? [] : [`- Correct these rows in ${name}.`]),
    ...(errors !== undefined || suggestion === undefined ? [] : [`- ${suggestion}`]),
    `- Move ${name} back into the folder that is watched. All of its rows are imported then, or none.`,
    `- What is the same for every file, such as other names of columns, belongs into ${RULES_FILE}.`,
  ];
  return `${lines.map(visibleText).join('\n')}\n`;
}
