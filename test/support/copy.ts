/** A client that keeps a copy of a resource from its changes alone, read in any of the three formats. */

import { createHash } from 'node:crypto';
import type { RecordValues } from './fixture.ts';

export const FEED_FORMATS = ['page', 'lines', 'events'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

interface Page {
  readonly data: readonly RecordValues[];
  readonly meta: { readonly count: number; readonly cursor: string; readonly more: boolean };
}

export interface Source {
  /** Of the resource, such as `http://127.0.0.1:8080/api/v1/resources/partner`. */
  readonly url: string;
  readonly key: string;
}

export class Copy {
  readonly #query: Readonly<Record<string, string>>;
  readonly records = new Map<number, RecordValues>();
  cursor: string | undefined;

  /** The parameters of every request, such as `filter` and `limit`. */
  constructor(query: Readonly<Record<string, string>> = {}) {
    this.#query = query;
  }

  /** What a client has stored, and continues with if it is killed. */
  clone(): Copy {
    const clone = new Copy(this.#query);
    clone.cursor = this.cursor;
    for (const [id, record] of this.records) clone.records.set(id, record);
    return clone;
  }

  /** Reads everything there is. */
  async follow(source: Source, format: FeedFormat): Promise<void> {
    await this.read(source, format, Number.POSITIVE_INFINITY);
  }

  /**
   * Reads until the client has seen this many pages, lines or events, then disconnects, in the middle of a stream if need
   * be. Returns whether it has everything.
   */
  async read(source: Source, format: FeedFormat, count: number): Promise<boolean> {
    switch (format) {
      case 'page':
        return this.#readPages(source, count);
      case 'lines':
        return this.#readLines(source, count);
      case 'events':
        return this.#readEvents(source, count);
    }
  }

  async #readPages(source: Source, count: number): Promise<boolean> {
    for (let pages = 0; pages < count; pages += 1) {
      const response = await this.#get(source, {});
      if (!this.#applyPage(Object(await response.json()))) return true;
    }
    return false;
  }

  /** The cursor is in the last line, so one that is missed is read again. */
  async #readLines(source: Source, count: number): Promise<boolean> {
    let lines = 0;
    for (let more = true; more; ) {
      let end: Page['meta'] | undefined;
      for await (const line of this.#stream(source, 'application/x-ndjson; end=line', '\n')) {
        lines += 1;
        if (lines > count) return false;
        const change = JSON.parse(line);
        end = change.end;
        if (end === undefined) this.#apply(change);
      }
      if (end === undefined) throw new Error('the stream is incomplete');
      ({ cursor: this.cursor, more } = end);
    }
    return true;
  }

  async #readEvents(source: Source, count: number): Promise<boolean> {
    let events = 0;
    for await (const event of this.#stream(source, 'text/event-stream', '\n\n')) {
      events += 1;
      if (events > count) return false;
      const data = /^data: (.*)$/m.exec(event)?.[1];
      // A heartbeat says that there is nothing.
      if (data === undefined || !this.#applyPage(JSON.parse(data))) return true;
    }
    throw new Error('the stream has ended');
  }

  /** The parts between the separators. Leaving the loop disconnects. */
  async *#stream(source: Source, accept: string, separator: string): AsyncGenerator<string> {
    const response = await this.#get(source, { accept });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${text}${chunk}`.split(separator);
      text = parts.pop() ?? '';
      yield* parts;
    }
    if (text !== '') throw new Error('the stream is truncated');
  }

  async #get({ url, key }: Source, headers: Readonly<Record<string, string>>): Promise<Response> {
    const query = new URLSearchParams({ ...this.#query, ...(this.cursor !== undefined && { since: this.cursor }) });
    const response = await fetch(`${url}/changes?${query}`, {
      headers: { authorization: `Bearer ${key}`, connection: 'close', ...headers },
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response;
  }

  /** Returns whether there is more. */
  #applyPage({ data, meta }: Page): boolean {
    if (data.length !== meta.count) throw new Error('the page does not have the changes that it counts');
    for (const change of data) this.#apply(change);
    this.cursor = meta.cursor;
    return meta.more;
  }

  #apply(change: RecordValues): void {
    const id = Number(change['id']);
    if (change['removed'] === true) this.records.delete(id);
    else this.records.set(id, change);
  }

  /** As the service computes it: the hash of the records as lines, in the order of ids. */
  get digest(): string {
    const hash = createHash('sha256');
    const sorted = [...this.records].toSorted(([a], [b]) => a - b);
    for (const [, record] of sorted) hash.update(`${JSON.stringify(record)}\n`);
    return hash.digest('hex');
  }
}
