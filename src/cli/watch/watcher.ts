/**
 * Loads files from a folder, each exactly once, and moves them to `done/` or `failed/`.
 *
 * A load saves the position of its source in its own transaction: the name, the time and the hash of the file. The next watcher
 * recognises a file that was loaded but not moved by it. Two rules guarantee that, whatever crashes, and however many watchers there are:
 *
 * - The position is read first, then the file. If somebody else loads a file in between, the position is not the expected one any more.
 * - While the file that the position names is in the folder, it is moved, and no other file is loaded from the source. So a file that was loaded
 *   but not moved is always the one that the position names.
 */

import { writeFile } from 'node:fs/promises';
import { RULES_FILE } from '../../import/words.ts';
import type { Clock } from '../../schedule/clock.ts';
import type { EventLog } from '../event-log.ts';
import { isFileError, reasonOf } from '../files.ts';
import { importSummary } from '../import-summary.ts';
import { type Destination, type LoadableFile, Obstacle, type Refusal } from './destination.ts';
import { failureText } from './failure-text.ts';
import { FileChanged, fileIn, hashOf, positionOf, verifiedBytes } from './file-content.ts';
import { Settling } from './settling.ts';
import { InvalidRules, type MatchedFile, readRules, type WatchRules } from './watch-rules.ts';
import type { FolderContent, FoundFile, WatchedFolder } from './watched-folder.ts';

/** How often the folder is looked at, in milliseconds. */
const INTERVAL = 1_000;

/** The longest pause after an obstacle, in milliseconds. It begins with the interval, and doubles. */
const LONGEST_PAUSE = 60_000;

/** Timers may be early by this much, in milliseconds. */
const TIMER_PRECISION = 2;

/** Under which the log has what is about the folder, not about a source. */
const FOLDER = 'folder';

export interface WatcherOptions {
  readonly folder: WatchedFolder;
  readonly destination: Destination;
  readonly account: string;
  /** The names of sources begin with it. */
  readonly sourcePrefix: string;
  /** How long a file must not have changed, in milliseconds. */
  readonly settle: number;
  readonly log: EventLog;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

interface Pause {
  readonly length: number;
  /** A monotonic time. */
  readonly until: number;
}

/** What is added to the name of a file in `failed/`. */
interface FailureEndings {
  readonly text: string;
  readonly rejects: string;
}

interface KnownHash extends FoundFile {
  readonly hash: string;
}

export class Watcher {
  readonly #options: WatcherOptions;
  readonly #settling: Settling;
  /** Of sources, after an obstacle. */
  readonly #pauses = new Map<string, Pause>();
  /** By the names of files. */
  #hashes = new Map<string, KnownHash>();
  /** What is left alone and was mentioned. */
  #noted: ReadonlySet<string> = new Set();
  #hasFailed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#settling = new Settling(options.settle, options.clock);
  }

  /** Until it is aborted. */
  async run(): Promise<void> {
    const { signal, clock } = this.#options;
    while (!signal.aborted) {
      await this.#pass();
      await clock.pause(INTERVAL, signal);
    }
  }

