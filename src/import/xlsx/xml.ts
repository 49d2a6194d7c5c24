/**
 * XML as workbooks have it, read while it arrives: elements, attributes, text, CDATA, comments and processing instructions. There is no DTD, so the only entities
 * are `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` and numbers. `<x:row r="1">a&amp;b</x:row>` opens `row` with the attribute `r`, has the text `a&b`, and closes `row`.
 */

import { quoted } from '../../problem/quoted.ts';

/** Namespaces are not resolved: a prefix is left out of the name of an element, and stays in the names of attributes. */
export interface XmlHandler {
  open(element: string, attributes: Attributes): void;
  /** Text may come in several pieces. */
  text(text: string): void;
  close(element: string): void;
}

export type Attributes = ReadonlyMap<string, string>;

/** The text is not XML, or not XML that is allowed. The message says why, to be put after "…: ". */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** The longest tag, in characters. */
const MAX_TAG = 64 * 1024;

/** In characters. */
const MAX_NAME = 256;

/** Workbooks nest elements 10 deep. */
const MAX_DEPTH = 64;

/** `&#x10FFFF;` with some leading zeros. */
const MAX_ENTITY = 16;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** What is skipped or copied until its end, however long it is. */
const SECTIONS = [
  { start: '<!--', end: '-->', isText: false },
  { start: '<![CDATA[', end: ']]>', isText: true },
  { start: '<?', end: '?>', isText: false },
] as const;

type Section = (typeof SECTIONS)[number];

export class XmlParser {
  readonly #handler: XmlHandler;
  /** What could not be read yet, because its end is missing. */
  #rest = '';
  #section: Section | undefined;
  /** The elements that are open, as they are written. */
  readonly #open: string[] = [];
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  feed(piece: string): void {
    const text = this.#rest + piece;
    const end = this.#read(text);
    this.#rest = text.slice(end);
    if (this.#rest.length > MAX_TAG) throw new XmlError(`a tag has more than ${MAX_TAG} characters`);
  }

  end(): void {
    if (this.#rest.trim() !== '' || this.#section !== undefined || this.#open.length > 0 || !this.#hasRoot) {
      throw new XmlError('it ends too early');
    }
  }

  /** Returns where something begins whose end is missing. */
  #read(text: string): number {
    let at = 0;
    while (at < text.length) {
      const next = this.#section === undefined ? this.#markup(text, at) : this.#skip(text, at, this.#section);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  /** Reads one piece of text, or one tag. */
  #markup(text: string, at: number): number | undefined {
    if (text[at] !== '<') return this.#characters(text, at);
    switch (text[at + 1]) {
      case undefined:
        return undefined;
      case '/':
        return this.#closingTag(text, at);
      case '!':
      case '?':
        return this.#enter(text, at);
      default:
        return this.#openingTag(text, at);
    }
  }

  #characters(text: string, from: number): number | undefined {
    const tag = text.indexOf('<', from);
    const end = tag < 0 ? completeUntil(text, from) : tag;
    if (end === from) return undefined;
    this.#text(decoded(withLineFeeds(text.slice(from, end))));
    return end;
  }

  #text(text: string): void {
    if (this.#open.length > 0) this.#handler.text(text);
    else if (text.trim() !== '') throw new XmlError('it has text outside of its root element');
  }

