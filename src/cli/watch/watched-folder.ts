/**
 * The folder that is watched: which files are in it, and moving them to `done/` and `failed/`.
 *
 * It is looked at again and again, instead of waiting for notifications (`fs.watch`): network shares send none for what other machines
 * write.
 */

import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, timestamp } from '../../schedule/clock.ts';
import { isFileError } from '../files.ts';

/** A file as it was found. It is another one once its size or its time differs. Inode numbers are not compared: some shares invent them. */
export interface FoundFile {
  readonly name: string;
  readonly size: number;
  /** In milliseconds since the epoch. */
  readonly modified: number;
  /** When anything about it changed, by the clock of the file system. Copies do not preserve it. */
  readonly changed: number;
}

export interface FolderContent {
  /** Complete files and those that are still growing. */
  readonly files: readonly FoundFile[];
  /** What is never loaded, and why. */
  readonly others: readonly { readonly name: string; readonly reason: string }[];
}

export type Place = 'done' | 'failed';

/** Names of files that are still being written, or that are not meant for us. */
const PARTIAL = /^\.|^~\$|~$|\.(part|partial|filepart|crdownload|download|tmp|temp)$/i;

/** The maximum number of bytes of a name in `done/` and `failed/`: file systems allow 255, and something is added to it. */
const MAX_NAME_BYTES = 180;

export class WatchedFolder {
  readonly path: string;
  readonly #clock: Clock;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** Where a file is, or will be. */
  pathOf(name: string, place?: Place): string {
    return place === undefined ? join(this.path, name) : join(this.path, place, name);
  }

  /** What is there, except folders and incomplete files. Throws if the folder cannot be read. */
  async look(): Promise<FolderContent> {
    const entries = (await readdir(this.path, { withFileTypes: true })).filter(({ name }) => !PARTIAL.test(name));
    const found = await Promise.all(entries.map(({ name }) => this.find(name)));
    return {
      files: found.filter((file) => file !== undefined),
      others: entries.flatMap((entry) => {
        if (entry.isSymbolicLink()) return { name: entry.name, reason: 'It is a link, and links are not followed.' };
        const isSpecial = entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
        return isSpecial ? { name: entry.name, reason: 'It is a pipe or a device, not a file.' } : [];
      }),
    };
  }

  /** Undefined if there is no such file, or if it is something else, such as a link. */
  async find(name: string): Promise<FoundFile | undefined> {
    if (basename(name) !== name) return undefined;
    return fileAt(this.pathOf(name), name);
  }

  async has({ name, size, modified }: FoundFile): Promise<boolean> {
    const found = await this.find(name);
    return found?.size === size && found.modified === modified;
  }

  /**
   * Chooses a name that nothing has in `done/` or `failed/` yet, neither by itself nor with one of the endings, and creates an empty file of
   * that name, so that nobody else chooses it.
   */
  async reserve(name: string, place: Place, endings: readonly string[] = []): Promise<string> {
    await mkdir(this.pathOf('', place), { recursive: true });
    for (let chosen = fitting(name); ; chosen = fitting(this.#stamped(name))) {
      const isTaken = await Promise.all(endings.map((ending) => fileAt(this.pathOf(chosen + ending, place), chosen)));
      if (isTaken.some((file) => file !== undefined)) continue;
      try {
        await (await open(this.pathOf(chosen, place), 'wx')).close();
        return chosen;
      } catch (error) {
        if (!isFileError(error) || error.code !== 'EEXIST') throw error;
      }
    }
  }

  /** A reserved name that is not needed. What has one of the endings goes first: while it is there, nobody else chooses the name. */
  async release(reserved: string, place: Place, endings: readonly string[] = []): Promise<void> {
    for (const ending of [...endings, '']) await rm(this.pathOf(reserved + ending, place), { force: true });
  }

  /** To a reserved name. False if the file is gone, or has become another one, which stays where it is; the name is released then. */
  async move(file: FoundFile, place: Place, reserved: string, endings: readonly string[] = []): Promise<boolean> {
    const target = this.pathOf(reserved, place);
    try {
      if (!(await this.has(file))) {
        await this.release(reserved, place, endings);
        return false;
      }
      await rename(this.pathOf(file.name), target);
    } catch (error) {
      await this.release(reserved, place, endings);
      if (isFileError(error) && error.code === 'ENOENT' && (await this.find(file.name)) === undefined) return false;
      throw error;
    }
    const moved = await fileAt(target, file.name);
    if (moved !== undefined && (moved.size !== file.size || moved.modified !== file.modified)) {
      await this.#putBack(target, file.name);
      for (const ending of endings) await rm(target + ending, { force: true });
      return false;
    }
    // Otherwise the file may be back after a power failure, when later files have been loaded and this one is not recognised any more.
    for (const directory of [this.pathOf('', place), this.path]) await sync(directory);
    return true;
  }

  /** The file was replaced at the moment at which it was moved. */
  async #putBack(target: string, name: string): Promise<void> {
    const free = (await this.find(name)) === undefined ? name : this.#stamped(name);
    await rename(target, this.pathOf(free));
  }

  /** `products.csv.gz`: `products.20260131T120000123Z.csv.gz` */
  #stamped(name: string): string {
    const time = timestamp(this.#clock).replaceAll(/[-:.]/g, '');
    const [extensions = ''] = /(\.[a-z]+)?(\.(gz|zst))?$/i.exec(name) ?? [];
    return `${name.slice(0, name.length - extensions.length)}.${time}${extensions}`;
  }
}

async function fileAt(path: string, name: string): Promise<FoundFile | undefined> {
  try {
    // Somebody who can put a link into the folder must not have us read what they cannot.
    const stats = await lstat(path);
    const { size, mtimeMs: modified, ctimeMs: changed } = stats;
    return stats.isFile() ? { name, size, modified, changed } : undefined;
  } catch (error) {
    // It may have been moved meanwhile.
    if (isFileError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Not every file system can do this with a directory. */
async function sync(directory: string): Promise<void> {
  const handle = await open(directory).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Without its first characters if it is too long. */
function fitting(name: string): string {
  let characters = [...name];
  while (Buffer.byteLength(characters.join('')) > MAX_NAME_BYTES) characters = characters.slice(1);
  return characters.join('');
}
