/** The requests of an import: what it would do, the import itself, and the rows that it would reject. */

import {
  Connection,
  type ErrorGroup,
  type ImportQuestion,
  type ImportResult,
  Imports,
  type PreviewedRecord,
  type RecognisedFile,
  type RowError,
  StockbookError,
} from '@stockbook/client';
import type { Resource } from '../../../src/catalog/resource.ts';
import { newKey, RETRIES } from '../data/attempts.ts';
import type { FileTarget } from '../export/file-target.ts';
import { SAME_ORIGIN, type Session } from '../session/session.ts';
import { canRead } from './check-file.ts';
import { fetchWithProgress } from './fetch-with-progress.ts';
import { codingOf, formatOf } from './file-formats.ts';
import type { ImportSettings } from './import-settings.ts';

export interface FileImport {
  readonly resource: Resource;
  readonly file: File;
  readonly settings: ImportSettings;
}

/** What an import would do, or why it would not be made. */
export type DryRun =
  | {
      readonly kind: 'possible';
      readonly recognised: RecognisedFile | undefined;
      readonly preview: readonly PreviewedRecord[] | undefined;
      readonly result: ImportResult;
    }
  | {
      readonly kind: 'undecided';
      readonly recognised: RecognisedFile | undefined;
      readonly questions: readonly ImportQuestion[];
    }
  | {
      readonly kind: 'rejected';
      readonly recognised: RecognisedFile | undefined;
      readonly preview: readonly PreviewedRecord[] | undefined;
      readonly errors: readonly RowError[];
      readonly groups: readonly ErrorGroup[] | undefined;
      readonly errorCount: number;
    };

/** The file was moved, removed or changed since somebody has chosen it. Browsers do not send it then. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

export interface Sending {
  readonly signal: AbortSignal;
  readonly onSent: (bytes: number) => void;
}

export async function tryImport(request: FileImport, sending: Sending): Promise<DryRun> {
  try {
    // TanStack Query repeats it.
    const { data } = await send<ImportResult>(request, { dry_run: 'true' }, { ...sending, retries: 0 });
    return { kind: 'possible', recognised: data.recognised, preview: data.preview, result: data };
  } catch (error) {
    if (!(error instanceof StockbookError)) throw error;
    const { code, recognised, preview, questions, errors = [], errorGroups: groups } = error;
    const { errorCount = errors.length } = error;
    if (code === 'rows_rejected') return { kind: 'rejected', recognised, preview, errors, groups, errorCount };
    if (questions !== undefined) return { kind: 'undecided', recognised, questions };
    throw error;
  }
}

export interface Loading extends Sending {
  /** Whether more than a tenth of the records may be removed. */
  readonly isConfirmed: boolean;
  /** The service has the whole file, and imports it. */
  readonly onAccepted: () => void;
  readonly onRows: (rows: number) => void;
}

/** Rejects with `import_cancelled` if the signal aborts in time. */
export async function makeImport(
  { connection }: Session,
  request: FileImport,
  loading: Loading,
): Promise<ImportResult> {
  const { signal, onSent, isConfirmed, onAccepted, onRows } = loading;
  const upload = new AbortController();
  let isSent = false;
  signal.addEventListener('abort', () => {
    // The service may import what it has: it has to be asked.
    if (!isSent) upload.abort(new StockbookError('import_cancelled', { detail: 'The upload was cancelled.' }));
  });
  const sending = {
    signal: upload.signal,
    retries: RETRIES,
    onSent: (bytes: number) => {
      isSent = bytes >= request.file.size;
      onSent(bytes);
    },
  };
  const headers = { prefer: 'respond-async', 'idempotency-key': `"${newKey()}"` };
  const { data } = await send<ImportResult | { readonly id: string }>(
    request,
    { ...(isConfirmed && { confirm: 'true' }) },
    sending,
    headers,
  );
  if (!('id' in data)) return data;
  onAccepted();
  const imports = new Imports(connection);
  // If it has ended meanwhile, its result says so.
  const cancel = () => void imports.cancel(data.id, { retries: RETRIES }).catch(() => undefined);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel);
  return imports.done(data.id, { onProgress: onRows, retries: Number.POSITIVE_INFINITY });
}

/** Returns false if there are none: then there is no file either. */
export async function saveRejectedRows(request: FileImport, mediaType: string, target: FileTarget): Promise<boolean> {
  const call = callFor(request, { dry_run: 'true', on_error: 'skip' }, { accept: mediaType });
  let isEmpty = true;
  try {
    const { bytes } = await uploader(() => undefined).stream({ ...call, retries: RETRIES });
    for await (const piece of bytes) {
      isEmpty = false;
      await target.write(new Uint8Array(piece));
    }
  } catch (error) {
    await target.discard();
    throw await explained(error, request);
  }
  await (isEmpty ? target.discard() : target.close());
  return !isEmpty;
}

async function send<Data>(
  request: FileImport,
  query: Readonly<Record<string, string>>,
  { signal, onSent, retries }: Sending & { readonly retries: number },
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly data: Data }> {
  try {
    const call = { ...callFor(request, query, headers), signal, retries };
    return await uploader(onSent).body<{ readonly data: Data }>(call);
  } catch (error) {
    throw await explained(error, request);
  }
}

function uploader(onSent: (bytes: number) => void): Connection {
  return new Connection({ ...SAME_ORIGIN, fetch: fetchWithProgress(onSent) });
}

function callFor(
  { resource, file, settings }: FileImport,
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
) {
  const { query } = settings;
  for (const [name, value] of Object.entries(parameters)) query.set(name, value);
  // Rows that are skipped would be removed.
  if (query.get('on_error') === 'skip') query.delete('replace');
  const charset = settings.get('encoding');
  const coding = codingOf(file.name);
  const type = formatOf(file.name)?.mediaType ?? 'text/csv';
  return {
    path: `${resource.path}/import`,
    query,
    headers: {
      'content-type': charset === undefined ? type : `${type}; charset=${charset}`,
      ...(coding !== undefined && { 'content-encoding': coding }),
      ...headers,
    },
    content: () => file,
    // It takes as long as it takes to send the file.
    timeout: Number.POSITIVE_INFINITY,
  };
}

/** To the browser, a file that it cannot read is a lost connection. */
async function explained(error: unknown, { file }: FileImport): Promise<unknown> {
  const isLost = error instanceof StockbookError && error.code === 'connection_failed';
  return isLost && !(await canRead(file)) ? new FileChanged() : error;
}
