/** Values as the program holds them, and what is wrong with one that does not fit. */

/** A timestamp is its text in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. */
export type Value = string | number | boolean;

/** A value that does not fit its type or field. */
export class Mismatch {
  /** Follows the field's name: "must be true or false". */
  readonly requirement: string;
  /** The text that was probably meant. */
  readonly meant: string | undefined;
  /** How it would be read if less was expected of it: "without the currency". */
  readonly lenient: string | undefined;

  constructor(requirement: string, meant?: string, lenient?: string) {
    this.requirement = requirement;
    this.meant = meant;
    this.lenient = lenient;
  }
}
