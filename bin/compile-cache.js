// Where Node keeps what it has compiled. It executes what it finds there, so nobody else may be able to put anything there.
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
/** In such a directory, one cannot replace what belongs to somebody else. */
const STICKY = 0o1000;

/** The path of a directory of this user; undefined if there is none that is safe. */
export function compileCache() {
  try {
    const { XDG_CACHE_HOME } = process.env;
    const parent = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const directory = join(parent, 'stockbook');
    for (const path of [parent, directory]) make(path);
    const real = realpathSync(directory);
    return isOwn(real) ? real : undefined;
  } catch {
    // Many a service has no home, or one that it must not write to.
    return undefined;
  }
}

function make(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Whether only this user can write to a directory, and nobody else, except for root, can put another in its place. */
function isOwn(directory) {
  // Windows has no modes, and the homes of users are private there.
  if (process.getuid === undefined) return true;
  const uid = process.getuid();
  const own = statSync(directory);
  if (own.uid !== uid || own.mode & WRITABLE_BY_OTHERS) return false;
  let path = directory;
  while (path !== dirname(path)) {
    path = dirname(path);
    const { uid: owner, mode } = statSync(path);
    if (owner !== uid && owner !== 0) return false;
    if (mode & WRITABLE_BY_OTHERS && !(mode & STICKY)) return false;
  }
  return true;
}
