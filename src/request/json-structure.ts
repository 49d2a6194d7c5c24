/**
 * Limits on the structure of a JSON text, checked without parsing it: text that is nested deep, or consists of many small values, takes
 * far longer to parse than other text of its size.
 *
 *     {"a":[{"b":"[["},1]}     nested 3 levels deep, 1 comma
 */

export interface StructureLimits {
  /** How deep arrays and objects may be nested. */
  readonly depth: number;
  /** How many commas may separate members and elements. */
  readonly commas: number;
}

/** The limit that the text exceeds. Reads no further than that. The text need not be valid. */
export function exceededLimit(json: Uint8Array, limits: StructureLimits): keyof StructureLimits | undefined {
  let depth = 0;
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === COMMA) {
      commas += 1;
      if (commas > limits.commas) return 'commas';
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      if (depth > limits.depth) return 'depth';
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }
  return undefined;
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COMMA, QUOTE, BACKSLASH] = Buffer.from('{}[],"\\');
