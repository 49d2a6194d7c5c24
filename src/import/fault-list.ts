/** The faults of a file: the first of them, and how many there are. However many there are, it stays small. */

import { type Faults, MOST_FAULTS, type RowFault } from '../store/store.ts';

export class FaultList implements Faults {
  readonly first: RowFault[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(fault: RowFault): void {
    this.#count += 1;
    if (this.first.length < MOST_FAULTS) this.first.push(fault);
  }
}
