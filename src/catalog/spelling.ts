/** Names as people spell them: without case, accents and separators. `List price (%)` is something else. */
export function lettersOf(name: string): string {
  // What has neither accents nor other spaces, which is most of what files have.
  if (!/[^ -~]/.test(name)) return name.toLowerCase().replaceAll(/[ _.-]/g, '');
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\s_.-]/gu, '');
}
