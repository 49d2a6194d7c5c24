/** Another request has used an idempotency key. */

export interface KeyReused {
  readonly kind: 'key reused';
  /** The fingerprint of that request. */
  readonly identity: string;
}
