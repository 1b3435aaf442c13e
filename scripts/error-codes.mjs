// The page of error codes, from the comments on the codes themselves.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The page as Markdown. A code is declared where it stands as a member of a union (`| 'WG_…'`) or as the
 * `code` of a class; the comment above it has two parts: when it occurs (its first sentence), and what to
 * do (the rest). Throws on a code that is used and not declared, declared twice, or says too little.
 */
export function errorCodesPage(root) {
  const rooms = readdirSync(join(root, 'packages')).sort();
  const declared = new Map();
  const used = new Map();
  for (const room of rooms) {
    for (const file of sourcesBelow(join(root, 'packages', room, 'src'))) {
      const text = readFileSync(file, 'utf8');
      for (const found of declarationsIn(text)) {
        if (declared.has(found.code)) throw new Error(`${found.code} is declared twice: ${file}`);
        if (!found.when || !found.what)
          throw new Error(`${file}: ${found.code} wants a comment: when it occurs. What to do.`);
        declared.set(found.code, { ...found, room });
      }
      for (const [, code] of text.matchAll(/'(WG_[A-Z0-9_]+)'/g)) used.set(code, file);
    }
  }
  for (const [code, file] of used)
    if (!declared.has(code)) throw new Error(`${file}: ${code} is declared nowhere`);
  return page(rooms, [...declared.values()], exitCodes(root));
}

function declarationsIn(text) {
  const pattern =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^[ \t]+(?:\| '(WG_[A-Z0-9_]+)'|readonly code = '(WG_[A-Z0-9_]+)')/gm;
  return [...text.matchAll(pattern)].map(([, comment = '', member, constant]) => ({
    code: member ?? constant,
    error: classOf(text),
    ...partsOf(comment),
  }));
}

/** The class of the file that carries codes; a file has one. */
function classOf(text) {
  return /export class (\w+) extends Error/.exec(text)?.[1];
}

function partsOf(comment) {
  const text = plain(comment);
  const end = /\.(?= [A-Z`])/.exec(text)?.index ?? text.length;
  return { when: text.slice(0, end + 1), what: text.slice(end + 1).trim() };
}

function plain(comment) {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();
}

function exitCodes(root) {
  const text = readFileSync(join(root, 'packages/cli/src/context.ts'), 'utf8');
  const [, body = ''] = /export const exitCode = \{([\s\S]*?)\} as const/.exec(text) ?? [];
  const found = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(\w+): (\d+)/g)];
  if (found.length === 0) throw new Error('packages/cli/src/context.ts: no exit codes found');
  return found.map(([, comment, name, code]) => ({ code, name, meaning: plain(comment) }));
}

function page(rooms, codes, exits) {
  const lines = [
    '# Error codes',
    '',
    'Made from the comments in the code by `npm run docs`; change them there.',
    '',
    'Every error that a room raises has a `code` that stays as it is from version to version: compare it,',
    'never the message. What another error led to has that as its `cause`.',
  ];
  for (const room of rooms) {
    const own = codes.filter((code) => code.room === room);
    if (own.length === 0) continue;
    lines.push('', `## ${room}`, '', '| code | of | when | what to do |', '|---|---|---|---|');
    for (const { code, error, when, what } of own)
      lines.push(
        `| \`${code}\` | ${error === undefined ? '' : `\`${error}\``} | ${when} | ${what} |`,
      );
  }
  lines.push('', '## Exit codes of the program', '', '| code | name | when |', '|---|---|---|');
  for (const { code, name, meaning } of exits) lines.push(`| ${code} | ${name} | ${meaning} |`);
  lines.push('', 'A second Ctrl-C or SIGTERM ends the program at once, with 130.', '');
  return lines.join('\n');
}

function sourcesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return sourcesBelow(path);
      return /(?<!\.test)\.tsx?$/.test(entry.name) ? [path] : [];
    });
}
