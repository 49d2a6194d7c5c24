/** The thread that reads imports. Several are read at the same time, step by step, and their accounts take turns. */

import { type MessagePort, parentPort } from 'node:worker_threads';
import { adopted, findField } from '../../catalog/catalog.ts';
import type { Field, Resource } from '../../catalog/resource.ts';
import { openStager } from '../../store/stager.ts';
import { StoreUnavailable } from '../../store/store-error.ts';
import { csv } from '../csv.ts';
import { Undecided } from '../decisions.ts';
import { peek, recognisedFormat } from '../file-kind.ts';
import { TooManyBytes } from '../file-text.ts';
import { type FileInput, UnreadableFile } from '../format.ts';
import { importFormats } from '../import-formats.ts';
import { json } from '../json.ts';
import { ndjson } from '../ndjson.ts';
import { IMPORT_WORDS } from '../words.ts';
import { xlsx } from '../xlsx.ts';
import { ReadingCosts, TooMuchHeld } from './cost.ts';
import type {
  Findings,
  FromReader,
  Piece,
  ReadingCommand,
  ReadingFailure,
  ReadingOrder,
  SentResource,
  ToReader,
} from './order.ts';
import { FileReading, InvalidRows, type ReadingPlan } from './read-rows.ts';

/** How many pieces may be on their way to the store, and how many chunks of bytes wait to be read. */
const MAX_PIECES = 4;
const MAX_CHUNKS = 2;

const NOTHING_FOUND: Findings = { errors: { first: [], count: 0 }, preview: [] };

const costs = new ReadingCosts();
const resources = new Map<number, Resource>();

if (parentPort === null) throw new Error('this module runs in a thread of its own');
parentPort.on('message', (command: ReadingCommand) => void read(command));

async function read({ order, resource: sent, port }: ReadingCommand): Promise<void> {
  const conversation = new Conversation(port);
  let reading: Pick<FileReading<unknown>, 'findings'> | undefined;
  let failure: ReadingFailure | undefined;
  try {
    const resource = receivedResource(sent);
    const cost = costs.open(order.account);
    try {
      const input = { ...order, bytes: conversation.bytes(), cost };
      const format = order.format === 'any' ? await recognised(input) : { name: order.format, input };
      const opened = openReading(format.name, planOf(order, resource), openStager({ ...order, resource }));
      reading = opened;
      for await (const piece of opened.pieces(format.input)) await conversation.send(piece);
    } finally {
      cost.close();
    }
  } catch (error) {
    failure = failureOf(error);
  }
  conversation.end(reading?.findings ?? NOTHING_FOUND, failure);
}

/** The content also shows whether it is compressed. */
async function recognised(input: FileInput): Promise<{ name: ReadingOrder['format']; input: FileInput }> {
  const { start, bytes } = await peek(input.bytes);
  const { name } = await recognisedFormat(importFormats, '', start);
  const coding = input.coding === 'identity' ? undefined : input.coding;
  return { name, input: { ...input, bytes, coding } };
}

/** Only the format itself knows the type of its cells. */
function openReading(name: ReadingOrder['format'], plan: ReadingPlan, stager: ReturnType<typeof openStager>) {
  switch (name) {
    case 'csv':
      return new FileReading(csv, plan, stager);
    case 'xlsx':
      return new FileReading(xlsx, plan, stager);
    case 'ndjson':
      return new FileReading(ndjson, plan, stager);
    case 'json':
      return new FileReading(json, plan, stager);
    case 'any':
      throw new Error('the format was not recognised');
  }
}

function receivedResource({ number, content }: SentResource): Resource {
  if (content !== undefined) resources.set(number, adopted(content));
  const resource = resources.get(number);
  if (resource === undefined) throw new Error('the resource was not sent');
  return resource;
}

function planOf({ key, columns, decisions, words, ...options }: ReadingOrder, resource: Resource): ReadingPlan {
  const fieldNamed = (name: string): Field => {
    const field = findField(resource, name);
    if (field === undefined) throw new Error(`${resource.name} has no field ${name}`);
    return field;
  };
  return {
    ...options,
    resource,
    key: fieldNamed(key),
    decisions: {
      ...decisions,
      columns: new Map(columns.map(([column, name]) => [column, name === undefined ? undefined : fieldNamed(name)])),
    },
    words: IMPORT_WORDS[words],
  };
}

/** Nobody wants the rows any more. */
class Abandoned extends Error {
  override readonly name = 'Abandoned';
}

/** With the thread that wants the rows, and has the bytes. */
class Conversation {
  readonly #port: MessagePort;
  readonly #chunks: Uint8Array[] = [];
  #hasAll = false;
  #isWanted = false;
  #isAbandoned = false;
  #pieces = 0;
  /** What waits for bytes, and what waits for room for a piece: a decompressor is fed while rows are sent. */
  #waiting: (() => void)[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: ToReader) => this.#receive(message));
    port.on('close', () => {
      this.#isAbandoned = true;
      this.#wake();
    });
  }

  async *bytes(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      this.#want();
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#hasAll) return;
      else await this.#news();
    }
  }

  async send(piece: Piece): Promise<void> {
    while (this.#pieces >= MAX_PIECES) await this.#news();
    if (this.#isAbandoned) throw new Abandoned();
    this.#pieces += 1;
    const { rows } = piece.staged ?? {};
    this.#port.postMessage(
      { kind: 'piece', piece } satisfies FromReader,
      rows instanceof Uint8Array ? [rows.buffer] : [],
    );
  }

  /** The other side closes the port. */
  end(findings: Findings, failure: ReadingFailure | undefined): void {
    this.#port.postMessage({ kind: 'end', findings, ...(failure && { failure }) } satisfies FromReader);
  }

  /** One chunk arrives while the one before is read. */
  #want(): void {
    if (this.#isWanted || this.#hasAll || this.#chunks.length >= MAX_CHUNKS) return;
    this.#isWanted = true;
    this.#port.postMessage({ kind: 'bytes wanted' } satisfies FromReader);
  }

  #receive(message: ToReader): void {
    switch (message.kind) {
      case 'bytes':
        this.#chunks.push(message.bytes);
        this.#isWanted = false;
        this.#want();
        break;
      case 'no more bytes':
        this.#hasAll = true;
        break;
      case 'taken':
        this.#pieces -= 1;
        break;
    }
    this.#wake();
  }

  async #news(): Promise<void> {
    if (this.#isAbandoned) throw new Abandoned();
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    if (this.#isAbandoned) throw new Abandoned();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function failureOf(error: unknown): ReadingFailure {
  if (error instanceof InvalidRows) return { kind: 'invalid rows' };
  if (error instanceof Undecided) {
    const { questions, recognised: found } = error;
    return { kind: 'undecided', questions, ...(found && { recognised: found }) };
  }
  if (error instanceof UnreadableFile) return { kind: 'unreadable', message: error.message };
  if (error instanceof TooManyBytes) return { kind: 'too many bytes' };
  if (error instanceof TooMuchHeld) return { kind: 'too much held', isOfAccount: error.isOfAccount };
  if (error instanceof StoreUnavailable) return { kind: 'no temporary space', message: error.message };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  if (isFileError(error)) return { kind: 'file error', message, error: { ...error } };
  return { kind: 'bug', message, stack };
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
