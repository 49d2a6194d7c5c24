/** An import of any number of rows. */

import { requireScope } from '../access/authenticate.ts';
import type { Resource } from '../catalog/resource.ts';
import { TooManyBytes } from '../import/file-text.ts';
import type { Coding } from '../import/format.ts';
import { importRows } from '../import/import.ts';
import { anyFormat, type ImportFormat, importFormats } from '../import/import-formats.ts';
import type { ImportPlan } from '../import/import-plan.ts';
import { ACCESS_CHANGED, importProblem, interrupted, storageLimitReached } from '../import/import-problem.ts';
import { TooMuchHeld } from '../import/reading/cost.ts';
import { planReading } from '../import/reading-options.ts';
import { RunningImport } from '../import/running-import.ts';
import { CLIENT_WORDS, REQUEST_WORDS } from '../import/words.ts';
import { noSlot } from '../limits/import-slots.ts';
import { planImport, REMOVAL_LIMIT } from '../plan/import.ts';
import { Problem } from '../problem/problem.ts';
import { acceptedReply, importReply, replayedImportReply } from '../reply/import.ts';
import { replayed } from '../reply/record.ts';
import type { Reply } from '../reply/reply.ts';
import { TemporaryRejects } from '../reply/temporary-rejects.ts';
import { prefersRows } from '../request/accept.ts';
import { BodyFailed, bodyTooLarge, charsetOf, checkMediaType, mediaTypeOf } from '../request/body.ts';
import { HashedBody } from '../request/hashed-body.ts';
import { keyInProgress, keyReused, readIdempotencyKey } from '../request/idempotency-key.ts';
import { IMPORT_PARAMETERS } from '../request/parameters.ts';
import { prefersAsync, prefersClientWords } from '../request/prefer.ts';
import { readQuery } from '../request/query-string.ts';
import type { Request } from '../request/request.ts';
import { requiredScopes } from '../request/required-scopes.ts';
import { timestamp } from '../schedule/clock.ts';
import type { Caller, NoAccess } from '../store/store.ts';
import { OutdatedFields } from '../store/store-error.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

/** A body that is larger, in bytes, or compressed, takes a slot, and is listed while it arrives. */
export const SMALL_BODY = 256 * 1024;

const FORMATS = [...importFormats, anyFormat];
const TYPES = FORMATS.flatMap(({ mediaTypes }) => mediaTypes);
const CODINGS = ['gzip', 'zstd'] as const;

export async function importBody(call: Call, resource: Resource): Promise<Outcome> {
  const { request, session, timing, service } = call;
  // It was handled before, under a session that ended meanwhile, and what was read then is gone.
  if (request.isStreamed()) return interrupted(ACCESS_CHANGED, { connection: 'close' });
  const requested = readRequest(call, resource);
  if (requested instanceof Problem) return requested;
  const { plan, body } = requested;
  timing.end('plan');
  // The body can be read only once, so a session that does not hold has to be noticed before.
  if (!(await hasAccess(call))) return 'no access';
  const isReplayed = await hasUsedKey(call, plan);
  const isAsync = prefersAsync(request.headers.prefer) && !plan.dryRun && !isReplayed;
  const isSmall = !isAsync && (await hasSmallBody(request, requested));
  if (isSmall instanceof Problem) return closing(isSmall, body);
  if (isSmall && !requested.wantsRejects) return closing(await runImport(call, requested), body);
  const slot = service.imports.take(session.account.id);
  if (slot instanceof Problem) return slot;
  // The rejected rows are on disk until they are sent, and so long the slot is taken.
  if (requested.wantsRejects) return closing(await runImport(call, requested, { onSent: slot.release }), body);
  const running = plan.dryRun || isReplayed ? undefined : begin(call, plan);
  const outcome = runImport(call, requested, { running }).finally(slot.release);
  if (!isAsync || running === undefined) return closing(await outcome, body);
  const accepted = body.received.then(() => running.begun).then(() => acceptedReply(running.id));
  const first = await Promise.race([outcome, accepted]);
  if (!body.isReceived) return closing(first, body);
  // The response was sent by then.
  outcome.catch((error: unknown) => service.emit({ kind: 'import failed', importId: running.id, error }));
  return first;
}

/** Lists the import while it runs. */
function begin({ session, service }: Call, { resource, import: entry }: ImportPlan): RunningImport {
  const listed = { resource, by: entry.by, source: entry.source?.name };
  return new RunningImport(service.store.imports, session.account.id, listed, service.clock);
}

interface ImportRequest {
  readonly plan: ImportPlan;
  readonly format: ImportFormat;
  readonly body: HashedBody;
  /** Whether the response consists of the rows that cannot be imported. */
  readonly wantsRejects: boolean;
}

