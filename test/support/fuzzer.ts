/**
 * Requests for a fuzzer, generated from a seed: those that the grammar of the API allows, those that it nearly allows, and bytes that are
 * no request at all.
 */

import fc from 'fast-check';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';
import {
  AGGREGATE_PARAMETERS,
  CHANGES_PARAMETERS,
  DIGEST_PARAMETERS,
  LIST_PARAMETERS,
  PARAMETER_NAMES,
  type ParameterName,
} from '../../src/request/parameters.ts';
import { apiPaths, mcpPaths, publicPaths } from '../../src/request/route.ts';
import { filterOf, text } from './arbitraries.ts';
import {
  AWKWARD_VALUES,
  BAD_METHODS,
  BREAKING_HEADERS,
  HEADER_VALUES,
  OTHER_METHODS,
  OTHER_VERSIONS,
} from './fuzz-values.ts';
import { mutated } from './mutate.ts';
import { Random } from './random.ts';

export interface FuzzerOptions {
  readonly seed: number;
  /** The key of the account that the requests are for. */
  readonly key: string;
  /** The host of the other account. */
  readonly otherHost: string;
}

/** How many filters and texts are generated in advance. They are combined at random. */
const POOL = 400;

/** The share of requests whose bytes are changed after they were printed. */
const MUTATED = 0.2;

