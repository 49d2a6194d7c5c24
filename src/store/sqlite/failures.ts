/** Errors as they travel from a thread to the serving thread. The class of an error does not survive the trip, so it is named. */

import {
  type Defect,
  OutdatedFields,
  ResultTooLarge,
  StatementRejected,
  StoreUnavailable,
  UnusableDatabase,
} from '../store-error.ts';
import { translateError, type Written } from './errors.ts';

export type Failure =
  | { readonly kind: 'unavailable'; readonly reason: StoreUnavailable['reason']; readonly message: string }
  | { readonly kind: 'unusable'; readonly message: string; readonly defect: Defect | undefined }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'too large'; readonly message: string }
  | { readonly kind: 'outdated'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown };

export function failureOf(cause: unknown, path: string, written?: Written): Failure {
  const error = translateError(cause, path, written);
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', reason: error.reason, message: error.message };
  if (error instanceof UnusableDatabase) return { kind: 'unusable', message: error.message, defect: error.defect };
  if (error instanceof StatementRejected) return { kind: 'rejected', message: error.message };
  if (error instanceof ResultTooLarge) return { kind: 'too large', message: error.message };
  if (error instanceof OutdatedFields) return { kind: 'outdated', message: error.message };
  return { kind: 'failed', error };
}

export function errorOf(failure: Failure): unknown {
  switch (failure.kind) {
    case 'unavailable':
      return new StoreUnavailable(failure.reason, failure.message);
    case 'unusable':
      return new UnusableDatabase(failure.message, failure.defect);
    case 'rejected':
      return new StatementRejected(failure.message);
    case 'too large':
      return new ResultTooLarge(failure.message);
    case 'outdated':
      return new OutdatedFields(failure.message);
    case 'failed':
      return failure.error;
  }
}
