/** Another record has a value that is to be unique. */
export interface ValueTaken {
  readonly kind: 'value taken';
  /** The name of the field. */
  readonly field: string;
  readonly value: string;
}
