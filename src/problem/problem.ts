/** What is wrong with a request: a value that a stage returns instead of its result. */

import { type ProblemCode, registry } from './registry.ts';

/** What is specific to one request. */
export interface ProblemContext {
  /** The query parameter or body member at fault. */
  readonly parameter?: string;
  /** The column in the filter, starting at 1. */
  readonly position?: number;
  /** How to fix this request, in a sentence. */
  readonly suggestion?: string;
  /** Parameters that would fix this request; undefined for one that has to go. The suggestion then ends with the whole fixed request. */
  readonly fixed?: Readonly<Record<string, string | undefined>>;
  /** Whether these are all parameters of the fixed request. */
  readonly isWhole?: boolean;
  /** Further members of the response. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Headers that the status calls for, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly context: ProblemContext;

  constructor(code: ProblemCode, detail: string, context: ProblemContext = {}) {
    this.code = code;
    this.detail = detail;
    this.context = context;
  }
}

/** A problem that is part of something else, and not the response to the request. */
export function problemMembers({ code, detail, context: { parameter, suggestion, members } }: Problem): object {
  const { title, status, hint } = registry[code];
  return { title, status, detail, code, parameter, suggestion: suggestion ?? hint, ...members };
}
