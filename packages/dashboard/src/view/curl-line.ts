import type { TraceQuestion } from '../protocol/pages.ts';

/** Options of curl that take a word after them which says nothing about where a request goes. */
const withWord = new Set([
  '-o',
  '--output',
  '-A',
  '--user-agent',
  '-e',
  '--referer',
  '-b',
  '--cookie',
  '-c',
  '--cookie-jar',
  '-m',
  '--max-time',
  '--connect-timeout',
  '--cacert',
  '--cert',
  '--key',
  '-E',
  '-w',
  '--write-out',
  '-x',
  '--proxy',
  '-U',
  '--proxy-user',
  '--resolve',
  '--connect-to',
  '--retry',
  '-F',
  '--form',
]);
const withData = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
]);

/**
 * What a person typed, as a request: a URL, or a whole curl command line as browsers copy it. What goes
 * with it to the server is left out: a trace sends nothing.
 *
 * ```ts
 * curlQuestion({ url: "curl -X POST -H 'Host: shop.test' http://127.0.0.1:8000/orders" });
 * ```
 */
export function curlQuestion(question: TraceQuestion): TraceQuestion {
  const words = shellWords(question.url.trim());
  if (words[0] !== 'curl') return { ...question, url: question.url.trim() };
  let url: string | undefined;
  let method: string | undefined;
  let hasData = false;
  const headers: Record<string, string> = { ...question.headers };
  for (let index = 1; index < words.length; index += 1) {
    const [option = '', own] = splitOption(words[index]!);
    const next = (): string => {
      if (own !== undefined) return own;
      index += 1;
      return words[index] ?? '';
    };
    if (option === '-X' || option === '--request') method = next();
    else if (option === '-H' || option === '--header') addHeader(headers, next());
    else if (option === '-I' || option === '--head') method ??= 'HEAD';
    else if (option === '-G' || option === '--get') method ??= 'GET';
    else if (option === '--url') url ??= next();
    else if (option === '-u' || option === '--user') next();
    else if (withData.has(option)) {
      hasData = true;
      next();
    } else if (withWord.has(option)) next();
    else if (!option.startsWith('-')) url ??= option;
  }
  const asked = question.method ?? method ?? (hasData ? 'POST' : undefined);
  return { url: url ?? '', headers, ...(asked === undefined ? {} : { method: asked }) };
}

/** `-XPOST` and `--request=POST` are one word of two. */
function splitOption(word: string): readonly [string, string | undefined] {
  const long = /^(--[\w-]+)=(.*)$/s.exec(word);
  if (long !== null) return [long[1]!, long[2]];
  const short = /^(-[XHdA])(.+)$/s.exec(word);
  return short === null ? [word, undefined] : [short[1]!, short[2]];
}

function addHeader(headers: Record<string, string>, line: string): void {
  const at = line.indexOf(':');
  if (at > 0) headers[line.slice(0, at).trim()] = line.slice(at + 1).trim();
}

/** As a shell would split it, with both sorts of quotes, backslashes and lines that go on. */
function shellWords(text: string): readonly string[] {
  const words: string[] = [];
  const pattern = /(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+/g;
  for (const [word] of text.replaceAll(/\\\r?\n/g, ' ').matchAll(pattern))
    words.push(
      word.replaceAll(
        /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
        (_, single?: string, double?: string, escaped?: string) =>
          single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
      ),
    );
  return words;
}
