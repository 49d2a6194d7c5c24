/** Asks for confirmation before data is deleted. In a script, where nobody can reply, the command itself is the confirmation. */

import { createInterface } from 'node:readline/promises';

export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