  /** Loads what is there. False if a file could not be loaded. */
  async once(): Promise<boolean> {
    const { settle, signal, clock } = this.#options;
    const { files = [] } = (await this.#look()) ?? {};
    if (files.length === 0) return !this.#hasFailed;
    // What is still being written then is left to the next time.
    this.#settling.settled(files);
    await clock.pause(settle + TIMER_PRECISION, signal);
    await this.#pass();
    return !this.#hasFailed;
  }

  async #pass(): Promise<void> {
    const { signal, sourcePrefix } = this.#options;
    const looked = await this.#look();
    if (looked === undefined) return;
    const waiting = new Set<string>();
    for (const file of this.#settling.settled(looked.files)) {
      const matched = looked.rules(file.name);
      if (signal.aborted) return;
      if (typeof matched !== 'object') continue;
      const source = `${sourcePrefix}:${matched.resource.name}`;
      // An older file must not overwrite what a newer one has brought.
      if (!waiting.has(source) && !(await this.#attempt(file, matched, source))) waiting.add(source);
    }
  }

  /** The files that are to be loaded. Undefined if the folder, or its rules, cannot be read. */
  async #look(): Promise<{ readonly rules: WatchRules; readonly files: readonly FoundFile[] } | undefined> {
    const { folder, destination, log, signal } = this.#options;
    try {
      const { files: found, others } = await folder.look();
      const catalog = await destination.catalog(signal);
      if (catalog instanceof Obstacle) return this.#report(FOLDER, `${catalog.message} It is tried again.`);
      const rules = await readRules(folder.path, catalog);
      if (rules instanceof InvalidRules) return this.#report(FOLDER, `${rules.message} No file is loaded.`);
      if (log.clear(FOLDER)) log.event(`${folder.path} can be read again.`);
      const files = found.filter(({ name }) => typeof rules(name) === 'object');
      this.#note(found, others, rules);
      const names = new Set(found.map(({ name }) => name));
      this.#hashes = new Map([...this.#hashes].filter(([name]) => names.has(name)));
      return { rules, files };
    } catch (error) {
      if (!isFileError(error)) throw error;
      return this.#report(FOLDER, `${folder.path} cannot be read: ${reasonOf(error)}. It is tried again.`);
    }
  }

  #report(about: string, text: string): undefined {
    this.#hasFailed = true;
    this.#options.log.obstacle(about, text);
  }

  #note(files: readonly FoundFile[], others: FolderContent['others'], rules: WatchRules): void {
    const unmatched = files.flatMap(({ name }) => {
      const rule = name === RULES_FILE ? {} : rules(name);
      return typeof rule === 'object' ? [] : { name, reason: rule ?? 'No rule is about this name.' };
    });
    const alone = [...unmatched, ...others];
    for (const { name, reason } of alone) {
      if (!this.#noted.has(name)) this.#options.log.warning(`${name}: ${reason} It is left alone.`);
    }
    this.#noted = new Set(alone.map(({ name }) => name));
  }

  /** False if the file stays where it is, so that those of its source wait for it. */
  async #attempt(file: FoundFile, matched: MatchedFile, source: string): Promise<boolean> {
    const { log, signal, clock } = this.#options;
    const pause = this.#pauses.get(source);
    if (pause !== undefined && clock.monotonic() < pause.until) return false;
    try {
      const obstacle = await this.#take(file, matched, source);
      if (obstacle === undefined) {
        this.#pauses.delete(source);
        log.clear(source);
        return true;
      }
      const length = Math.min(2 * (pause?.length ?? INTERVAL / 2), LONGEST_PAUSE);
      this.#pauses.set(source, { length, until: clock.monotonic() + length });
      this.#report(source, `${file.name}: ${obstacle.message} It stays where it is, and is tried again.`);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return false;
  }

