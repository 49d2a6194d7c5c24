/** Markdown to HTML with anchors at its headings. */

import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml, Html, html } from '../../src/pages/html.ts';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** The `id` of the heading; unique in its document. */
  readonly anchor: string;
}

/** Where a relative link leads; undefined if the file is not served. */
export type ResolveLink = (href: string) => string | undefined;

const parser = new Marked();

export function renderMarkdown(text: string, resolve: ResolveLink): { html: Html; headings: readonly Heading[] } {
  const tokens = parser.lexer(text);
  const headings = headingsOf(tokens);
  const rendered = new Marked({ renderer: renderer(headings, resolve) }).parser(tokens);
  return { html: new Html(rendered), headings: [...headings.values()] };
}

/** The anchor of a heading, as GitHub makes it, so that links work there as well. */
export function anchorOf(heading: string): string {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}_\s-]/gu, '');
  return letters.trim().replaceAll(/\s/g, '-');
}

function headingsOf(tokens: readonly Token[]): ReadonlyMap<Token, Heading> {
  const used = new Map<string, number>();
  const headings = new Map<Token, Heading>();
  for (const token of tokens) {
    if (!isHeading(token)) continue;
    const text = plainText(token);
    const anchor = anchorOf(text);
    const repeated = used.get(anchor) ?? 0;
    used.set(anchor, repeated + 1);
    headings.set(token, { depth: token.depth, text, anchor: repeated === 0 ? anchor : `${anchor}-${repeated}` });
  }
  return headings;
}

/** Marked's own type has a member for tokens of extensions, which have any `type`. */
function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** One or more, and nothing else. */
function isComment(html: string): boolean {
  return /^\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)+$/.test(html);
}

function plainText(token: Token): string {
  if (token.type === 'html' && isComment(token.raw)) return ' ';
  if ('tokens' in token && token.tokens !== undefined) return textOf(token.tokens);
  return 'text' in token && typeof token.text === 'string' ? token.text : ' ';
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(plainText).join('');
}

function renderer(headings: ReadonlyMap<Token, Heading>, resolve: ResolveLink): RendererObject {
  return {
    heading(token) {
      const content = this.parser.parseInline(token.tokens);
      const anchor = headings.get(token)?.anchor ?? '';
      const link = html`<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
      return `<h${token.depth} id="${escapeHtml(anchor)}">${content} ${link.text}</h${token.depth}>\n`;
    },
    link({ href, tokens }) {
      const content = new Html(this.parser.parseInline(tokens));
      if (/^https?:/.test(href)) return html`<a href="${href}" rel="noreferrer">${content}</a>`.text;
      const target = href.startsWith('#') ? href : resolve(href);
      // The file is only in the repository, or the text is not meant as a link.
      return target === undefined ? content.text : html`<a href="${target}">${content}</a>`.text;
    },
    image({ href, text }) {
      const source = resolve(href);
      return source === undefined ? escapeHtml(text) : html`<img src="${source}" alt="${text}">`.text;
    },
    code({ text }) {
      // Wide code scrolls, which has to work with the keyboard as well.
      return html`<pre tabindex="0"><code>${text}</code></pre>`.text;
    },
    table(token) {
      const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`;
      const rows = token.rows.map((cells) => row(cells, 'td')).join('');
      const table = `<table>\n<thead>\n${row(token.header, 'th')}</thead>\n<tbody>\n${rows}</tbody>\n</table>`;
      return `<div class="table" tabindex="0">${table}</div>\n`;
    },
    /** Our Markdown has comments, but no other HTML, so anything else is text. */
    html({ text }) {
      return isComment(text) ? '' : escapeHtml(text);
    },
  };
}
