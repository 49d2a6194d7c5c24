/** Values of JSON, and how they are written for a model. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters that a person does not see but a model reads, such as controls, tags and variation selectors. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** JSON on one line, with the same meaning to a parser and nothing hidden from a reader. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value));
}

/** Text on one line, with nothing hidden from a reader. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}