  /** A comment, CDATA, or a processing instruction. */
  #enter(text: string, at: number): number | undefined {
    const section = SECTIONS.find(({ start }) => text.startsWith(start, at));
    if (section !== undefined) {
      this.#section = section;
      return at + section.start.length;
    }
    const start = text.slice(at, at + '<!DOCTYPE'.length);
    if (SECTIONS.some((candidate) => candidate.start.startsWith(start))) return undefined;
    if ('<!DOCTYPE'.startsWith(start) && start.length < '<!DOCTYPE'.length) return undefined;
    throw new XmlError('it has a document type declaration (<!DOCTYPE), which workbooks do not have');
  }

  /** If the end has not arrived, all but what may be its beginning. */
  #skip(text: string, from: number, { end, isText }: Section): number | undefined {
    const found = text.indexOf(end, from);
    const until = found < 0 ? Math.max(from, unsplit(text, text.length - end.length + 1)) : found;
    if (isText && until > from) this.#text(withLineFeeds(text.slice(from, until)));
    if (found >= 0) {
      this.#section = undefined;
      return found + end.length;
    }
    return until > from ? until : undefined;
  }

  #closingTag(text: string, at: number): number | undefined {
    const end = text.indexOf('>', at);
    if (end < 0) return undefined;
    const name = text.slice(at + 2, end).trimEnd();
    const expected = this.#open.pop();
    if (name !== expected) throw new XmlError(`${quoted(`</${name}>`)} closes no open element`);
    this.#handler.close(localName(name));
    return end + 1;
  }

  #openingTag(text: string, at: number): number | undefined {
    const nameEnd = endOfName(text, at + 1);
    if (nameEnd === text.length) return undefined;
    const name = text.slice(at + 1, nameEnd);
    checkName(name);
    const attributes = new Map<string, string>();
    const end = readAttributes(text, nameEnd, attributes);
    if (end === undefined) return undefined;
    if (this.#open.length === 0 && this.#hasRoot) throw new XmlError('it has more than one root element');
    this.#hasRoot = true;
    const local = localName(name);
    this.#handler.open(local, attributes);
    if (text[end - 2] === '/') this.#handler.close(local);
    else {
      this.#open.push(name);
      if (this.#open.length > MAX_DEPTH) throw new XmlError(`its elements are nested more than ${MAX_DEPTH} deep`);
    }
    return end;
  }
}

/** Returns the position after the `>` of the tag; undefined if it has not arrived yet. */
function readAttributes(text: string, from: number, attributes: Map<string, string>): number | undefined {
  for (let at = from; ; ) {
    const start = skipSpace(text, at);
    if (start >= text.length) return undefined;
    if (text[start] === '>') return start + 1;
    if (text[start] === '/') {
      if (start + 1 >= text.length) return undefined;
      if (text[start + 1] !== '>') throw new XmlError('a tag has a / before its end');
      return start + 2;
    }
    if (start === at) throw new XmlError('there is no space between attributes');
    const nameEnd = endOfName(text, start);
    const name = text.slice(start, nameEnd);
    const equals = skipSpace(text, nameEnd);
    const quote = skipSpace(text, equals + 1);
    if (quote >= text.length) return undefined;
    checkName(name);
    const mark = text[quote];
    if (text[equals] !== '=' || (mark !== '"' && mark !== "'"))
      throw new XmlError(`attribute ${quoted(name)} has no value`);
    const end = text.indexOf(mark, quote + 1);
    if (end < 0) return undefined;
    if (attributes.has(name)) throw new XmlError(`a tag has attribute ${quoted(name)} twice`);
    attributes.set(name, decoded(text.slice(quote + 1, end)));
    at = end + 1;
  }
}

function checkName(name: string): void {
  if (name === '' || name.length > MAX_NAME || /[<&"']/.test(name)) throw new XmlError('a name is not valid');
}

function endOfName(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isEndOfName(text.charCodeAt(at))) at += 1;
  return at;
}

/** Space, `=`, `/` or `>`. */
function isEndOfName(code: number): boolean {
  return isSpace(code) || code === 0x3d || code === 0x2f || code === 0x3e;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Where text that arrived so far can be cut: not within an entity or a line break. */
function completeUntil(text: string, from: number): number {
  const entity = text.lastIndexOf('&');
  if (entity >= from && entity > text.length - MAX_ENTITY && !text.includes(';', entity)) return entity;
  return unsplit(text, text.length);
}

/** A line break of two characters stays in one piece. */
function unsplit(text: string, at: number): number {
  return text[at - 1] === '\r' ? at - 1 : at;
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

function decoded(text: string): string {
  return text.includes('&') ? text.replaceAll(/&([^;&]{0,16});?/g, decodedEntity) : text;
}

function decodedEntity(entity: string, name: string): string {
  const [, decimal, hexadecimal] = /^#(?:(\d+)|x([\da-f]+))$/i.exec(name) ?? [];
  const code = hexadecimal === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hexadecimal, 16);
  const text = isCharacter(code) ? String.fromCodePoint(code) : NAMED.get(name);
  if (text === undefined || !entity.endsWith(';')) throw new XmlError(`it has the unknown entity ${quoted(entity)}`);
  return text;
}

/** What XML 1.0 allows. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x1_00_00 && code <= 0x10_ff_ff);
}
