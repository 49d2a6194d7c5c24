/** A caller's own text inside a message: quoted, and truncated because it may be as long as a request. */
export function quoted(text: string): string {
  return `'${truncated(text)}'`;
}

/** The longest text quoted in full, in characters. */
const MAX_LENGTH = 60;

export function truncated(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_LENGTH)];
  const isLong = characters.length > MAX_LENGTH || text.length > 2 * MAX_LENGTH;
  return isLong ? `${characters.slice(0, MAX_LENGTH).join('')}…` : text;
}
