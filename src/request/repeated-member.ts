/**
 * Finds a member that an object in JSON text has twice. `JSON.parse` keeps the last one, other readers the first.
 *
 *     {"name":"a","n\u0061me":"b"}     name
 */

/** The names of an object's members so far. Most objects in hostile text have one member, and need no set. */
interface Names {
  first: string | undefined;
  all: Set<string> | undefined;
}

/** The text must be valid JSON. Neither its size nor its depth matters: there is no recursion. */
export function repeatedMember(json: string): string | undefined {
  /** The objects and arrays around the current place. An array has no names. */
  const open: (Names | undefined)[] = [];
  let isNameNext = false;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case OPEN_OBJECT:
        open.push({ first: undefined, all: undefined });
        isNameNext = true;
        break;
      case OPEN_ARRAY:
        open.push(undefined);
        isNameNext = false;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        isNameNext = false;
        break;
      case COMMA:
        isNameNext = open.at(-1) !== undefined;
        break;
      case QUOTE: {
        const start = at;
        at = endOfString(json, start);
        const names = isNameNext ? open.at(-1) : undefined;
        isNameNext = false;
        if (names === undefined) break;
        const name = readString(json.slice(start, at + 1));
        if (!add(names, name)) return name;
        break;
      }
    }
  }
  return undefined;
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COMMA, QUOTE, BACKSLASH] = [...'{}[],"\\'].map((character) =>
  character.charCodeAt(0),
);

/** The place of the closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function readString(json: string): string {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}

/** False if the name is there already. */
function add(names: Names, name: string): boolean {
  if (names.first === undefined) {
    names.first = name;
    return true;
  }
  names.all ??= new Set([names.first]);
  if (names.all.has(name)) return false;
  names.all.add(name);
  return true;
}
