/** How far a load is once its rows have been read. Whatever runs its statements, on any thread, counts those that it has finished. */

/** Once it is committed, the records of a load may still have to join the search index. */
export type LoadPhase = 'checking' | 'writing' | 'committing' | 'indexing';

export class LoadProgress {
  /** How many statements are finished, in memory that threads share. */
  readonly finished = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #phases: readonly LoadPhase[] = [];
  /** From 0 to 1; undefined before indexing begins. */
  #indexed: number | undefined;

  /** `phases` has the phase of every statement, in their order. */
  begin(phases: readonly LoadPhase[]): void {
    this.#phases = phases;
  }

  /** `fraction` of the records are in the search index. */
  index(fraction: number): void {
    this.#indexed = fraction;
  }

  /** Undefined before it has begun. The fraction is of the phase, from 0 to 1; nobody knows it of committing. */
  get current(): { readonly phase: LoadPhase; readonly fraction: number | undefined } | undefined {
    if (this.#indexed !== undefined) return { phase: 'indexing', fraction: this.#indexed };
    if (this.#phases.length === 0) return undefined;
    const finished = Atomics.load(this.finished, 0);
    const phase = this.#phases[finished];
    if (phase === undefined) return { phase: 'committing', fraction: undefined };
    const countUpTo = (end: number) => this.#phases.slice(0, end).filter((each) => each === phase).length;
    return { phase, fraction: countUpTo(finished) / countUpTo(this.#phases.length) };
  }
}
