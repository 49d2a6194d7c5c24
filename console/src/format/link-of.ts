/** What a click on a value opens: a letter to an e-mail address, a call to a phone number. */

import type { Field } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';

/** Without spaces, and with one `@`. Whether it exists is found out by writing to it. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** `+49 (30) 1234-56 / 7`. */
const NUMBER = /^\+?[\d\s()/.-]{3,}$/;

/** Undefined if the value is not a valid address, even if the field is one of addresses. */
export function linkOf({ kind }: Field, value: Value | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  // Encoded, so that no part of it becomes a subject or another recipient.
  if (kind === 'email' && ADDRESS.test(text)) return `mailto:${encodeURIComponent(text).replace('%40', '@')}`;
  if (kind === 'phone' && NUMBER.test(text)) return `tel:${text.replaceAll(/[^\d+]/g, '')}`;
  return undefined;
}
