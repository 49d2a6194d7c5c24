/** A caller's own text inside a message: in quotes, and cut short, since it may be as long as a request. */
export function mention(text: string): string {
  return `'${shortened(text)}'`;
}

const LONGEST = 60;

export function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * LONGEST)];
  return characters.length > LONGEST || text.length > 2 * LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : text;
}
