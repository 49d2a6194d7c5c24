/**
 * HTML that cannot be injected into: a template escapes every text, and only `Html` is taken as markup.
 *
 *     html`<p>${'a < b'}</p>`    <p>a &lt; b</p>
 */

export class Html {
  readonly text: string;

  /** `text` is trusted: it is sent as it is. */
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[];

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.reduce((text, part, at) => text + print(values[at - 1] ?? '') + part));
}

function print(value: Value): string {
  if (value instanceof Html) return value.text;
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
