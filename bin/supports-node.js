/**
 * Whether Stockbook runs on this version of Node, such as `24.16.0`.
 *
 * What counts is its SQLite: before 3.53, it reads one in twelve numbers in a list, as in `list_price[0.1,0.2]`, as another number
 * close to it. Node has 3.53 since 24.16 and 26.1.
 */
export function supportsNode(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 26 || (major === 26 && minor >= 1) || (major === 24 && minor >= 16);
}
