/**
 * The folded form of text, used for searching and sorting: case-insensitive, and the same for composed and decomposed
 * accents. Always computed here, on write and on query, never by a database, so both engines agree.
 *
 *     fold('Crème BRÛLÉE') = 'crème brûlée'
 *     fold('ΟΔΟΣ') = fold('οδος') = 'οδοσ'
 *
 * Composing comes last: lowercasing can leave sequences that compose, such as `J` and a caron, which become `ǰ`.
 */
export function fold(text: string): string {
  // Nothing else to do for ASCII, which most texts are: a third of the time.
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * A folded text without what separates the parts of a code, so that `CHR-00012`, `chr 00012` and `CHR00012` are one code.
 *
 *     compact('chr-00012') = 'chr00012'
 */
export function compact(folded: string): string {
  return folded.replaceAll(SEPARATORS, '');
}

/** Written out in SQL as well, in `store/sql/columns.ts`. */
const SEPARATORS = /[-/. ]/g;

const NOT_ASCII = /[\u0080-\uffff]/;
