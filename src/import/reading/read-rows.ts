/** Reads a file: finds its rows, recognises from the first of them what they mean, and reads all of them accordingly, as rows that a store can load. */

import type { Field, Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import type { Stager } from '../../store/stager.ts';
import type { IncomingRow } from '../../store/store.ts';
import { type ColumnMatcher, isKnown } from '../columns.ts';
import type { Decisions, Recognised } from '../decisions.ts';
import { ErrorList } from '../error-list.ts';
import { type FileFacts, type FileInput, type Format, FREE, type RawRow, UnreadableFile } from '../format.ts';
import { recognise, SAMPLE_LENGTH, SAMPLE_ROWS } from '../recognition.ts';
import { rejectFrame } from '../reject-file.ts';
import { isInvalid, RowReader } from '../row-reader.ts';
import type { ImportWords } from '../words.ts';
import type { Findings, Piece, ReadingOrder } from './order.ts';

export interface ReadingPlan extends Pick<ReadingOrder, 'onRowError' | 'replace' | 'dryRun' | 'keepsRejects'> {
  readonly resource: Resource;
  readonly key: Field;
  readonly decisions: Decisions;
  readonly words: ImportWords;
}

/** Stops reading because of rows that cannot be imported and must not be skipped. */
export class InvalidRows extends Error {
  override readonly name = 'InvalidRows';
}

/** How many rows a dry run shows, and how many characters they may have. */
const PREVIEW = 10;
const MAX_PREVIEW_LENGTH = 64 * 1024;

/** How much is read in one step, in characters: rows of a few bytes may stand for many. */
const MAX_STEP = 64 * 1024;

/** How many rows of the sample are read in one step. */
const SAMPLE_BATCH = 100;

export class FileReading<Cell> {
  readonly #format: Format<Cell>;
  readonly #plan: ReadingPlan;
  readonly #stager: Stager;
  readonly #errors = new ErrorList();
  readonly #preview: Readonly<Record<string, Value | null>>[] = [];
  readonly #facts: FileFacts = {};
  #previewLength = 0;
  #rows = 0;
  #rejected = 0;
  #recognised: (() => Recognised) | undefined;

  constructor(format: Format<Cell>, plan: ReadingPlan, stager: Stager) {
    this.#format = format;
    this.#plan = plan;
    this.#stager = stager;
  }

  /** Also if reading stopped in the middle. */
  get findings(): Findings {
    const { first, count, groups } = this.#errors;
    const recognised = this.#recognised?.();
    return { errors: { first, count, groups }, preview: this.#preview, ...(recognised && { recognised }) };
  }

  async *pieces(input: FileInput): AsyncGenerator<Piece, void> {
    const { cost = FREE } = input;
    const { resource, decisions, onRowError, replace, words } = this.#plan;
    const sample = new Sample<Cell>();
    let begun: Begun<Cell> | undefined;
    for await (const raw of this.#format.rows(input, decisions, this.#facts, this.#isColumn)) {
      if (begun !== undefined) yield* this.#read(raw, begun.reader, cost);
      else if (await cost.step(() => sample.add(raw))) {
        begun = await cost.step(() => this.#begin(sample));
        yield* this.#readSample(sample, begun, cost);
      }
    }
    if (begun === undefined) {
      begun = await cost.step(() => this.#begin(sample));
      yield* this.#readSample(sample, begun, cost);
    }
    if (onRowError === 'stop' && this.#rejected > 0) throw new InvalidRows();
    begun.columns.checkMap();
    if (replace && this.#rows === 0)
      throw new UnreadableFile(
        `The ${words.container} has no rows, so ${words.replace} would remove all ${resource.plural}.`,
      );
  }

  readonly #isColumn = (name: string): boolean => isKnown(name, this.#plan.resource, this.#plan.decisions.columns);

  #begin(sample: Sample<Cell>): Begun<Cell> {
    const { key, decisions, keepsRejects } = this.#plan;
    const { columns, texts, isNoteworthy, recognised } = recognise(
      this.#format,
      this.#plan,
      decisions,
      this.#facts,
      sample.rows,
    );
    const { words } = this.#plan;
    const rules = { words, isColumn: this.#isColumn, isChosen: decisions.headerRow !== undefined };
    const reader = new RowReader(this.#format, key, columns, texts, keepsRejects, rules);
    if (isNoteworthy) this.#recognised = () => recognised(reader.notes);
    return { columns, reader };
  }

  async *#readSample(sample: Sample<Cell>, { reader }: Begun<Cell>, cost: typeof FREE): AsyncGenerator<Piece, void> {
    const header = sample.rows.find(({ kind }) => kind === 'header');
    const frame = this.#plan.keepsRejects
      ? rejectFrame(this.#format, header?.text ?? '', this.#facts.encoding)
      : undefined;
    if (frame !== undefined) yield { rows: 0, rejected: 0, rejects: [], frame };
    for (let from = 0; from < sample.rows.length; from += SAMPLE_BATCH)
      yield* this.#read(sample.rows.slice(from, from + SAMPLE_BATCH), reader, cost);
    sample.rows.length = 0;
  }

  /** In several steps if the rows are large. */
  async *#read(raw: Iterable<RawRow<Cell>>, reader: RowReader<Cell>, cost: typeof FREE): AsyncGenerator<Piece, void> {
    const rows = raw[Symbol.iterator]();
    for (let isDone = false; !isDone; ) {
      const piece = await cost.step(() => {
        const incoming: IncomingRow[] = [];
        const rejects: string[] = [];
        for (let size = 0; size <= MAX_STEP; ) {
          const next = rows.next();
          if (next.done === true) {
            isDone = true;
            break;
          }
          size += next.value.size;
          this.#readRow(next.value, reader, incoming, rejects);
        }
        return this.#piece(incoming, rejects);
      });
      yield piece;
    }
  }

  #readRow(row: RawRow<Cell>, reader: RowReader<Cell>, incoming: IncomingRow[], rejects: string[]): void {
    const read = reader.read(row);
    if (read === undefined) return;
    this.#rows += 1;
    if (!isInvalid(read)) {
      incoming.push(read);
      return;
    }
    for (const error of read.errors) this.#errors.add(error);
    // If the header is wrong, every row is.
    if (row.kind === 'header') throw new InvalidRows();
    this.#rejected += 1;
    if (this.#plan.keepsRejects) rejects.push(read.text ?? '');
  }

  #piece(incoming: readonly IncomingRow[], rejects: readonly string[]): Piece {
    if (this.#plan.dryRun) for (const row of incoming) this.#show(row);
    // Once it is clear that nothing will be written, the rest is read only to report its errors.
    const isWritten = incoming.length > 0 && (this.#plan.onRowError === 'skip' || this.#rejected === 0);
    const progress = { rows: this.#rows, rejected: this.#rejected, rejects };
    return isWritten ? { ...progress, staged: this.#stager.stage(incoming) } : progress;
  }

  #show({ values, isRemoved }: IncomingRow): void {
    if (this.#preview.length >= PREVIEW || this.#previewLength > MAX_PREVIEW_LENGTH) return;
    const members = [...values].map(([{ name }, value]) => [name, value] as const);
    this.#preview.push({ ...Object.fromEntries(members), ...(isRemoved && { removed: true }) });
    for (const [name, value] of members) this.#previewLength += name.length + String(value).length;
  }
}

/** Once it is known what the rows of a file mean. */
interface Begun<Cell> {
  readonly columns: ColumnMatcher;
  readonly reader: RowReader<Cell>;
}

/** The first rows of a file. */
class Sample<Cell> {
  readonly rows: RawRow<Cell>[] = [];
  #length = 0;

  /** Whether there are enough. */
  add(rows: Iterable<RawRow<Cell>>): boolean {
    for (const row of rows) {
      this.rows.push(row);
      this.#length += row.size;
    }
    return this.rows.length >= SAMPLE_ROWS || this.#length >= SAMPLE_LENGTH;
  }
}
