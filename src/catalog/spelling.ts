/** Names as people spell them: without case, accents and separators. `List price (%)` is something else. */
export function lettersOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\s_.-]/gu, '');
}
