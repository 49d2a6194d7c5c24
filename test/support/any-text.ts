/** Texts of any Unicode characters. */

import fc from 'fast-check';

const SURROGATES = { from: 0xd8_00, count: 0x8_00 } as const;
const MAX_CODE_POINT = 0x10_ff_ff;

/** As the unit `binary` of fast-check, which first fills a table of all million of them. */
const codePoint = fc
  .nat(MAX_CODE_POINT - SURROGATES.count)
  .map((n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count));

/** Of so many code points. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit: codePoint, ...(maxLength !== undefined && { maxLength }) });
}
