import { unknownNginxVariable } from '@waygate/kong';
import { parseSize } from '../settings.ts';
import { type Directive, parseDirectives } from './directives.ts';
import { notRunnable } from './runnable.ts';

/** What the plugin `nginx-snippet` does for the directives of a snippet. */
export interface Snippet {
  readonly rules: readonly object[];
  readonly request_headers: readonly object[];
  readonly response_headers: readonly object[];
  readonly clear_headers: readonly string[];
  readonly hide_headers: readonly string[];
  readonly cookie_flags: readonly string[];
  readonly body_size?: number;
  readonly substitutions?: Substitutions;
  /** What is not understood, and so cannot be done. */
  readonly unknown: readonly string[];
}

/** What is replaced in bodies. */
interface Substitutions {
  readonly pairs: readonly { readonly from: string; readonly to: string }[];
  readonly once?: boolean;
  readonly types?: readonly string[];
}

interface Draft {
  /** What is said stands for the server, not for a location of it. */
  readonly isEarly: boolean;
  rules: object[];
  request_headers: object[];
  response_headers: object[];
  clear_headers: string[];
  hide_headers: string[];
  cookie_flags: string[];
  body_size?: number;
  substitutions?: Substitutions;
  unknown: string[];
  /** What `set` gave a name to, before it is used. */
  readonly variables: Map<string, string>;
}

/** Reads a snippet. It is understood whole, or what is not understood is named. */
export function understand(text: string, place: 'location' | 'server'): Snippet {
  const { isEarly: _, variables: __, unknown, ...snippet } = draftOf(text, place);
  return { ...snippet, unknown: [...unknown, ...notRunnable(snippet)] };
}

function draftOf(text: string, place: 'location' | 'server'): Draft {
  const draft: Draft = {
    isEarly: place === 'server',
    rules: [],
    request_headers: [],
    response_headers: [],
    clear_headers: [],
    hide_headers: [],
    cookie_flags: [],
    unknown: [],
    variables: new Map(),
  };
  const directives = parseDirectives(text);
  if (directives === undefined) draft.unknown.push('it is not written as nginx reads it');
  for (const written of directives ?? []) {
    const directive = withVariables(written, draft);
    const isUnderstood = isCondition(directive)
      ? takeIf(directive, draft)
      : directive.name === 'location' && place === 'server'
        ? takeLocation(directive, draft)
        : directive.block === undefined && take(directive, draft, undefined);
    if (!isUnderstood) draft.unknown.push(directive.name);
  }
  return draft;
}

/** A directive with the texts of variables in the place of their names. */
function withVariables(directive: Directive, draft: Draft): Directive {
  const { variables } = draft;
  if (variables.size === 0) return directive;
  const fill = (word: string) =>
    word.replace(/\$(?:\{(\w+)\}|(\w+))/g, (all, braced?: string, bare?: string) => {
      return variables.get(braced ?? bare ?? '') ?? all;
    });
  // The name that `set` gives, and the variable that is looked at, stay names.
  const keeps = directive.name === 'set' || directive.name === 'if' ? 1 : 0;
  return {
    ...directive,
    words: directive.words.map((word, index) => (index < keeps ? word : fill(word))),
    block: directive.block?.map((inner) => withVariables(inner, draft)),
  };
}

/** A text under a name, once: what is set again, or to what nginx itself has, is not followed. */
function takeSet([name = '', value = '']: readonly string[], { variables }: Draft): boolean {
  const bare = name.slice(1);
  if (!/^\$[a-z_]\w*$/i.test(name) || variables.has(bare) || value.length > maxVariable)
    return false;
  if (unknownNginxVariable(name) === undefined) return false;
  variables.set(bare, value);
  return true;
}

/** Longer texts are nobody's, and would grow by each use. */
const maxVariable = 256;

function early({ isEarly }: Draft): { is_early?: true } {
  return isEarly ? { is_early: true } : {};
}

function isCondition({ name, block }: Directive): boolean {
  return name === 'if' && block !== undefined;
}

type Condition = Readonly<Record<string, string>> | undefined;

/** One directive without a block; what stands under a condition must answer or rewrite. */
function take({ name, words }: Directive, draft: Draft, condition: Condition): boolean {
  const [first = '', second = '', third] = words;
  if (name === 'return') return takeReturn(words, draft, condition);
  if (name === 'rewrite') return takeRewrite(words, draft, condition);
  if (condition !== undefined || words.length === 0) return false;
  switch (name) {
    case 'set':
      return words.length === 2 && takeSet(words, draft);
    case 'more_set_input_headers':
    case 'more_clear_input_headers':
      return words.every((word) => takeInputHeader(word, draft, name));
    case 'more_set_headers':
      return words.every((word) => takeHeader(word, draft));
    case 'more_clear_headers': {
      const isPlain = words.every((word) => /^[A-Za-z0-9-_]+$/.test(word));
      if (isPlain) draft.clear_headers.push(...words);
      return isPlain;
    }
    case 'add_header': {
      const isAlways = third === 'always';
      if (words.length > 3 || (third !== undefined && !isAlways)) return false;
      const header = { name: first, value: second, replaces: false, always: isAlways };
      draft.response_headers.push({ ...header, ...early(draft) });
      return true;
    }
    case 'proxy_set_header':
      draft.request_headers.push({ name: first, value: second });
      return words.length === 2;
    case 'proxy_hide_header':
      draft.hide_headers.push(first);
      return words.length === 1;
    case 'proxy_cookie_flags':
      return takeCookieFlags(words, draft);
    case 'client_max_body_size': {
      const size = parseSize(first);
      if (size !== undefined) draft.body_size = size;
      return size !== undefined && words.length === 1;
    }
    case 'sub_filter':
    case 'sub_filter_once':
    case 'sub_filter_types':
      return takeSubstitution(name, words, draft);
    default:
      return false;
  }
}

