/** The languages in which a view can be copied, one row each. */

import type { ApiRequest } from './api-request.ts';
import { asCurl } from './as-curl.ts';
import { asHttp } from './as-http.ts';
import { asPython } from './as-python.ts';
import { asTypeScript } from './as-typescript.ts';
import { asUrl } from './as-url.ts';

export interface Language {
  readonly title: string;
  readonly print: (request: ApiRequest) => string;
  /** How to run it. */
  readonly note: string;
}

const KEY = 'Reads your key from the environment variable KEY.';

export const languages = {
  curl: { title: 'curl', print: asCurl, note: KEY },
  url: { title: 'URL', print: asUrl, note: 'Send your key in the Authorization header.' },
  typescript: { title: 'TypeScript', print: asTypeScript, note: KEY },
  python: { title: 'Python', print: asPython, note: `${KEY} Needs no packages.` },
  http: { title: 'HTTP', print: asHttp, note: 'Replace $KEY with your key.' },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof languages;

export const LANGUAGE_NAMES: readonly [LanguageName, ...LanguageName[]] = [
  'curl',
  'url',
  'typescript',
  'python',
  'http',
];
