/** The errors of a file: the first of them and how many there are. It stays small however many there are. */

import { MAX_REPORTED_ERRORS, type RowError, type RowErrors } from '../store/store.ts';

export class ErrorList implements RowErrors {
  readonly first: RowError[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(error: RowError): void {
    this.#count += 1;
    if (this.first.length < MAX_REPORTED_ERRORS) this.first.push(error);
  }
}
