import { blockText } from './scalar-text.ts';

/**
 * What becomes of a `>` block when Go's library writes it and reads it again, as programs do that pass
 * documents on as text. It looks at the first line where it should look at the next, so a line that is
 * indented more gets an empty one before it, and a `>+` block grows at its end.
 *
 * ```ts
 * refold('a\n  b\n'); // 'a\n\n  b\n'
 * refold('a\nb\n'); // 'a\nb\n'
 * ```
 */
export function refold(text: string): string {
  // What can be no block is written in quotes, and those keep it.
  return blockText(text, 0) === undefined ? text : read(written(text), chompOf(text));
}

function written(text: string): string {
  const start = text.replace(/^\n+/, '');
  const startsBlank = start === '' || isBlank(start);
  let out = '';
  let isAfterBreak = true;
  let isIndented = true;
  for (const char of text) {
    if (char === '\n') {
      if (!isAfterBreak && !isIndented && !startsBlank) out += '\n';
      isAfterBreak = true;
    } else {
      if (isAfterBreak) isIndented = isBlank(char);
      isAfterBreak = false;
    }
    out += char;
  }
  return out;
}

type Chomp = 'strip' | 'clip' | 'keep';

function chompOf(text: string): Chomp {
  if (!text.endsWith('\n')) return 'strip';
  return text === '\n' || text.endsWith('\n\n') ? 'keep' : 'clip';
}

function read(block: string, chomp: Chomp): string {
  let text = '';
  let lineBreak = '';
  let emptyLines = '';
  let wasIndented = false;
  const lines = block.split('\n');
  if (block.endsWith('\n')) lines.pop();
  for (const line of lines) {
    if (line === '') {
      emptyLines += '\n';
      continue;
    }
    const isIndented = isBlank(line);
    if (!wasIndented && !isIndented && lineBreak !== '') text += emptyLines === '' ? ' ' : '';
    else text += lineBreak;
    text += emptyLines + line;
    lineBreak = '\n';
    emptyLines = '';
    wasIndented = isIndented;
  }
  if (chomp === 'strip') return text;
  return chomp === 'keep' ? text + lineBreak + emptyLines : text + lineBreak;
}

function isBlank(text: string): boolean {
  return text.startsWith(' ') || text.startsWith('\t');
}
