// Which versions of Node Stockbook runs on: those that `engines` in package.json names.
//
// What counts is its SQLite. Before 3.53, it reads one in six doubles in a list, such as `list_price[…]`, as another number close to it, although none
// of the usual prices. Node has 3.53 since 24.16 and 26.1.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** `^24.16` allows later versions of 24, and `>=26.1` those of any major version. */
const ranges = engines.node.split(' || ').map((text) => {
  const [, operator, major, minor] = /^(\^|>=)(\d+)\.(\d+)$/.exec(text);
  return { isOneMajor: operator === '^', major: Number(major), minor: Number(minor) };
});

/** For people: `24.16 or later, or 26.1 or later`. */
export const supportedVersions = ranges.map(({ major, minor }) => `${major}.${minor} or later`).join(', or ');

/** Whether it is one of them. The version is a text such as `24.16.0`. */
export function supportsNode(version) {
  const [ownMajor, ownMinor] = version.split('.').map(Number);
  return ranges.some(({ isOneMajor, major, minor }) =>
    ownMajor === major ? ownMinor >= minor : ownMajor > major && !isOneMajor,
  );
}
