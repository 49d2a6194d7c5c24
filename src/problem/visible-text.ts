/**
 * Text of a client, a file or a database as a terminal or a log may show it. Whatever it contains, it cannot end its line, move the
 * cursor or change the order in which characters are shown.
 *
 *     a<ESC>[2J<LF>b     a\u001b[2J\u000ab
 *
 * The escapes are those of JSON, so that a line of JSON keeps its meaning.
 */

/** Control characters, and those that nobody sees: marks of direction, separators, joiners, halves of characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Most texts have nothing else, and looking for invisible characters would take longer. */
const HARMLESS = /^[ -~…]*$/;

export function visibleText(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0'))
      .map((code) => `\\u${code}`)
      .join(''),
  );
}