/** Plain texts only: variables in them would be another text for each request. */
function takeSubstitution(name: string, words: readonly string[], draft: Draft): boolean {
  const { substitutions: before = { pairs: [] } } = draft;
  const [from = '', to = ''] = words;
  if (name === 'sub_filter') {
    if (words.length !== 2 || from === '' || words.some((word) => word.includes('$'))) return false;
    draft.substitutions = { ...before, pairs: [...before.pairs, { from, to }] };
    return true;
  }
  if (name === 'sub_filter_types') {
    draft.substitutions = { ...before, types: ['text/html', ...words] };
    return true;
  }
  if (words.length !== 1 || !['on', 'off'].includes(from)) return false;
  draft.substitutions = { ...before, once: from === 'on' };
  return true;
}

/** `Name: value`; without a value the header is taken away. */
function takeHeader(word: string, draft: Draft): boolean {
  const [, name, value = ''] = /^([A-Za-z0-9-_]+)\s*:?\s*(.*)$/s.exec(word) ?? [];
  if (name === undefined) return false;
  if (value === '') draft.clear_headers.push(name);
  else draft.response_headers.push({ name, value, replaces: true, always: true, ...early(draft) });
  return true;
}

/** Of the request; without a value the header is not sent on. */
function takeInputHeader(word: string, draft: Draft, directive: string): boolean {
  const [, name, value = ''] = /^([A-Za-z0-9-_]+)\s*:?\s*(.*)$/s.exec(word) ?? [];
  const isCleared = directive === 'more_clear_input_headers';
  if (name === undefined || (isCleared && word !== name)) return false;
  draft.request_headers.push({ name, value });
  return true;
}

function takeReturn(words: readonly string[], draft: Draft, condition: Condition): boolean {
  const [code = '', body] = words;
  if (/^https?:\/\//.test(code) && words.length === 1) {
    draft.rules.push({ ...condition, status: 302, body: code, ...early(draft) });
    return true;
  }
  const status = Number(code);
  if (!(status >= 200 && status <= 599) || words.length > 2) return false;
  draft.rules.push({ ...condition, status, ...(body !== undefined && { body }), ...early(draft) });
  return true;
}

function takeRewrite(words: readonly string[], draft: Draft, condition: Condition): boolean {
  const [pattern = '', target = '', flag] = words;
  const isAway = /^https?:\/\//.test(target);
  // Without `break` nginx looks for the location anew.
  const isKnown = flag === undefined ? isAway : ['break', 'redirect', 'permanent'].includes(flag);
  if (words.length < 2 || words.length > 3 || !isKnown || target.includes('?')) return false;
  draft.rules.push({ ...condition, pattern, target, flag: flag ?? 'redirect', ...early(draft) });
  return true;
}

/** For all cookies only. */
function takeCookieFlags([cookie, ...flags]: readonly string[], draft: Draft): boolean {
  const names: Readonly<Record<string, string>> = {
    secure: 'Secure',
    httponly: 'HttpOnly',
    'samesite=strict': 'SameSite=Strict',
    'samesite=lax': 'SameSite=Lax',
    'samesite=none': 'SameSite=None',
  };
  const known = flags.map((flag) => names[flag.toLowerCase()]);
  if (cookie !== '~' || known.some((flag) => flag === undefined)) return false;
  draft.cookie_flags.push(...known.filter((flag) => flag !== undefined));
  return true;
}

/** `if ($variable operator value) { … }` with directives that answer or rewrite. */
function takeIf({ words, block }: Directive, draft: Draft): boolean {
  const text = words.join(' ').trim();
  if (!text.startsWith('(') || !text.endsWith(')')) return false;
  const condition = conditionOf(words);
  return condition !== undefined && (block ?? []).every((inner) => take(inner, draft, condition));
}

function conditionOf(words: readonly string[]): Condition {
  const parts = words
    .map((word, index) => (index === 0 ? word.replace(/^\(/, '') : word))
    .map((word, index) => (index === words.length - 1 ? word.replace(/\)$/, '') : word))
    .filter((word) => word !== '');
  const [variable = '', operator, value, ...more] = parts;
  if (!/^\$[a-z0-9_]+$/i.test(variable) || more.length > 0) return undefined;
  if (operator === undefined) return { variable, operator: 'set' };
  if (!['=', '!=', '~', '~*', '!~', '!~*'].includes(operator) || value === undefined)
    return operator === '=' || operator === '!=' ? { variable, operator, value: '' } : undefined;
  return { variable, operator, value };
}

/** `location = /path { return …; }`, or with a pattern; `deny all` stands for 403. */
function takeLocation({ words, block }: Directive, draft: Draft): boolean {
  const [sign = '', value = ''] = words;
  const isKnown = ['=', '~', '~*'].includes(sign) && words.length === 2;
  if (!isKnown || block === undefined) return false;
  const condition = { variable: '$uri', operator: sign, value };
  const isDenied = block.some(({ name, words: [whom] }) => name === 'deny' && whom === 'all');
  // What answers at once does so before anybody is looked at.
  const rest = block.filter(({ name }) => name !== 'deny' && name !== 'access_log');
  const [inner] = rest;
  if (rest.length === 0 && isDenied) return takeReturn(['403'], draft, condition);
  return rest.length === 1 && inner?.name === 'return' && takeReturn(inner.words, draft, condition);
}
