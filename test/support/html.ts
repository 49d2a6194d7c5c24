/** Reads HTML as far as tests need it: whether elements are closed, and where links lead. */

const VOID = new Set(['meta', 'link', 'input', 'img', 'br', 'hr']);

/** What is wrong with the nesting of elements; empty if nothing is. */
export function nestingErrors(html: string): readonly string[] {
  const errors: string[] = [];
  const open: string[] = [];
  for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/g)) {
    if (VOID.has(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) errors.push(`unexpected ${tag}`);
  }
  return [...errors, ...open.map((name) => `<${name}> is not closed`)];
}

/** The values of an attribute, decoded. */
export function attributes(html: string, name: string): readonly string[] {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => decoded(value));
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
