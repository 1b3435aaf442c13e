import type { PluginEntity } from '../../kong-state.ts';
import type { AnnotationReader } from '../annotation-reader.ts';
import type { ResolvedNginxOptions } from '../options.ts';
import type { NginxSettings } from '../settings.ts';
import { type Snippet, understand } from '../snippets/understand.ts';

/** What the snippets of an Ingress come to. */
export interface SnippetSettings {
  readonly location: Snippet | undefined;
  /** For the whole host, whatever the path. */
  readonly server: Snippet | undefined;
}

/** Annotations that nothing here can do, whatever their text. */
const neverUnderstood = ['auth-snippet', 'stream-snippet', 'modsecurity-snippet'] as const;

/** Reads the snippets. What is not understood whole is handled as the operator chose. */
export function parseSnippets(
  read: AnnotationReader,
  settings: NginxSettings,
  { unknownSnippets }: ResolvedNginxOptions,
): SnippetSettings {
  const complain = (name: string, message: string) => {
    if (unknownSnippets === 'refuse') read.drop(name, message);
    else read.problem(name, `${message}, and has no effect`);
  };
  if (read.bool('enable-modsecurity') === true)
    complain('enable-modsecurity', 'there is no web application firewall');
  const isAllowed = settings.bool('allow-snippet-annotations');
  const own = (name: string, place: 'location' | 'server') => {
    const text = isAllowed ? read.text(name) : undefined;
    if (text === undefined) return undefined;
    const snippet = understand(text, place);
    if (snippet.unknown.length === 0) return snippet;
    complain(name, `cannot be done here: ${[...new Set(snippet.unknown)].join(', ')}`);
    return snippet;
  };
  if (isAllowed)
    for (const name of neverUnderstood)
      if (read.text(name) !== undefined) complain(name, 'cannot be done here');
  return {
    location: joined(global(settings, 'location'), own('configuration-snippet', 'location')),
    server: joined(global(settings, 'server'), own('server-snippet', 'server')),
  };
}

/** The operator's own, of which what is understood counts. */
function global(settings: NginxSettings, place: 'location' | 'server'): Snippet | undefined {
  const text = settings.text(`${place}-snippet`);
  return text === '' ? undefined : understand(text, place);
}

/** Two snippets as one, the first before the second. */
export function joined(one: Snippet | undefined, two: Snippet | undefined): Snippet | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  const size = two.body_size ?? one.body_size;
  const substitutions = two.substitutions ?? one.substitutions;
  return {
    rules: [...one.rules, ...two.rules],
    request_headers: [...one.request_headers, ...two.request_headers],
    response_headers: [...one.response_headers, ...two.response_headers],
    clear_headers: [...one.clear_headers, ...two.clear_headers],
    hide_headers: [...one.hide_headers, ...two.hide_headers],
    cookie_flags: [...one.cookie_flags, ...two.cookie_flags],
    ...(size !== undefined && { body_size: size }),
    ...(substitutions !== undefined && { substitutions }),
    unknown: [...one.unknown, ...two.unknown],
  };
}

/** The plugin that does what a snippet says, as far as no other does. */
export function snippetPlugin(snippet: Snippet | undefined): PluginEntity[] {
  if (snippet === undefined) return [];
  const { rules, request_headers, response_headers, clear_headers, cookie_flags } = snippet;
  const config = { rules, request_headers, response_headers, clear_headers, cookie_flags };
  const { substitutions } = snippet;
  const isReplacing = (substitutions?.pairs.length ?? 0) > 0;
  const isNothing = Object.values(config).every((list) => list.length === 0) && !isReplacing;
  return isNothing
    ? []
    : [{ name: 'nginx-snippet', config: { ...config, ...(isReplacing && { substitutions }) } }];
}
