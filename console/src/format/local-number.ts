/** Numbers as the reader's locale writes them. */

/** In decimal notation, with all digits as they were typed: `1.234,50` is `1234.50` in German. Undefined if it is not a number. */
export function readLocalNumber(text: string, locale?: string): string | undefined {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(-1_234_567.8);
  const sign = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const [group, decimal, minus] = [sign('group'), sign('decimal'), sign('minusSign')];
  const isSpace = group.trim() === '';
  const plain = text
    .trim()
    .replaceAll(/[-−]/g, '-')
    .replaceAll(minus, '-')
    .replaceAll(isSpace ? /\s/g : group, '')
    .replaceAll("'", group === '’' ? '' : "'")
    .replace(decimal, '.');
  return /^-?\d+(\.\d+)?$/.test(plain) && hasWholeGroups(text, isSpace ? ' ' : group) ? plain : undefined;
}

/** `1,5` is not 15 to somebody whose locale groups digits with commas. */
function hasWholeGroups(text: string, group: string): boolean {
  const [, ...groups] = text.trim().replaceAll(/\s/g, ' ').split(group);
  return groups.every((digits) => /^\d{2,3}(\D|$)/.test(digits));
}
