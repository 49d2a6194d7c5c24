/** Escapes what cannot be seen in the literals of generated code, so that the code reads as what it does. */

/** `long` writes the escape of a code point of more than four digits, which languages write differently. */
export function escapeInvisible(literal: string, long: (hex: string) => string): string {
  return literal.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? long(hex) : `\\u${hex.padStart(4, '0')}`;
  });
}
