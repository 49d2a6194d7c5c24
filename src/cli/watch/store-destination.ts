/** Loads files into an account of a database. */

import type { Catalog } from '../../catalog/catalog.ts';
import { importRows } from '../../import/import.ts';
import type { ImportPlan, ImportResult } from '../../import/import-plan.ts';
import { importProblem } from '../../import/import-problem.ts';
import { planReading } from '../../import/reading-options.ts';
import { RejectFile, UnwritableRejects } from '../../import/reject-file.ts';
import { RunningImport } from '../../import/running-import.ts';
import { WATCH_WORDS } from '../../import/words.ts';
import { REMOVAL_LIMIT } from '../../plan/import.ts';
import { Problem } from '../../problem/problem.ts';
import { type Clock, timestamp } from '../../schedule/clock.ts';
import type { Account, Store } from '../../store/store.ts';
import { OutdatedFields, StoreUnavailable } from '../../store/store-error.ts';
import { storageWords } from '../storage-limit.ts';
import {
  type Destination,
  type LoadableFile,
  type LoadOutcome,
  type NewPosition,
  Obstacle,
  type Refusal,
} from './destination.ts';

export class StoreDestination implements Destination {
  readonly #store: Store;
  readonly #account: Account;
  readonly #clock: Clock;

  constructor(store: Store, account: Account, clock: Clock) {
    this.#store = store;
    this.#account = account;
    this.#clock = clock;
  }

  async catalog(): Promise<Catalog | Obstacle> {
    return available(() => this.#store.fields.catalog());
  }

  async position(source: string): Promise<string | null | Obstacle> {
    return available(async () => {
      const found = await this.#store.imports.source({ account: this.#account.id }, source);
      return found === 'no access' ? this.#removed() : (found?.position ?? null);
    });
  }

  async load(file: LoadableFile, saved: NewPosition): Promise<LoadOutcome | Obstacle> {
    const { resource, name } = file;
    const { source, position, expected } = saved;
    return available(async () => {
      const plan = await this.#plan(file, { import: { file: name, source: { name: source, position, expected } } });
      if (plan instanceof Problem) return { kind: 'refused', refusal: refusalOf(plan) };
      const running = new RunningImport(
        this.#store.imports,
        this.#account.id,
        { resource, file: name, source },
        this.#clock,
      );
      return this.#outcome(await this.#import(plan, file, running), plan);
    });
  }

  async writeRejects(file: LoadableFile, path: string): Promise<boolean | Obstacle> {
    const rejects = await RejectFile.open(path, true);
    // If rows were skipped, replacing would remove their records, and is not possible.
    return available(async () => {
      const plan = await this.#plan(file, { rejects, onRowError: 'skip', dryRun: true, replace: false });
      if (plan instanceof Problem) {
        rejects.discard();
        return false;
      }
      const result = await this.#import(plan, file).catch((error: unknown) => {
        rejects.discard();
        if (error instanceof UnwritableRejects) return new Obstacle(error.message);
        throw error;
      });
      if (result instanceof Obstacle) return result;
      if (result.kind !== 'imported') rejects.discard();
      else if (result.unwritten !== undefined) return new Obstacle(result.unwritten.message);
      return result.kind === 'imported' && result.skipped > 0;
    });
  }

  /** A problem if the fields are not what they were when the rules were read. */
  async #plan(
    { resource: outline, parameters }: LoadableFile,
    more: Partial<ImportPlan>,
  ): Promise<ImportPlan | Problem> {
    const resource = (await this.#store.fields.catalog()).of(outline);
    const { replace = false, confirm = false } = parameters;
    const options = planReading(resource, parameters, WATCH_WORDS);
    if (options instanceof Problem) return options;
    return {
      ...options,
      resource,
      words: WATCH_WORDS,
      replace,
      dryRun: false,
      onRowError: 'stop',
      ...(!confirm && { removalLimit: REMOVAL_LIMIT }),
      import: {},
      now: timestamp(this.#clock),
      ...more,
    };
  }

  #import(plan: ImportPlan, { format, hash, bytes }: LoadableFile, running?: RunningImport): Promise<ImportResult> {
    return importRows(
      this.#store,
      { account: this.#account.id },
      plan,
      format,
      { bytes: bytes(), hash: async () => hash },
      { running },
    );
  }

  #outcome(result: ImportResult, plan: ImportPlan): LoadOutcome | Obstacle {
    switch (result.kind) {
      case 'imported':
        return { kind: 'loaded', counts: result };
      case 'no access':
        return this.#removed();
      case 'storage exceeded':
        return new Obstacle(storageWords(result, this.#account.name));
      case 'position changed':
        if (result.current === undefined || result.current.resource === plan.resource.name) return result;
        return new Obstacle(`${importProblem(result, plan).detail} Use another --source.`);
      default: {
        const errors = result.kind === 'refused' ? result.errors : undefined;
        return { kind: 'refused', refusal: { ...refusalOf(importProblem(result, plan)), errors } };
      }
    }
  }

  #removed(): Obstacle {
    return new Obstacle(`The account ${this.#account.name} has been removed.`);
  }
}

function refusalOf({ code, detail, context }: Problem): Refusal {
  return { code, detail, suggestion: context.suggestion, errors: undefined };
}

/** Whatever makes the database unusable for good ends the program, which the service manager starts again. */
async function available<Result>(call: () => Promise<Result>): Promise<Result | Obstacle> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Obstacle(`The database is unavailable: ${error.message}.`);
    if (error instanceof OutdatedFields) return new Obstacle('The fields have changed meanwhile.');
    throw error;
  }
}
