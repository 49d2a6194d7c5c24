/** The pages that the `type` of a problem links to, as text. */

import { type ProblemKind, registry } from './registry.ts';

export const PROBLEMS_PATH = '/problems';

export function problemText(code: string, { status, title, hint }: ProblemKind): string {
  return `${code}\n\n${status} ${title}\n\n${hint}\n`;
}

/** All problems, one per line. */
export function problemListText(): string {
  const rows = Object.entries<ProblemKind>(registry);
  const width = Math.max(...rows.map(([code]) => code.length));
  const lines = rows.map(([code, { status, title }]) => `${code.padEnd(width)}  ${status}  ${title}\n`);
  return `${lines.join('')}\n${PROBLEMS_PATH}/{code} explains each of them.\n`;
}
