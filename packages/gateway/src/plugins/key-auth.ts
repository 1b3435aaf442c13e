import { MultipartForm } from '../http/multipart.ts';
import { QueryArguments } from '../http/query-arguments.ts';
import { authenticate, authenticateAnonymous, isAuthenticated } from '../plugin/authenticate.ts';
import { definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';

interface Config {
  readonly key_names: readonly string[];
  readonly key_in_header: boolean;
  readonly key_in_query: boolean;
  readonly key_in_body: boolean;
  readonly hide_credentials: boolean;
  readonly anonymous: string | null;
  readonly run_on_preflight: boolean;
  readonly realm: string | null;
}

const maximumBodyBytes = 1_024 * 1_024;

/** Lets in who has a key. */
export const keyAuth = definePlugin<Config>({
  name: 'key-auth',
  priority: 1_250,
  access(context, config) {
    if (!config.run_on_preflight && context.method === 'OPTIONS') return undefined;
    if (isAuthenticated(context, config.anonymous)) return undefined;
    const key = findKey(context, config);
    if (key === undefined && config.key_in_body && context.hasBody) {
      return findKeyInBody(context, config).then((found) => decide(context, config, found));
    }
    decide(context, config, key);
    return undefined;
  },
});

function decide(context: RequestContext, config: Config, key: string | undefined): void {
  const realm = config.realm === null ? 'Key' : `Key realm="${config.realm}"`;
  const refuse = (message: string) => {
    if (!authenticateAnonymous(context, config.anonymous)) {
      context.fail(401, message, { 'WWW-Authenticate': realm });
    }
  };
  if (key === undefined || key === '') {
    refuse('No API key found in request');
    return;
  }
  const { consumers } = context.snapshot;
  const stored = consumers.credential('keyauth_credentials', 'key', key);
  if (stored === undefined || isExpired(stored, context.runtime.now())) {
    refuse('Unauthorized');
    return;
  }
  const owner = consumers.consumer((stored.consumer as { id?: string } | null)?.id);
  authenticate(context, owner, { id: stored.id, identifier: stored.id });
}

function findKey(context: RequestContext, config: Config): string | undefined {
  for (const name of config.key_names) {
    const inHeader = config.key_in_header ? context.headers.getAll(name) : [];
    if (inHeader.length === 1 && inHeader[0] !== '') {
      if (config.hide_credentials) context.upstream?.headers.remove(name);
      return inHeader[0];
    }
    const inQuery = config.key_in_query ? context.arguments.getAll(name) : [];
    if (inQuery.length === 1 && inQuery[0] !== '') {
      if (config.hide_credentials) hideInQuery(context, name);
      return inQuery[0];
    }
  }
  return undefined;
}

function hideInQuery(context: RequestContext, name: string): void {
  if (context.upstream !== undefined) {
    const rest = new QueryArguments(context.upstream.query ?? '');
    rest.remove(name);
    const text = rest.toString();
    context.upstream.query = text === '' ? undefined : text;
  }
}

async function findKeyInBody(context: RequestContext, config: Config): Promise<string | undefined> {
  const body = await readBody(context, maximumBodyBytes);
  const type = context.headers.get('content-type') ?? '';
  const values: Record<string, unknown> = {};
  if (body === undefined) return undefined;
  if (type.startsWith('multipart/form-data')) {
    return findKeyInParts(context, config, MultipartForm.parse(type, body));
  }
  if (type.startsWith('application/json')) {
    try {
      Object.assign(values, JSON.parse(body.toString('utf8')));
    } catch {
      return undefined;
    }
  } else if (type.startsWith('application/x-www-form-urlencoded')) {
    Object.assign(values, Object.fromEntries(new URLSearchParams(body.toString('utf8'))));
  }
  const name = config.key_names.find((candidate) => typeof values[candidate] === 'string');
  return name === undefined ? undefined : (values[name] as string);
}

/** Files may come with the key: only the key's part is taken away where it is hidden. */
function findKeyInParts(
  { upstream }: RequestContext,
  { key_names: names, hide_credentials: isHidden }: Config,
  form: MultipartForm | undefined,
): string | undefined {
  const name = names.find((candidate) => form?.get(candidate) !== undefined);
  const key = name === undefined ? undefined : form?.get(name);
  if (isHidden && name !== undefined && form !== undefined && upstream !== undefined) {
    form.remove(name);
    upstream.body = form.toBuffer();
  }
  return key;
}

/** A key with a time to live is good for that many seconds from when it was made. */
function isExpired(stored: Readonly<Record<string, unknown>>, now: number): boolean {
  const ttl = stored.ttl;
  const createdAt = stored.created_at;
  return (
    typeof ttl === 'number' &&
    ttl > 0 &&
    typeof createdAt === 'number' &&
    now / 1_000 > createdAt + ttl
  );
}
