/** Where a mirror says what it does. */
export interface MirrorLog {
  event(text: string): void;
  warning(text: string): void;
}
