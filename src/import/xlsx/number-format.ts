/**
 * Which number formats show a date or a time. A date in a sheet is a number; only its format tells. The codes are those of the file, which do not depend on the
 * language of Excel: `dd/mm/yyyy`, `[$-407]d. mmmm yyyy`, `h:mm AM/PM`.
 */

export type Moment = 'date' | 'time';

/** By id: formats that a file does not define. Those from 27 on are for Chinese, Japanese, Korean and Thai. */
const BUILT_IN: readonly { readonly from: number; readonly to: number; readonly moment: Moment }[] = [
  { from: 14, to: 17, moment: 'date' },
  { from: 18, to: 21, moment: 'time' },
  { from: 22, to: 22, moment: 'date' },
  { from: 27, to: 31, moment: 'date' },
  { from: 32, to: 33, moment: 'time' },
  { from: 34, to: 36, moment: 'date' },
  { from: 45, to: 45, moment: 'time' },
  { from: 47, to: 47, moment: 'time' },
  { from: 50, to: 58, moment: 'date' },
  { from: 71, to: 74, moment: 'date' },
  { from: 75, to: 76, moment: 'time' },
  { from: 77, to: 77, moment: 'date' },
  { from: 78, to: 78, moment: 'time' },
  { from: 80, to: 80, moment: 'time' },
  { from: 81, to: 81, moment: 'date' },
];

export function builtInMoment(id: number): Moment | undefined {
  return BUILT_IN.find(({ from, to }) => from <= id && id <= to)?.moment;
}

/** What is shown as it is: text in quotes, a character after a backslash, and the width or the repetition of one. */
const LITERAL = /"[^"]*"?|[\\_*]./gs;

/** `[h]`, `[mm]`, `[s]`: a duration such as 36:00, which is a number of days. */
const ELAPSED = /\[(h+|m+|s+)\]/i;

/** Colours, conditions, languages and currencies. */
const BRACKETS = /\[[^[\]]*\]/g;

export function momentOf(code: string): Moment | undefined {
  // Other sections are for negative numbers, zero and text.
  const [section = ''] = code.replaceAll(LITERAL, '').split(';');
  if (ELAPSED.test(section)) return undefined;
  const symbols = section
    .replaceAll(BRACKETS, '')
    .replaceAll(/general/gi, '')
    .replaceAll(/am\/pm|a\/p/gi, 'h')
    .replaceAll(/s\.0+/gi, 's')
    .toLowerCase();
  // Placeholders of digits: a number, such as 0.00E+00.
  if (/[0#?]/.test(symbols)) return undefined;
  // A year, also of an era or of the Buddhist calendar; a day; the name of a month.
  if (/[ydegb]|mmm/.test(symbols)) return 'date';
  if (/[hs]/.test(symbols)) return 'time';
  return symbols.includes('m') ? 'date' : undefined;
}
