/** A request as it can be traced. */
export interface TypedRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Flags of curl that take a value of their own, which is not the URL. */
const flagsWithValue = new Set(
  (
    '-A -b -c -C -d -D -e -E -F -h -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z ' +
    '--user-agent --cookie --cookie-jar --continue-at --data --data-raw --data-binary --data-ascii ' +
    '--data-urlencode --json --dump-header --referer --cert --key --cacert --capath --form --form-string ' +
    '--header --config --max-time --connect-timeout --output --quote --range --upload-file --user --proxy-user ' +
    '--write-out --proxy --request --resolve --connect-to --retry --retry-delay --interface --url ' +
    '--unix-socket --limit-rate --max-redirs --ciphers --tls-max --noproxy --oauth2-bearer --aws-sigv4'
  ).split(' '),
);
const bodyFlags = /^(-d|--data(-raw|-binary|-ascii|-urlencode)?|--json|-F|--form(-string)?)$/;

/** What somebody typed or pasted: an address, `POST address`, or a whole command line of curl. */
export function readTyped(typed: string): TypedRequest | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  if (/^\$?\s*curl(\s|$)/.test(text)) return readCurl(text);
  const [, method, rest] = /^([A-Za-z]+)\s+(\S+)$/.exec(text) ?? [];
  if (method && rest) return { url: withScheme(rest), method: method.toUpperCase() };
  return { url: withScheme(text) };
}

function readCurl(text: string): TypedRequest | undefined {
  const words = shellWords(text.replace(/^\$\s*/, ''))
    .slice(1)
    .flatMap(splitFlag);
  const headers: Record<string, string> = {};
  let url: string | undefined;
  let method: string | undefined;
  let implied: string | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') {
      url ??= word;
      continue;
    }
    if (word === '-I' || word === '--head') implied = 'HEAD';
    if (word === '-G' || word === '--get') implied = 'GET';
    if (!flagsWithValue.has(word)) continue;
    const value = words[++index] ?? '';
    if (word === '-X' || word === '--request') method = value.toUpperCase();
    else if (word === '--url') url = value;
    else if (bodyFlags.test(word)) implied ??= 'POST';
    else if (word === '-T' || word === '--upload-file') implied ??= 'PUT';
    else addHeader(headers, word, value);
    if (word === '--json') headers['content-type'] ??= 'application/json';
  }
  if (url === undefined) return undefined;
  const chosen = method ?? implied;
  return {
    url: withScheme(url),
    ...(chosen && { method: chosen }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function addHeader(headers: Record<string, string>, flag: string, value: string): void {
  if (flag === '-A' || flag === '--user-agent') headers['user-agent'] = value;
  if (flag === '-e' || flag === '--referer') headers.referer = value;
  if (flag === '-b' || flag === '--cookie') headers.cookie = value;
  if (flag === '--oauth2-bearer') headers.authorization = `Bearer ${value}`;
  if (flag !== '-H' && flag !== '--header') return;
  const colon = value.indexOf(':');
  // `Name;` is an empty header, `Name:` takes one of curl's own away.
  if (colon > 0 && value.slice(colon + 1).trim() !== '')
    headers[value.slice(0, colon).trim().toLowerCase()] = value.slice(colon + 1).trim();
}

/** `-XPOST` and `-sSL` are several words in one, `--request=POST` is none of curl's but people write it. */
function splitFlag(word: string): string[] {
  const long = /^(--[a-z0-9-]+)=(.*)$/s.exec(word);
  if (long) return [long[1] ?? '', long[2] ?? ''];
  if (!/^-[^-]./.test(word)) return [word];
  const flag = word.slice(0, 2);
  if (flagsWithValue.has(flag)) return [flag, word.slice(2)];
  return [flag, ...splitFlag(`-${word.slice(2)}`)];
}

/** As a shell splits a line: quotes, `$'…'`, backslashes, and lines that are continued. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  const piece =
    /\\\r?\n|\s+|\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\$]+|\$)/gs;
  let word: string | undefined;
  for (const [whole, ansi, single, double, escaped, plain] of line.matchAll(piece)) {
    if (/^\s+$/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (!whole.startsWith('\\\n') && !whole.startsWith('\\\r')) {
      const text =
        ansi?.replace(/\\(.)/gs, (_, char: string) => ansiEscapes[char] ?? char) ??
        single ??
        double?.replace(/\\(["\\$`\n])/g, '$1') ??
        escaped ??
        plain ??
        '';
      word = (word ?? '') + text;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

const ansiEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
}
