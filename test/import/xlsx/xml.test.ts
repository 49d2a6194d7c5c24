import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { XmlError, XmlParser } from '../../../src/import/xlsx/xml.ts';

/** What the handler receives: `<a b="1">`, `text`, `</a>`. Pieces of text are joined. */
function eventsOf(...pieces: readonly string[]): readonly string[] {
  const events: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') events.push(text);
    text = '';
  };
  const parser = new XmlParser({
    open(element, attributes) {
      flush();
      events.push(`<${[element, ...[...attributes].map(([name, value]) => `${name}="${value}"`)].join(' ')}>`);
    },
    text(piece) {
      text += piece;
    },
    close(element) {
      flush();
      events.push(`</${element}>`);
    },
  });
  for (const piece of pieces) parser.feed(piece);
  parser.end();
  return events;
}

describe('documents', () => {
  test.each<[string, string, readonly string[]]>([
    ['elements', '<a><b>x</b></a>', ['<a>', '<b>', 'x', '</b>', '</a>']],
    ['empty elements', '<a><b/><c /></a>', ['<a>', '<b>', '</b>', '<c>', '</c>', '</a>']],
    ['attributes', `<a b="1" c='"' d = "x>y/"/>`, ['<a b="1" c=""" d="x>y/">', '</a>']],
    ['prefixes', '<x:a r:id="1" xmlns:x="u"></x:a>', ['<a r:id="1" xmlns:x="u">', '</a>']],
    ['spaces in tags', '<a\n\tb="1"\r\n></a >', ['<a b="1">', '</a>']],
    ['entities', '<a b="&lt;&#65;">&amp;&gt;&quot;&apos;&#x1F600;&#10;</a>', ['<a b="<A">', '&>"\'😀\n', '</a>']],
    ['CDATA', '<a>x<![CDATA[<b>&amp;]]]]>y</a>', ['<a>', 'x<b>&amp;]]y', '</a>']],
    ['comments', '<!-- < --><a>x<!-- > - -->y</a><!---->', ['<a>', 'xy', '</a>']],
    ['instructions', '<?xml version="1.0"?>\n<?mso x?><a/>\n', ['<a>', '</a>']],
    ['line breaks', '<a>1\r\n2\r3\n</a>\r', ['<a>', '1\n2\n3\n', '</a>']],
  ])('are read: %s', (_, xml, events) => {
    expect(eventsOf(xml)).toEqual(events);
    expect(eventsOf(...xml)).toEqual(events);
  });

  test('what is read does not depend on how the text is split', () => {
    const xml = '<?xml?><a b="&amp;">x&#65;\r\ny<!-- c --><![CDATA[]]x\r\n]]><c d="1"/></a>';
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: xml.length - 1 })), (places) => {
        const ends = [0, ...places.toSorted((one, other) => one - other), xml.length];
        const pieces = ends.slice(1).map((end, index) => xml.slice(ends[index], end));
        expect(eventsOf(...pieces)).toEqual(eventsOf(xml));
      }),
    );
  });
});

describe('what is refused', () => {
  test.each<[string, string, string]>([
    ['a DTD', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'DOCTYPE'],
    ['another declaration', '<a><!ELEMENT b></a>', 'DOCTYPE'],
    ['an unknown entity', '<a>&nbsp;</a>', "entity '&nbsp;'"],
    ['the name of a property', '<a>&constructor;</a>', "entity '&constructor;'"],
    ['an entity without an end', '<a>&amp and more text</a>', "entity '&amp and"],
    ['a character that XML does not have', '<a>&#0;</a>', "entity '&#0;'"],
    ['half of a character', '<a>&#xD800;</a>', "entity '&#xD800;'"],
    ['a number that is too large', '<a>&#x110000;</a>', "entity '&#x110000;'"],
    ['an attribute twice', '<a b="1" b="2"/>', 'twice'],
    ['an attribute without a value', '<a b/>', 'no value'],
    ['an attribute without quotes', '<a b=1 c="2"/>', 'no value'],
    ['no space between attributes', '<a b="1"c="2"/>', 'no space'],
    ['no name', '<a>< b="1"/></a>', 'name is not valid'],
    ['a long name', `<${'a'.repeat(257)}/>`, 'name is not valid'],
    ['elements that cross', '<a><b></a></b>', 'closes no open element'],
    ['closed too often', '<a></a></a>', 'closes no open element'],
    ['two roots', '<a/><b/>', 'more than one root'],
    ['text outside', '<a/>x', 'outside of its root'],
    ['not closed', '<a><b></b>', 'ends too early'],
    ['an open comment', '<a/><!-- ', 'ends too early'],
    ['an open tag', '<a b="', 'ends too early'],
    ['nothing', ' ', 'ends too early'],
    ['too deep', '<a>'.repeat(65), 'nested more than 64 deep'],
    ['a long tag', `<a b="${'x'.repeat(65_536)}`, 'more than 65536 characters'],
  ])('%s', (_, xml, message) => {
    expect(() => eventsOf(xml)).toThrow(XmlError);
    expect(() => eventsOf(xml)).toThrow(message);
  });

  test('64 levels are not too deep', () => {
    expect(eventsOf('<a>'.repeat(64), '</a>'.repeat(64))).toHaveLength(128);
  });
});
