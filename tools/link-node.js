// Links node_modules/.bin/node to the Node that npm installed, so that npm scripts find it first.
// npm before 11 creates no link: the packages for other platforms have a command of the same name.
// Plain JavaScript for any Node. npm runs it as the `dependencies` script, after every change of node_modules in a checkout;
// it never runs that script of a package that is installed, and does not warn about it as it does about `prepare`.
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
