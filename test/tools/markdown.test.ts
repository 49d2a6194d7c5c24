import { describe, expect, test } from 'vitest';
import { anchorOf, renderMarkdown } from '../../tools/guides/markdown.ts';

const render = (text: string, resolve: (href: string) => string | undefined = () => undefined) =>
  renderMarkdown(text, resolve).html.text;

describe('Markdown to HTML', () => {
  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['a <b onclick="x">c</b>', 'a &lt;b onclick=&quot;x&quot;&gt;c&lt;/b&gt;'],
    ['`<b>` & "quotes"', '<code>&lt;b&gt;</code> &amp; &quot;quotes&quot;'],
    ['[x](javascript:alert(1))', '<p>x</p>'],
    ['[x](data:text/html,y)', '<p>x</p>'],
    ['[x](//other.example/)', '<p>x</p>'],
    [
      '[x](https://example.com/?a=1&b="2")',
      '<a href="https://example.com/?a=1&amp;b=&quot;2&quot;" rel="noreferrer">x</a>',
    ],
    ['[x](#here)', '<a href="#here">x</a>'],
    ['![alt "text"](https://example.com/x.png)', 'alt &quot;text&quot;'],
    ['```js "><script>\n</code>\n```', '<pre tabindex="0"><code>&lt;/code&gt;</code></pre>'],
    ['| a |\n|---|\n| `<b>` \\| c |', '<td><code>&lt;b&gt;</code> | c</td>'],
  ])('%j becomes %j', (text, html) => {
    expect(render(text)).toContain(html);
  });

  test('comments are left out, and text around them is not', () => {
    expect(render('a\n\n<!-- npm run docs: x -->\n\nb\n\n<!-- end -->\n')).toBe('<p>a</p>\n<p>b</p>\n');
    expect(render('<!-- a --> <b>')).toContain('&lt;b&gt;');
  });

  test('relative links and images lead where they are resolved to', () => {
    const resolve = (href: string) => (href.startsWith('known') ? `/to/${href}` : undefined);
    expect(render('[a](known.md#b) ![c](known.svg) [d](unknown.md)', resolve)).toBe(
      '<p><a href="/to/known.md#b">a</a> <img src="/to/known.svg" alt="c"> d</p>\n',
    );
  });

  test('repeated headings have different anchors', () => {
    const { headings } = renderMarkdown('# A b\n## A b\n### `a` *B*!', () => undefined);
    expect(headings).toEqual([
      { depth: 1, text: 'A b', anchor: 'a-b' },
      { depth: 2, text: 'A b', anchor: 'a-b-1' },
      { depth: 3, text: 'a B!', anchor: 'a-b-2' },
    ]);
  });
});

test.each([
  ['Why are there no rows?', 'why-are-there-no-rows'],
  ['`node:http` without a framework', 'nodehttp-without-a-framework'],
  ['Größe & Co', 'größe--co'],
])('the anchor of %j is %j, as on GitHub', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
