/** One element of an XML document: enough for the answers of an S3 server. */
export interface XmlElement {
  /** Without a namespace. */
  readonly name: string;
  readonly children: XmlElement[];
  /** All text directly in it. */
  text: string;
}

const maxDepth = 20;
const maxElements = 200_000;

/**
 * Reads a document in one pass. Undefined for what is none, for one that is too large, and for one
 * that declares a type: nothing of an answer may define what the rest of it means.
 */
export function parseXml(document: string): XmlElement | undefined {
  const root: XmlElement = { name: '', children: [], text: '' };
  const open: XmlElement[] = [root];
  let at = 0;
  let elements = 0;
  while (at < document.length) {
    const here = open[open.length - 1] as XmlElement;
    const next = document.indexOf('<', at);
    const end = next < 0 ? document.length : next;
    here.text += decodedText(document.slice(at, end));
    if (next < 0) break;
    if (document.startsWith('<![CDATA[', next)) {
      const close = document.indexOf(']]>', next);
      if (close < 0) return undefined;
      here.text += document.slice(next + 9, close);
      at = close + 3;
      continue;
    }
    if (document.startsWith('<!--', next)) {
      const close = document.indexOf('-->', next + 4);
      if (close < 0) return undefined;
      at = close + 3;
      continue;
    }
    const close = document.indexOf('>', next);
    if (close < 0) return undefined;
    const tag = document.slice(next + 1, close);
    at = close + 1;
    if (tag.startsWith('?')) continue;
    if (tag.startsWith('!')) return undefined;
    if (tag.startsWith('/')) {
      if (open.length === 1 || nameIn(tag.slice(1)) !== here.name) return undefined;
      open.pop();
      continue;
    }
    if (++elements > maxElements || open.length > maxDepth) return undefined;
    const element: XmlElement = { name: nameIn(tag), children: [], text: '' };
    here.children.push(element);
    if (!tag.endsWith('/')) open.push(element);
  }
  return open.length === 1 ? root.children[0] : undefined;
}

/** The text of the first child with a name. */
export function textOf({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text;
}

function nameIn(tag: string): string {
  const end = tag.search(/[\s/]/);
  const full = end < 0 ? tag : tag.slice(0, end);
  return full.slice(full.indexOf(':') + 1);
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decodedText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, ...groups) => {
    const [decimal, hexadecimal, name] = groups as (string | undefined)[];
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] as string) : whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