const MARKS = ['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '%', '\r\n\r\n', '\u00ff', '\u{1f600}'];

export interface FuzzedRequest {
  readonly bytes: Buffer;
  /** Whether the server knows where it ends, so that another request can follow. */
  readonly isSound: boolean;
}

export class Fuzzer {
  readonly #random: Random;
  readonly #options: FuzzerOptions;
  readonly #filters: ReadonlyMap<Resource, readonly string[]>;
  readonly #texts: readonly string[];
  readonly #paths: readonly string[];
  #isSound = true;

  constructor(options: FuzzerOptions) {
    const { seed } = options;
    this.#random = new Random(seed);
    this.#options = options;
    this.#filters = new Map(
      builtInCatalog.resources.map((resource) => [
        resource,
        fc.sample(filterOf(resource, []).map(printFilter), { seed, numRuns: POOL }),
      ]),
    );
    this.#texts = fc.sample(text, { seed, numRuns: POOL });
    this.#paths = [...apiPaths, ...apiPaths, ...apiPaths, ...mcpPaths, ...publicPaths].map(({ path }) => path);
  }

  next(): FuzzedRequest {
    const random = this.#random;
    this.#isSound = true;
    if (this.#breaks(0.02)) return { bytes: random.bytes(1 + random.below(200)), isSound: false };
    const request = this.#request();
    const bytes = this.#breaks(MUTATED) ? mutated(random, request, MARKS) : request;
    return { bytes, isSound: this.#isSound };
  }

  /** Whether to do something, with this probability, after which no other request can follow on the connection. */
  #breaks(share: number): boolean {
    if (!this.#random.chance(share)) return false;
    this.#isSound = false;
    return true;
  }

  #request(): Buffer {
    const random = this.#random;
    const path = this.#path();
    const method = this.#method(path);
    const query = random.chance(method === 'POST' ? 0.1 : 0.6) ? `?${this.#query(path)}` : '';
    const hasBody = ['POST', 'QUERY', 'PUT'].includes(method) || random.chance(0.03);
    const body = hasBody ? this.#body(path, method) : Buffer.alloc(0);
    const isChunked = hasBody && random.chance(0.2);
    const framing = isChunked
      ? ['Transfer-Encoding: chunked']
      : hasBody
        ? [`Content-Length: ${this.#length(body)}`]
        : [];
    const version = this.#breaks(0.03) ? random.pick(OTHER_VERSIONS) : 'HTTP/1.1';
    const line = `${method} ${path}${query} ${version}`;
    const head = [line, ...this.#headers(method, path), ...framing].join('\r\n');
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), isChunked ? this.#chunked(body) : body]);
  }

  #method(path: string): string {
    if (path === '/mcp' || path === '/api/v1/sign-in') return 'POST';
    if (this.#breaks(0.02)) return this.#random.pick(BAD_METHODS);
    if (path.endsWith('/partner') && this.#random.chance(0.3)) return 'POST';
    return this.#random.chance(0.75) ? 'GET' : this.#random.pick(OTHER_METHODS);
  }

  #path(): string {
    const random = this.#random;
    const path = random.pick(this.#paths).replace(/\{\w+\}/, () => (random.chance(0.5) ? '1' : this.#value()));
    if (random.chance(0.9)) return path;
    if (this.#breaks(0.2)) return random.pick(['', '*', `${path} x`, '\u00e9', `http://localhost${path}`]);
    return random.pick([
      `${path}/`,
      `/${path}`,
      `${path}/x`,
      path.toUpperCase(),
      `${path}%2f`,
      `${path}%00`,
      `${path}/../..`,
    ]);
  }

  /** A value of a parameter or of a segment of the path. */
  #value(): string {
    const random = this.#random;
    if (random.chance(0.7)) return random.pick(AWKWARD_VALUES);
    return encodeURIComponent(random.pick(this.#texts).toWellFormed());
  }

  #query(path: string): string {
    const random = this.#random;
    const resource =
      builtInCatalog.resources.find((one) => path.includes(one.path)) ?? random.pick(builtInCatalog.resources);
    const accepted = parametersOf(path);
    const pairs = Array.from({ length: 1 + random.below(3) }, () => {
      const name = random.chance(0.93) ? random.pick(accepted) : random.pick([...PARAMETER_NAMES, ...AWKWARD_VALUES]);
      const value = random.chance(0.8) ? this.#validValue(name, resource) : undefined;
      return `${name}=${value === undefined ? this.#value() : this.#encoded(value)}`;
    });
    return pairs.join('&');
  }

  #validValue(name: string, resource: Resource): string | undefined {
    const random = this.#random;
    const field = () => random.pick(resource.fields).name;
    switch (name) {
      case 'filter':
        return random.pick(this.#filters.get(resource) ?? []);
      case 'fields':
        return [field(), field(), field()].join(',');
      case 'sort':
        return random.pick([field(), `-${field()}`, `${field()},-id`]);
      case 'page':
      case 'limit':
        return String(1 + random.below(5));
      case 'explain':
        return 'true';
      case 'format':
        return random.pick(['json', 'ndjson', 'ndjson;end=line', 'csv', 'csv;excel-safe=true', 'xlsx']);
      case 'measures':
        return random.pick([
          'count',
          `min(${field()})`,
          `sum(${field()}),count`,
          'avg(id)',
          `max(${field()}*${field()})`,
        ]);
      case 'facets':
        return random.pick([field(), `${field()},${field()}`, 'create_date:month', 'id:5']);
      default:
        return undefined;
    }
  }

  /** Percent-encoded, mostly. */
  #encoded(value: string): string {
    return this.#breaks(0.05) ? value.replaceAll(' ', '+') : encodeURIComponent(value.toWellFormed());
  }

  #headers(method: string, path: string): readonly string[] {
    const random = this.#random;
    const { key, otherHost } = this.#options;
    const host = random.chance(0.9) ? 'localhost' : random.pick([otherHost, 'x', '', 'a:b:c', '[::1]', '127.0.0.1:1']);
    const credentials = random.chance(0.92)
      ? `Bearer ${key}`
      : random.pick([
          '',
          'Bearer',
          `Bearer ${key}x`,
          `bearer  ${key}`,
          `Basic ${key}`,
          `Bearer ${key.slice(0, -3)}abc`,
          'Bearer \u00ff',
        ]);
    const names = random.some(Object.keys(HEADER_VALUES), random.chance(0.7) ? 1 : 4);
    const typed = method === 'POST' && random.chance(0.9) ? ['Content-Type: application/json'] : [];
    const mcp = path === '/mcp' && random.chance(0.9) ? ['Accept: application/json, text/event-stream'] : [];
    return [
      `Host: ${host}`,
      ...(random.chance(0.97) ? [`Authorization: ${credentials}`] : []),
      ...typed,
      ...mcp,
      ...(this.#breaks(0.03) ? [random.pick(BREAKING_HEADERS)] : []),
      ...names.map((name) => `${name}: ${random.pick(HEADER_VALUES[name] ?? [''])}`),
    ];
  }

  #body(path: string, method: string): Buffer {
    const random = this.#random;
    if (random.chance(0.1)) return random.bytes(random.below(100));
    if (method === 'QUERY') return Buffer.from(this.#query(path));
    const value = path === '/mcp' ? this.#message() : this.#partner();
    const json = JSON.stringify(value);
    return Buffer.from(random.chance(0.05) ? `[${'['.repeat(random.below(200))}${json}` : json);
  }

  #partner(): unknown {
    const random = this.#random;
    const name = random.chance(0.7)
      ? random.pick(this.#texts)
      : random.pick([null, 1, true, [], {}, '', ' ', 'x'.repeat(1_001)]);
    return random.chance(0.8)
      ? { name }
      : random.pick([{ name, id: 1 }, { nam: name }, [name], name, {}, { name, __proto__: name }]);
  }

  /** A message of the Model Context Protocol. */
  #message(): unknown {
    const random = this.#random;
    const tool = random.pick(['describe', 'query', 'get', 'aggregate', 'changes', 'create_partner', 'drop']);
    const names = ['resource', ...PARAMETER_NAMES, 'id', 'name'];
    const value = (name: string): unknown => {
      if (name === 'resource') return random.pick(['product', 'partner', 'company', 'x', 1]);
      if (name === 'filter') return random.pick(this.#filters.get(random.pick(builtInCatalog.resources)) ?? []);
      return random.pick<unknown>([...AWKWARD_VALUES, 1, -1, 0, 1e99, null, [], {}, ['id'], true]);
    };
    const args = Object.fromEntries(['resource', ...random.some(names, 4)].map((name) => [name, value(name)]));
    const method = random.chance(0.7)
      ? 'tools/call'
      : random.pick(['initialize', 'tools/list', 'ping', 'x', 'resources/list']);
    return {
      jsonrpc: '2.0',
      id: random.pick<unknown>([1, 'a', null]),
      method,
      params: { name: tool, arguments: args },
    };
  }

  /** The length of a body; sometimes not the real one. */
  #length(body: Buffer): string {
    const random = this.#random;
    if (!this.#breaks(0.1)) return String(body.length);
    return random.pick([
      '0',
      '-1',
      '+5',
      `${body.length + 5}`,
      `${Math.max(0, body.length - 3)}`,
      '1e3',
      '99999999999999999999',
      '5, 5',
      'x',
    ]);
  }

  #chunked(body: Buffer): Buffer {
    const random = this.#random;
    const parts: Buffer[] = [];
    for (let at = 0; at < body.length; ) {
      const part = body.subarray(at, at + 1 + random.below(20));
      at += part.length;
      const size = !this.#breaks(0.03)
        ? part.length.toString(16)
        : random.pick(['', 'zz', '-1', 'ffffffffffffffff', '0x5', ' 3']);
      const extension = random.chance(0.1) ? ';a="b"' : '';
      parts.push(Buffer.from(`${size}${extension}\r\n`), part, Buffer.from('\r\n'));
    }
    const end = !this.#breaks(0.05)
      ? '0\r\n\r\n'
      : random.pick(['0\r\nA: b\r\n\r\n', '0\r\n', '', '0\n\n', '00\r\n\r\n']);
    return Buffer.concat([...parts, Buffer.from(end)]);
  }
}

function parametersOf(path: string): readonly ParameterName[] {
  if (path.endsWith('/changes')) return CHANGES_PARAMETERS;
  if (path.endsWith('/digest')) return DIGEST_PARAMETERS;
  return path.endsWith('/aggregate') ? AGGREGATE_PARAMETERS : LIST_PARAMETERS;
}
