/**
 * API keys: `sbk_` + public id + `_` + secret + checksum, one word of letters, digits and `_`.
 *
 *     sbk_4fJ0aPq2LwZ8_n3V…  28 more characters …  1kQx9B
 *         └ identifies it └ proves it              └ detects a mistyped key without a database lookup
 *
 * Only the SHA-256 of the secret is stored, so a key can be shown only once, when it is issued.
 */

import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 32 characters out of 62 carry 190 bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const FORM = new RegExp(
  `^sbk_([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

export interface Key {
  readonly id: string;
  readonly secret: string;
}

export function generateKey(): Key {
  return { id: randomWord(ID_LENGTH), secret: randomWord(SECRET_LENGTH) };
}

export function printKey({ id, secret }: Key): string {
  return `sbk_${id}_${secret}${checksum(id, secret)}`;
}

export function readKey(text: string): Key | undefined {
  const [, id, secret, sum] = FORM.exec(text) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(id, secret)) return undefined;
  return { id, secret };
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Takes the same time for every secret, even if there is no hash to compare with. */
export function secretMatches(secret: string, hash: string | undefined): boolean {
  const expected = Buffer.from(hash ?? hashSecret(''), 'hex');
  return timingSafeEqual(Buffer.from(hashSecret(secret), 'hex'), expected) && hash !== undefined;
}

function randomWord(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

function checksum(id: string, secret: string): string {
  let rest = crc32(id + secret);
  let word = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    word = ALPHABET.charAt(rest % ALPHABET.length) + word;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return word;
}
