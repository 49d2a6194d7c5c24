/** Operators that people bring from other languages, and what says the same here. For error messages only. */

const FOREIGN: readonly { readonly written: RegExp; readonly here: string }[] = [
  { written: /^is +not +null\b/i, here: '!=null' },
  { written: /^is +null\b/i, here: '=null' },
  { written: /^not +in\b/i, here: '![1,2,3]' },
  { written: /^in\b/i, here: '[1,2,3]' },
  { written: /^not +i?like\b/i, here: '!*text' },
  { written: /^(i?like|contains)\b|^~/i, here: '*text' },
  { written: /^(neq|ne)\b|^(≠|<>)/i, here: '!=value' },
  { written: /^(eq|is)\b|^:/i, here: '=value' },
  { written: /^(gte|ge)\b|^≥/i, here: '>=value' },
  { written: /^(lte|le)\b|^≤/i, here: '<=value' },
  { written: /^gt\b/i, here: '>value' },
  { written: /^lt\b/i, here: '<value' },
];

/** `name like x` is written `name*text` here. */
export function translatedOperator(field: string, rest: string): string | undefined {
  if (/^between\b/i.test(rest)) return `${field}>=1&${field}<=9`;
  const foreign = FOREIGN.find(({ written }) => written.test(rest));
  return foreign && field + foreign.here;
}
