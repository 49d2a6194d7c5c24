/** How the text of a setting becomes its value: one reader for each kind of value, with examples that its tests execute. */

import { availableParallelism } from 'node:os';
import type { AllowedOrigins } from '../access/cross-origin.ts';
import type { AccessLog } from '../observe/events.ts';

export interface Reader<Value> {
  /** Undefined if the text is not valid. */
  readonly read: (text: string) => Value | undefined;
  /** Follows "must be". */
  readonly expected: string;
  /** Texts that are valid, the limits among them. */
  readonly accepts: readonly string[];
  /** Texts that are not, those just beyond the limits among them. */
  readonly rejects: readonly string[];
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** The unit, in the plural. */
  readonly of?: string;
}

export function wholeNumber({ from, to, of }: Range): Reader<number> {
  return {
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
      return from <= value && value <= to ? value : undefined;
    },
    expected: `a whole number ${of === undefined ? '' : `of ${of} `}from ${from} to ${to}`,
    accepts: [from, to].map(String),
    rejects: [...[from - 1, to + 1, to + 0.5].map(String), `+${to}`, `${to}e0`, ` ${to}`, '', 'unlimited'],
  };
}

/** 0 is unlimited. */
export function limit(range: Omit<Range, 'from'>): Reader<number> {
  const number = wholeNumber({ from: 0, ...range });
  return {
    read: (text) => (text === 'unlimited' ? 0 : number.read(text)),
    expected: `${number.expected}, or unlimited`,
    accepts: [...number.accepts, 'unlimited'],
    rejects: number.rejects.filter((text) => text !== 'unlimited').concat('none', 'Unlimited'),
  };
}

export const port: Reader<number> = wholeNumber({ from: 0, to: 65_535 });

const upTo999 = wholeNumber({ from: 0, to: 999 });

/** 0 is one per core. */
export const processCount: Reader<number> = {
  ...upTo999,
  read(text) {
    const count = upTo999.read(text);
    return count === 0 ? availableParallelism() : count;
  },
};

export const listenAddress: Reader<string> = {
  read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  expected: 'an IP address or a host name',
  accepts: ['127.0.0.1', '::', 'stock.example.com'],
  rejects: ['', 'http://localhost', '[::1]', '10.0.0.1 10.0.0.2', 'localhost/'],
};

export const domainName: Reader<string> = {
  read: (text) => (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text) ? text.toLowerCase() : undefined),
  expected: 'a domain name such as stock.example.com',
  accepts: ['localhost', 'stock.example.com', 'Stock.Example.COM'],
  rejects: ['', 'a b', '.example.com', 'example.com.', 'https://example.com', 'example.com:8080', 'é.example.com'],
};

export const originList: Reader<AllowedOrigins> = {
  read(text) {
    if (text === '*') return '*';
    const origins = text.split(',').map((origin) => origin.trim().toLowerCase());
    if (text.trim() === '') return [];
    return origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? origins : undefined;
  },
  expected: '*, or origins separated by commas, such as https://shop.example.com',
  accepts: ['', '*', 'https://shop.example.com', 'https://Shop.example.com , http://localhost:5173'],
  rejects: [
    ...['shop.example.com', 'https://shop.example.com/', 'https://shop.example.com/app', 'https://*.example.com/'],
    ...['https://shop.example.com,', 'https://shop.example.com,*', 'https://shop.example.com:443', 'null'],
  ],
};

export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return {
    read: (text) => words.find((word) => word === text),
    expected: `one of ${words.join(', ')}`,
    accepts: words,
    rejects: ['', 'other', ...words.map((word) => word.toUpperCase())],
  };
}

export const accessLog: Reader<AccessLog> = {
  read(text) {
    if (text === 'all' || text === 'errors') return text;
    const share = /^0?\.\d{1,6}$/.test(text) ? Number(text) : 0;
    return share > 0 ? share : undefined;
  },
  expected: 'all, errors, or a number between 0 and 1 such as 0.1',
  accepts: ['all', 'errors', '0.1', '.25', '0.000001'],
  rejects: ['0', '0.0', '1', '1.5', '-0.5', '0.0000001', 'none', ''],
};

export const toggle: Reader<boolean> = {
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  expected: 'true or false',
  accepts: ['true', 'false'],
  rejects: ['', 'yes', '1', 'TRUE'],
};
