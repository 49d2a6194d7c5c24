/**
 * How deep the arrays and objects of a JSON text are nested, found without parsing it.
 *
 *     {"a":[{"b":"[["}]}     3
 */

/** Whether they are nested deeper than this. Stops as soon as they are. The text need not be valid. */
export function isNestedDeeper(json: Uint8Array, max: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      if (depth > max) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }
  return false;
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, QUOTE, BACKSLASH] = Buffer.from('{}[]"\\');
