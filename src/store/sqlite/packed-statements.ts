/**
 * Statements on their way to a thread. Consecutive ones with the same text, such as the inserts of a batch, share it, and a text that was sent
 * before is sent as its number: texts are long, and copying them takes longer than running many a statement.
 */

import type { StagedRows, Write } from '../engine/engine.ts';
import type { Parameter } from '../sql/dialect.ts';
import type { Expectation, Statement } from '../sql/statement.ts';

export interface PackedWrite {
  readonly statements: readonly PackedStatements[];
  readonly staged: StagedRows | undefined;
}

interface PackedStatements {
  readonly number: number;
  /** If it was not sent before. */
  readonly text?: string;
  readonly runs: readonly (readonly Parameter[])[];
  readonly expect: Expectation | undefined;
  readonly returnsMany: boolean;
}

/** How many texts are numbered. Most have a kilobyte or two. */
const MAX_TEXTS = 1_000;

/** For one thread, to which everything that is packed has to be sent, in this order. */
export class Packer {
  readonly #numbers = new Map<string, number>();

  pack({ statements, staged }: Write): PackedWrite {
    const packed: (PackedStatements & { readonly runs: (readonly Parameter[])[] })[] = [];
    let lastText: string | undefined;
    for (const { text, parameters, expect, returnsMany = false } of statements) {
      const last = packed.at(-1);
      if (last !== undefined && lastText === text && last.expect === expect) last.runs.push(parameters);
      else packed.push({ ...this.#numbered(text), runs: [parameters], expect, returnsMany });
      lastText = text;
    }
    return { statements: packed, staged };
  }

  /** Sends all texts again: the thread may be another one, or may not have got them. */
  reset(): void {
    this.#numbers.clear();
  }

  #numbered(text: string): Pick<PackedStatements, 'number' | 'text'> {
    const known = this.#numbers.get(text);
    if (known !== undefined) return { number: known };
    // The thread begins anew as well: it replaces the text of a number.
    if (this.#numbers.size === MAX_TEXTS) this.#numbers.clear();
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    return { number, text };
  }
}

export class Unpacker {
  readonly #texts: string[] = [];

  unpack({ statements, staged }: PackedWrite): Write {
    return { statements: statements.flatMap((packed) => this.#unpacked(packed)), staged };
  }

  #unpacked({ number, text, runs, expect, returnsMany }: PackedStatements): readonly Statement[] {
    if (text !== undefined) this.#texts[number] = text;
    const known = this.#texts[number];
    if (known === undefined) throw new Error('a statement arrived without its text');
    const options = { ...(expect !== undefined && { expect }), ...(returnsMany && { returnsMany }) };
    return runs.map((parameters) => ({ text: known, parameters, ...options }));
  }
}
