/** The page that a problem's `type` links to. */

import { type ProblemCode, type ProblemKind, registry } from './registry.ts';

export const PROBLEMS_PATH = '/problems';

export function problemPage(code: string): string | undefined {
  if (!isCode(code)) return undefined;
  const { status, title, hint }: ProblemKind = registry[code];
  return `${code}\n\n${status} ${title}\n\n${hint}\n`;
}

function isCode(code: string): code is ProblemCode {
  return Object.hasOwn(registry, code);
}