function readRequest(call: Call, resource: Resource): ImportRequest | Problem {
  const { request, session, service } = call;
  const query = readQuery(request.target.query, IMPORT_PARAMETERS);
  if (query instanceof Problem) return query;
  const words = prefersClientWords(request.headers.prefer) ? CLIENT_WORDS : REQUEST_WORDS;
  const planned = planImport(query, words.parameter);
  if (planned instanceof Problem) return planned;
  const { isConfirmed, source, ignoreUnknown, lenient, add, ...options } = planned;
  const {
    key: keyName,
    empty_text: emptyText,
    decimal,
    dates,
    timezone,
    sheet,
    header_row: headerRow,
    delimiter,
  } = query.values;
  const encoding = charsetOf(request.headers['content-type']);
  const isTabs = mediaTypeOf(request.headers['content-type'] ?? '') === 'text/tab-separated-values';
  const given = {
    key: keyName,
    add,
    emptyText,
    decimal,
    dates,
    timezone,
    sheet,
    headerRow,
    encoding,
    ignoreUnknown,
    lenient,
    delimiter: delimiter ?? (isTabs ? 'tab' : undefined),
  };
  const reading = planReading(resource, { ...given, map: query.repeated.map }, words);
  if (reading instanceof Problem) return reading;
  const key = readIdempotencyKey(request);
  if (key instanceof Problem) return key;
  const problem = checkMediaType(request.headers, TYPES, CODINGS);
  if (problem !== undefined) return problem;
  const type = mediaTypeOf(request.headers['content-type'] ?? '');
  const format = FORMATS.find(({ mediaTypes }) => mediaTypes.includes(type));
  if (format === undefined) throw new Error(`${type} has no format`);
  const body = new HashedBody(request.stream(service.maxImportSize));
  const by = { name: `key ${session.keyId}`, origin: request.address };
  const plan: ImportPlan = {
    ...options,
    ...reading,
    resource,
    words,
    ...(!isConfirmed && { removalLimit: REMOVAL_LIMIT }),
    import: { by, source },
    now: timestamp(service.clock),
    ...(key !== undefined && {
      idempotency: body.idempotency(key, `import ${request.target.query} ${request.headers['content-type']}`),
    }),
  };
  const wantsRejects = plan.dryRun && plan.onRowError === 'skip' && prefersRows(request.headers.accept);
  return { plan, format, body, wantsRejects };
}

async function runImport(
  call: Call,
  { plan: planned, format, body, wantsRejects }: ImportRequest,
  { running, onSent = () => {} }: { readonly running?: RunningImport | undefined; readonly onSent?: () => void } = {},
): Promise<Reply | Problem> {
  const { session, timing, service } = call;
  const { account, access } = session;
  const rejects = wantsRejects ? await TemporaryRejects.open(onSent) : undefined;
  const plan = { ...planned, rejects };
  const input = {
    bytes: body.bytes(),
    maxBytes: service.maxImportSize,
    coding: codingOf(call.request),
    hash: async () => body.hash,
  };
  const renew = () => currentCaller(call, plan.resource);
  try {
    const options = { running, renew, problemOf };
    const result = await importRows(service.store, { account: account.id, access }, plan, format, input, options);
    timing.end('store');
    switch (result.kind) {
      case 'imported': {
        if (rejects !== undefined) return rejects.reply();
        const refusal = result.tooManyRemoved ?? result.storageExceeded;
        return importReply(account, plan, result, refusal && importProblem(refusal, plan));
      }
      case 'replayed':
        return replayed(replayedImportReply(account, plan.resource, result.result ?? '{}'));
      case 'key in progress':
        return keyInProgress();
      case 'key reused':
        return keyReused(plan.resource, 'import', result);
      case 'storage exceeded':
        return storageLimitReached(result);
      case 'no access':
        return accessEnded(call);
      default:
        return importProblem(result, plan);
    }
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return problem;
  } finally {
    await rejects?.removeUnlessSent();
  }

  /** Undefined for errors of the service. */
  function problemOf(error: unknown): Problem | undefined {
    if (error instanceof BodyFailed) return error.problem;
    if (error instanceof OutdatedFields) return interrupted(ACCESS_CHANGED);
    if (error instanceof TooMuchHeld) return tooMuchHeld(error);
    return error instanceof TooManyBytes ? bodyTooLarge(service.maxImportSize) : undefined;
  }
}

/** Whatever is left of the body is not read. */
function closing(outcome: Reply | Problem, { isReceived }: HashedBody): Outcome {
  if (isReceived || !(outcome instanceof Problem)) return outcome;
  const { code, detail, context } = outcome;
  return new Problem(code, detail, { ...context, headers: { ...context.headers, connection: 'close' } });
}

async function hasUsedKey({ session, service }: Call, { resource, idempotency }: ImportPlan): Promise<boolean> {
  if (idempotency === undefined) return false;
  const { account, access } = session;
  return service.store.records.hasUsedKey({ account: account.id, access }, resource, idempotency.key);
}

/** While the body arrived, keys of the account may have been issued or revoked. Rows that were read with other fields are not imported. */
async function currentCaller(call: Call, resource: Resource): Promise<Caller | NoAccess> {
  const { session, service, request } = call;
  const { account, access } = session;
  if (await hasAccess(call)) return { account: account.id, access };
  const granted = await service.sessions.grant(request);
  if (granted instanceof Problem || granted.catalog.version !== resource.version) return 'no access';
  const problem = requireScope(granted, requiredScopes({ kind: 'import', resource }));
  return problem === undefined ? { account: account.id, access: granted.access } : 'no access';
}

async function accessEnded({ service, request }: Call): Promise<Problem> {
  const granted = await service.sessions.grant(request);
  if (granted instanceof Problem) return granted;
  return interrupted(ACCESS_CHANGED);
}

/** Reads a small body to its end, so that nobody waits for a slow client while it is imported. What is compressed may be large. */
async function hasSmallBody(request: Request, { format, body }: ImportRequest): Promise<boolean | Problem> {
  if (format.isCompressed || codingOf(request) !== 'identity') return false;
  if (Number(request.headers['content-length'] ?? 0) > SMALL_BODY) return false;
  try {
    return await body.isAtMost(SMALL_BODY);
  } catch (error) {
    if (error instanceof BodyFailed) return error.problem;
    throw error;
  }
}

function codingOf({ headers }: Request): Coding {
  const coding = headers['content-encoding']?.trim().toLowerCase();
  return CODINGS.find((known) => known === coding) ?? 'identity';
}

function tooMuchHeld({ isOfAccount }: TooMuchHeld): Problem {
  const whose = isOfAccount ? 'The imports of this account' : 'All imports together';
  return noSlot(`${whose} hold as much memory as they may: workbooks hold their texts while they are read.`);
}