  async #take(file: FoundFile, matched: MatchedFile, source: string): Promise<Obstacle | undefined> {
    const { folder, log } = this.#options;
    try {
      return await this.#load(file, matched, source);
    } catch (error) {
      const isChanged = error instanceof FileChanged;
      if (!isChanged && !isFileError(error)) throw error;
      const current = await folder.find(file.name).catch(() => file);
      // Somebody else has moved it.
      if (current === undefined) return undefined;
      if (!isChanged) return new Obstacle(`It cannot be read or moved: ${reasonOf(error)}.`);
      log.event(`${file.name}: It changed while it was read. It is imported once it has settled.`);
      this.#settling.restart(file);
      this.#hashes.delete(file.name);
      return undefined;
    }
  }

  /** Throws `FileChanged`, or an error of the file system. */
  async #load(file: FoundFile, matched: MatchedFile, source: string): Promise<Obstacle | undefined> {
    const { folder, destination, signal, account } = this.#options;
    for (;;) {
      const expected = await destination.position(source, signal);
      if (expected instanceof Obstacle) return expected;
      const loaded = expected === null ? undefined : await this.#loadedFile(expected);
      if (loaded !== undefined) {
        const obstacle = await this.#finish(loaded, 'It was imported before.');
        if (obstacle !== undefined || loaded.name === file.name) return obstacle;
      }
      const hash = (await folder.has(file)) ? await this.#hash(file) : undefined;
      if (hash === undefined) throw new FileChanged();
      const bytes = () => verifiedBytes(folder.pathOf(file.name), hash, signal);
      const loadable = { ...matched, name: file.name, hash, bytes };
      const position = { source, position: positionOf(file, hash), expected };
      const outcome = await destination.load(loadable, position, signal);
      if (outcome instanceof Obstacle) return outcome;
      if (outcome.kind === 'loaded')
        return this.#finish(file, importSummary(outcome.counts, matched.resource, account));
      if (outcome.kind === 'refused') return this.#fail(file, loadable, outcome.refusal);
      // Somebody else has loaded a file. It may have been this one.
    }
  }

  /** The file that was loaded last, if it is still in the folder. */
  async #loadedFile(position: string): Promise<FoundFile | undefined> {
    const saved = fileIn(position);
    const file = saved && (await this.#options.folder.find(saved.name));
    // A file with another time is another one, and need not be read.
    if (file === undefined || positionOf(file, saved?.hash ?? '') !== position) return undefined;
    return (await this.#hash(file)) === saved?.hash ? file : undefined;
  }

  /** Undefined if the file has changed. */
  async #hash(file: FoundFile): Promise<string | undefined> {
    const { folder, signal } = this.#options;
    const known = this.#hashes.get(file.name);
    if (known !== undefined && isUntouched(known, file)) return known.hash;
    const hash = await hashOf(folder.pathOf(file.name), signal);
    if (!(await folder.has(file))) return undefined;
    this.#hashes.set(file.name, { ...file, hash });
    return hash;
  }

  /** It was loaded. */
  async #finish(file: FoundFile, summary: string): Promise<Obstacle | undefined> {
    const { folder, log } = this.#options;
    try {
      const name = await folder.reserve(file.name, 'done');
      const isMoved = await folder.move(file, 'done', name);
      log.event(`${file.name}: ${summary} ${isMoved ? `Moved to done/${name}.` : 'It has been moved or replaced.'}`);
      return undefined;
    } catch (error) {
      if (!isFileError(error)) throw error;
      return new Obstacle(`${summary} But it cannot be moved to ${folder.pathOf('', 'done')}: ${reasonOf(error)}.`);
    }
  }

  /** It cannot be loaded as it is. */
  async #fail(file: FoundFile, loadable: LoadableFile, refusal: Refusal): Promise<Obstacle | undefined> {
    const { folder, log } = this.#options;
    // What was refused may have been a part of the file.
    if (!(await folder.has(file))) throw new FileChanged();
    const { name: format } = loadable.format;
    // Rows of a sheet have no text of their own.
    const rejects = `.rejected.${format === 'xlsx' ? 'csv' : format}`;
    const endings: FailureEndings = { text: '.error.txt', rejects };
    const name = await folder.reserve(file.name, 'failed', Object.values(endings));
    let obstacle: Obstacle | undefined;
    try {
      obstacle = await this.#explain(loadable, refusal, name, endings);
    } catch (error) {
      await folder.release(name, 'failed', Object.values(endings));
      throw error;
    }
    if (obstacle !== undefined) {
      await folder.release(name, 'failed', Object.values(endings));
      return obstacle;
    }
    if (!(await folder.move(file, 'failed', name, Object.values(endings)))) return undefined;
    this.#hasFailed = true;
    log.warning(`${file.name}: ${refusal.detail} Moved to failed/${name}; ${name}${endings.text} says what to do.`);
    return undefined;
  }

  /** Writes what is beside a file in `failed/`. */
  async #explain(
    loadable: LoadableFile,
    refusal: Refusal,
    name: string,
    endings: FailureEndings,
  ): Promise<Obstacle | undefined> {
    const { folder, destination, account, signal, clock } = this.#options;
    const path = (ending: string) => folder.pathOf(name + ending, 'failed');
    const hasRejects =
      refusal.errors !== undefined && (await destination.writeRejects(loadable, path(endings.rejects), signal));
    if (hasRejects instanceof Obstacle) return hasRejects;
    const rejects = hasRejects ? name + endings.rejects : undefined;
    await writeFile(path(endings.text), failureText(loadable, refusal, { account, name, rejects }, clock));
    return undefined;
  }
}

function isUntouched(known: FoundFile, file: FoundFile): boolean {
  return known.size === file.size && known.modified === file.modified && known.changed === file.changed;
}
