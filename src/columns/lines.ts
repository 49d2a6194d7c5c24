/** Records as JSON, one per line. */

const decoder = new TextDecoder();

/** Lines are complete, and JSON contains no line breaks. */
export function recordsIn<Type>(lines: Uint8Array): readonly Type[] {
  return JSON.parse(`[${decoder.decode(lines).trimEnd().replaceAll('\n', ',')}]`);
}
