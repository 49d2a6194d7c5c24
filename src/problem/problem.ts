/** What is wrong with a request: a value that a stage returns instead of its result. */

import type { ProblemCode } from './registry.ts';

/** The parts of a problem that depend on the request. */
export interface Circumstances {
  /** The query parameter or body key at fault. */
  readonly parameter?: string;
  /** The column in the filter, from 1. */
  readonly position?: number;
  /** How to repair this very request, in a sentence. */
  readonly suggestion?: string;
  /** Parameters that would make this request right, to be told as a whole request. */
  readonly repaired?: Readonly<Record<string, string>>;
  /** Header fields that the status calls for, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly circumstances: Circumstances;

  constructor(code: ProblemCode, detail: string, circumstances: Circumstances = {}) {
    this.code = code;
    this.detail = detail;
    this.circumstances = circumstances;
  }
}
