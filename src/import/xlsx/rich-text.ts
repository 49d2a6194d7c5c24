/** The text of a cell as XML has it: in one piece, or in runs that have formats. How it is pronounced, which Japanese workbooks say, is left out. */

import { type Attributes, XmlError, type XmlHandler } from './xml.ts';

/**
 * The longest text of a cell, as it is written. Excel has 32,767 characters, some of which take seven here. Hundreds of cells in a piece of a sheet may refer
 * to the same text, and all of them are in memory at once.
 */
const MAX_TEXT = 64 * 1024;

/** Receives what is inside of `<si>` or `<is>`. */
export class RichText implements XmlHandler {
  #text = '';
  #run: string | undefined;
  #isTrimmed = true;
  #isPronunciation = false;

  open(element: string, attributes: Attributes): void {
    if (element === 'rPh') this.#isPronunciation = true;
    if (element !== 't' || this.#isPronunciation) return;
    this.#run = '';
    this.#isTrimmed = attributes.get('xml:space') !== 'preserve';
  }

  text(text: string): void {
    if (this.#run === undefined) return;
    this.#run += text;
    checkLength(this.#text.length + this.#run.length);
  }

  close(element: string): void {
    if (element === 'rPh') this.#isPronunciation = false;
    if (element !== 't' || this.#run === undefined) return;
    this.#text += this.#isTrimmed ? trimmed(this.#run) : this.#run;
    this.#run = undefined;
  }

  /** Returns the text, and begins the next one. */
  take(): string {
    const text = unescaped(this.#text);
    this.#text = '';
    this.#run = undefined;
    this.#isPronunciation = false;
    return text;
  }
}

/** Spaces of XML only: others, such as a non-breaking space, are part of the text. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '');
}

/** `_x000D_` is a carriage return: characters that XML does not have are written so. `_x005F_` is the `_` of a text that only looks like it. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text
    .replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .toWellFormed();
}

export function checkLength(length: number): void {
  if (length > MAX_TEXT) throw new XmlError(`a cell has more than ${MAX_TEXT} characters`);
}
