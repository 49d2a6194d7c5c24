/** Where a mirror says what it does. */
export interface MirrorLog {
  event(text: string): void;
  warning(text: string): void;
}

/** In records. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}
