// Makes node_modules/.bin/node lead to the Node that npm installed, so that npm scripts find it first.
// npm before 11 leaves the link out: packages for other platforms bring a command of the same name.
// Plain JavaScript for any Node, run by `npm ci` as the project's `prepare` script.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';

const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const link = new URL('../node_modules/.bin/node', import.meta.url);
if (
  process.platform !== 'win32' &&
  existsSync(new URL(`../node_modules/${name}/bin/node`, import.meta.url)) &&
  !existsSync(link)
) {
  mkdirSync(new URL('./', link), { recursive: true });
  symlinkSync(`../${name}/bin/node`, link);
}
