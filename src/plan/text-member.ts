/** What a member of a body must be, to be stored as a text. Undefined if it is. */
export function textRequirement(json: string, maxLength: number): string | undefined {
  if (json.includes('\0')) return 'must not contain NUL characters';
  if (!json.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return [...json].length > maxLength ? `must have at most ${maxLength} characters` : undefined;
}
