/** The Node of the machine, which npm scripts replace with that of the checkout. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where the machine looks for programs, as it does outside of npm scripts. */
export const OWN_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules') && !folder.includes('node-gyp-bin'))
  .join(delimiter);

const NAME = process.platform === 'win32' ? 'node.exe' : 'node';

/** Undefined if the machine has none of its own. */
export const ownNode = OWN_PATH.split(delimiter)
  .map((folder) => join(folder, NAME))
  .find((path) => existsSync(path));

/** Of the machine's Node, such as 20. */
export const ownMajor =
  ownNode === undefined
    ? undefined
    : Number(execFileSync(ownNode, ['--print', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]);
