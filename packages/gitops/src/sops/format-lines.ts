import { sopsError } from './sops-error.ts';
import { isComment, type SopsBranch, type SopsComment, type SopsPair } from './sops-tree.ts';

/** A file of `NAME=value` lines; its metadata are lines too. */
export function loadDotenv(text: string): { branch: SopsBranch; metadata: Map<string, string> } {
  const items: (SopsPair | SopsComment)[] = [];
  const metadata = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) {
      items.push({ comment: line.slice(1) });
      continue;
    }
    const equals = line.indexOf('=');
    if (equals < 0) throw sopsError('failed to load encrypted dotenv data: a line has no "="');
    const key = line.slice(0, equals);
    const value = line.slice(equals + 1);
    if (key.startsWith('sops_')) metadata.set(key.slice(5), value);
    else items.push({ key, value: value.replaceAll('\\n', '\n') });
  }
  return { branch: { items }, metadata };
}

export function emitDotenv({ items }: SopsBranch): string {
  return items
    .map((item) => {
      if (isComment(item)) return `#${item.comment}\n`;
      if (typeof item.value === 'object' && item.value !== null) {
        throw sopsError(`cannot use complex value in dotenv file; offending key ${item.key}`);
      }
      return `${item.key}=${String(item.value ?? '').replaceAll('\n', '\\n')}\n`;
    })
    .join('');
}

/** A file of sections; one of them is the metadata. */
export function loadIni(text: string): { branch: SopsBranch; metadata: Map<string, string> } {
  const metadata = new Map<string, string>();
  const sections: { key: string; items: (SopsPair | SopsComment)[] }[] = [];
  const root: (SopsPair | SopsComment)[] = [];
  let section = { key: 'DEFAULT', items: [] as (SopsPair | SopsComment)[] };
  sections.push(section);
  let pending: SopsComment[] = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '') continue;
    const header = /^\[(.*)\]$/.exec(line);
    if (/^[;#]/.test(line)) pending.push({ comment: line.slice(1).trimStart() });
    else if (header !== null) {
      section = { key: header[1] ?? '', items: pending };
      pending = [];
      sections.push(section);
    } else {
      const equals = line.search(/[=:]/);
      if (equals < 0) throw sopsError('failed to load encrypted INI data: a line has no "="');
      const key = line.slice(0, equals).trim();
      const value = line.slice(equals + 1).trim();
      if (section.key === 'sops') metadata.set(key, value);
      else section.items.push(...pending, { key, value });
      pending = [];
    }
  }
  for (const { key, items } of sections) {
    if (key === 'sops' || (key === 'DEFAULT' && items.length === 0)) continue;
    root.push({ key, value: { items } });
  }
  return { branch: { items: root }, metadata };
}

export function emitIni({ items }: SopsBranch): string {
  const sections = items.map((item) => {
    if (isComment(item)) return `; ${item.comment}\n`;
    const { value } = item;
    if (typeof value !== 'object' || value === null || !('items' in value)) {
      throw sopsError(`an INI file has sections only; offending key ${item.key}`);
    }
    return emitSection(item.key, value);
  });
  return sections.join('\n');
}

/** Equal signs stand below one another; comments before the first key belong to the section. */
function emitSection(name: string, { items }: SopsBranch): string {
  const pairs = items.filter((one): one is SopsPair => !isComment(one));
  const width = Math.max(0, ...pairs.map(({ key }) => key.length));
  const firstPair = items.findIndex((one) => !isComment(one));
  const lead = items.slice(0, firstPair < 0 ? items.length : firstPair);
  const lines = lead.map((one) => `; ${(one as SopsComment).comment}\n`);
  if (name !== 'DEFAULT') lines.push(`[${name}]\n`);
  for (const one of items.slice(lead.length)) {
    if (isComment(one)) lines.push(`; ${one.comment}\n`);
    else lines.push(`${one.key.padEnd(width)} = ${String(one.value ?? '')}\n`);
  }
  return lines.join('');
}
