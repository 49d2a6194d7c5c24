/**
 * The folded form of text, by which it is searched and sorted: upper and lower case alike, composed and
 * decomposed accents alike. Always computed here, when a record is written and when it is asked for, never
 * by a database, so that every engine agrees.
 *
 *     fold('Crème BRÛLÉE') = 'crème brûlée'
 *     fold('ΟΔΟΣ') = fold('οδος') = 'οδοσ'
 */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
}
